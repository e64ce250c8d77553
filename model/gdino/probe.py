# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""A package's probe: a made-up picture, a prompt, and what the uncompiled network finds there.

docs/model-package.md defines the file; `src/probe.c` reads it, makes the same picture and applies
the same rules as `check` here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from gdino.config import write_json
from gdino.prompt import Phrase, Prompt

PROBE_FILE = "probe.json"
GENERATOR = "gradient-1"
PROMPT = "a cat. dog. remote control."
DETECTIONS = 20
# Rounding alone may let two queries of all but equal rank trade places; they then differ much.
SHARE = 0.9


@dataclass(frozen=True)
class Tolerance:
    """How far apart is still equal, and the share of detections that must be found."""

    score: float
    box: float
    share: float = SHARE


EXACT = Tolerance(1e-3, 1e-3)
ROUGH = Tolerance(0.02, 0.02)
# For networks whose queries hang on differences that the precision does not hold.
LOOSER = (ROUGH, Tolerance(0.05, 0.05, 0.6), Tolerance(0.1, 0.1, 0.4), Tolerance(0.2, 0.2, 0.25))


def gradient(width: int, height: int) -> Tensor:
    """Picture `gradient-1`, uint8 [1,H,W,3]: gradients, a chequered fine structure, two blocks."""
    y = torch.arange(height, dtype=torch.int64)[:, None]
    x = torch.arange(width, dtype=torch.int64)[None, :]
    red = (x * 255 // max(width - 1, 1)).expand(height, width)
    green = (y * 255 // max(height - 1, 1)).expand(height, width)
    blue = (x // 16 + y // 16) % 2 * 160 + (x * 7 + y * 13) % 64
    image = torch.stack((red, green, blue), dim=-1)
    v, u = height // 4, width // 5
    image[v : 3 * v, u : 2 * u] = torch.tensor((210, 60, 40))
    image[2 * v : 3 * v, 3 * u : 4 * u] = torch.tensor((30, 90, 200))
    return image.to(torch.uint8)[None].contiguous()


def fitting(prompt: Prompt) -> str:
    """The phrases that fit, as a prompt of their own."""
    return " ".join(f"{phrase.text}." for phrase in prompt.phrases)


def phrase_scores(logits: Tensor, phrases: list[Phrase]) -> Tensor:
    """logits [Q,T] -> [Q,P], the largest sigmoid over each phrase's own tokens."""
    parts = [logits[:, phrase.start : phrase.end].amax(-1) for phrase in phrases]
    return torch.stack(parts, -1).sigmoid()


def make(logits: Tensor, boxes: Tensor, prompt: Prompt, tolerance: Tolerance) -> dict[str, object]:
    """The content of probe.json.

    logits [Q,T] and boxes [Q,4] of the network for `gradient` and `prompt`. A query is listed with
    its best phrase.
    """
    best, phrase = phrase_scores(logits, prompt.phrases).max(-1)
    order = best.argsort(descending=True, stable=True)[:DETECTIONS]
    return {
        "prompt": fitting(prompt),
        "image": {"generator": GENERATOR},
        "tolerance": {
            "score": tolerance.score,
            "box": tolerance.box,
            "share": tolerance.share,
        },
        "detections": [
            {
                "phrase": prompt.phrases[int(phrase[query])].text,
                "score": round(float(best[query]), 7),
                "box": [round(float(side), 7) for side in boxes[query]],
            }
            for query in order
        ],
    }


def check(probe: dict[str, object], logits: Tensor, boxes: Tensor, prompt: Prompt) -> str | None:
    """What is wrong with logits [Q,T] and boxes [Q,4], judged by the probe; None if nothing.

    The rules of docs/model-package.md.
    """
    names = [phrase.text for phrase in prompt.phrases]
    scores = phrase_scores(logits, prompt.phrases)
    if scores.isnan().any() or boxes.isnan().any():
        return "a result is not a number"
    tolerance = probe["tolerance"]
    wanted = probe["detections"]
    limit = wanted[0]["score"] + tolerance["score"]
    if scores.max() > limit:
        return f"a query scores {float(scores.max()):.4f}, wanted: at most {limit:.4f}"
    found = 0
    for entry in wanted:
        near = (scores[:, names.index(entry["phrase"])] - entry["score"]).abs()
        apart = (boxes - torch.tensor(entry["box"])).abs().amax(-1)
        found += bool(((near <= tolerance["score"]) & (apart <= tolerance["box"])).any())
    share = tolerance.get("share", 1.0)
    if found < share * len(wanted):
        return (
            f"{found} of {len(wanted)} detections found, wanted: {share:.0%} (scores within "
            f"{tolerance['score']}, boxes within {tolerance['box']})"
        )
    return None


def write(probe: dict[str, object], package: Path) -> None:
    """Write probe.json into the package folder."""
    write_json(package / PROBE_FILE, probe)
