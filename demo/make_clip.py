#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Make demo/clip.webm, demo/expected.json, tests/data/still.jpg and tests/data/still.json.

The camera moves over photographs that were not used in training. Needs the Debian package
gcompris-qt-data, GStreamer's good plugins, and the Python modules of
model/requirements-training.txt.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "model"))

from gdino.training.photos import GCOMPRIS, decode  # noqa: E402
from gdino.training.rcc import read_rcc  # noqa: E402

WIDTH, HEIGHT, RATE = 640, 360, 25
FIRST_PROMPT = "sheep. owl."
SECOND_PROMPT = "bear. parrot."
CHECKED_PROMPT = "sheep. owl. bear."
CHECKED_EVERY = 14


@dataclass
class Shot:
    """A photograph, the camera's way over it, and what is on it.

    view: centre x, y and width as fractions of the photograph, at the start and at the end;
    things: (phrase, x0, y0, x1, y1) as fractions.
    """

    seconds: float
    resource: str
    photo: str
    view: tuple[tuple[float, float, float], tuple[float, float, float]]
    things: list[tuple] = field(default_factory=list)


FARM, WORLD = "explore_farm_animals.rcc", "explore_world_animals.rcc"
SHOTS = [
    Shot(
        2.24,
        FARM,
        "sheep.webp",
        ((0.47, 0.5, 1.0), (0.49, 0.5, 0.92)),
        [("sheep", 0.23, 0.11, 0.71, 0.90)],
    ),
    Shot(
        2.24,
        FARM,
        "owl.webp",
        ((0.5, 0.57, 1.0), (0.56, 0.57, 0.9)),
        [("owl", 0.52, 0.20, 0.79, 0.95)],
    ),
    Shot(
        4.48,
        WORLD,
        "polar_bear.webp",
        ((0.5, 0.55, 1.0), (0.55, 0.54, 0.78)),
        [("bear", 0.29, 0.33, 0.82, 0.74)],
    ),
]
STILL = [
    Shot(0, FARM, "sheep.webp", ((0.47, 0.5, 0.62),) * 2, [("sheep", 0.23, 0.11, 0.71, 0.90)]),
    Shot(0, WORLD, "bison.webp", ((0.5, 0.42, 0.66),) * 2, [("bison", 0.20, 0.12, 0.81, 0.70)]),
]


def photograph(shot: Shot) -> np.ndarray:
    """RGB uint8 of the shot's photograph."""
    for name, raw in read_rcc(GCOMPRIS / shot.resource):
        if name.endswith("animals/" + shot.photo):
            return decode(raw)
    raise FileNotFoundError(f"{GCOMPRIS / shot.resource}: no {shot.photo} in it")


def between(start: tuple, end: tuple, share: float) -> list[float]:
    """A point on the way, slow at both ends."""
    eased = share * share * (3 - 2 * share)
    return [a + (b - a) * eased for a, b in zip(start, end, strict=True)]


def visible(box: list[float], width: int) -> list[int] | None:
    """x, y, w, h within the picture, or None where less than 70 % of the box shows."""
    x0, y0, x1, y1 = max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], HEIGHT)
    shown = max(0, x1 - x0) * max(0, y1 - y0)
    if shown < 0.7 * (box[2] - box[0]) * (box[3] - box[1]):
        return None
    return [round(x0), round(y0), round(x1 - x0), round(y1 - y0)]


def render(
    shot: Shot, picture: np.ndarray, share: float, width: int = WIDTH
) -> tuple[np.ndarray, list[dict]]:
    """One frame RGB uint8 [360, width, 3] and its objects."""
    tall, wide = picture.shape[:2]
    x, y, part = between(*shot.view, share)
    w = min(part * wide, tall * width / HEIGHT)
    h = w * HEIGHT / width
    left = min(max(x * wide - w / 2, 0), wide - w)
    top = min(max(y * tall - h / 2, 0), tall - h)
    scale = width / w
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]])
    frame = cv2.warpAffine(picture, matrix, (width, HEIGHT), flags=cv2.INTER_AREA)
    objects = []
    for phrase, x0, y0, x1, y1 in shot.things:
        box = visible(
            [
                (x0 * wide - left) * scale,
                (y0 * tall - top) * scale,
                (x1 * wide - left) * scale,
                (y1 * tall - top) * scale,
            ],
            width,
        )
        if box:
            objects.append({"phrase": phrase, "box": box})
    return frame, objects


def write(path: Path, name: str, prompt: str, objects: list[dict]) -> None:
    """Write an expectation file, one object a line."""
    lines = ",\n".join("    " + json.dumps(entry) for entry in objects)
    head = f'{{\n  "{name}": {{"prompt": {json.dumps(prompt)}, "objects": [\n'
    path.write_text(f"{head}{lines}\n  ]}}\n}}\n", encoding="utf-8")


def make_clip(folder: Path, keep: Path | None) -> None:
    """Write clip.webm and expected.json."""
    expected, number = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        frames = Path(keep or scratch)
        frames.mkdir(parents=True, exist_ok=True)
        for shot in SHOTS:
            picture = photograph(shot)
            count = round(shot.seconds * RATE)
            for i in tqdm(range(count), desc=shot.photo):
                frame, objects = render(shot, picture, i / (count - 1))
                cv2.imwrite(str(frames / f"{number:04}.png"), frame[:, :, ::-1])
                if i % CHECKED_EVERY == CHECKED_EVERY // 2:
                    expected += [{**entry, "frame": number} for entry in objects]
                number += 1
        subprocess.run(
            [
                "gst-launch-1.0",
                "-q",
                "multifilesrc",
                f"location={frames}/%04d.png",
                f"caps=image/png,framerate={RATE}/1",
                "!",
                "pngdec",
                "!",
                "videoconvert",
                "!",
                "video/x-raw,format=I420",
                "!",
                "vp8enc",
                "deadline=1000000",
                "cpu-used=4",
                "end-usage=vbr",
                "target-bitrate=1200000",
                "keyframe-max-dist=50",
                "!",
                "webmmux",
                "!",
                "filesink",
                f"location={folder / 'clip.webm'}",
            ],
            check=True,
        )
    write(folder / "expected.json", "clip.webm", CHECKED_PROMPT, expected)


def make_still(folder: Path) -> None:
    """Write still.jpg, two photographs side by side, and still.json."""
    panes, objects = [], []
    for number, shot in enumerate(STILL):
        pane, found = render(shot, photograph(shot), 0.0, WIDTH // 2)
        panes.append(pane)
        for entry in found:
            x, y, w, h = entry["box"]
            objects.append({**entry, "box": [x + number * WIDTH // 2, y, w, h]})
    picture = np.hstack(panes)[:, :, ::-1]
    cv2.imwrite(str(folder / "still.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
    prompt = " ".join(f"{entry['phrase']}." for entry in objects)
    write(folder / "still.json", "still.jpg", prompt, objects)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--frames", type=Path, help="keep the frames as PNG files in this folder")
    options = parser.parse_args()
    make_clip(ROOT / "demo", options.frames)
    make_still(ROOT / "tests" / "data")


if __name__ == "__main__":
    main()
