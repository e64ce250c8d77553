# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What pictures are known to show, and whether detections say so.

An expectation file is JSON: the name of a picture or clip beside it, then the
list of its objects, {"phrase": text, "box": [x, y, w, h]} in pixels; in clips
with "frame", counted from 0. Where there are prompts beyond the phrases
themselves: {"prompt": text, "objects": [...]}.
"""

import dataclasses
import json
import pathlib
import subprocess

ENOUGH_OVERLAP = 0.5


@dataclasses.dataclass(frozen=True)
class Thing:
    """One object that a picture shows; box is x, y, width, height in pixels."""

    phrase: str
    box: tuple[float, float, float, float]
    frame: int = 0


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture or clip and what it shows."""

    path: pathlib.Path
    prompt: str
    things: tuple[Thing, ...]


def read(path: pathlib.Path) -> list[Picture]:
    """The pictures of an expectation file."""
    pictures = []
    for name, content in sorted(json.loads(path.read_text(encoding="utf-8")).items()):
        objects = content["objects"] if isinstance(content, dict) else content
        things = tuple(
            Thing(entry["phrase"], tuple(map(float, entry["box"])), int(entry.get("frame", 0)))
            for entry in objects
        )
        phrases = dict.fromkeys(thing.phrase for thing in things)
        prompt = content.get("prompt") if isinstance(content, dict) else None
        pictures.append(
            Picture(path.parent / name, prompt or " ".join(f"{p}." for p in phrases), things)
        )
    return pictures


def overlap(a, b) -> float:
    """Intersection over union of two boxes given as x, y, width, height."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def detect(program: str, package: pathlib.Path, picture: Picture, env: dict) -> dict[int, list]:
    """Detections of gdino-detect, by frame."""
    done = subprocess.run(
        [program, "--model", package, "--prompt", picture.prompt, picture.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        timeout=900,
    )
    assert done.returncode == 0, f"{picture.path}: {done.stderr}"
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines, f"{picture.path}: gdino-detect printed no line"
    return {line["frame"]: line["detections"] for line in lines}


def found(thing: Thing, detections: list[dict]) -> bool:
    """Whether one of the detections names the thing and lies on it."""
    return any(
        detection["label"].strip().lower() == thing.phrase.strip().lower()
        and overlap(detection["box"], thing.box) >= ENOUGH_OVERLAP
        for detection in detections
    )


def missed(picture: Picture, frames: dict[int, list]) -> list[str]:
    """The things of a picture that were not found, in words."""
    texts = []
    for thing in picture.things:
        seen = frames.get(thing.frame, [])
        if not found(thing, seen):
            reported = [(d["label"], round(d["score"], 2), d["box"]) for d in seen]
            texts.append(
                f"{picture.path.name}: {thing.phrase} at {thing.box} in frame {thing.frame}; "
                f"reported {reported}"
            )
    return texts
