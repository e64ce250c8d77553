# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Writes corpus/decode/: seeds in the layout that fuzz-decode.c reads.

    python3 tests/fuzz/make-decode-corpus.py
"""

import random
import struct
from pathlib import Path

TOKENS = (12, 6, 5)  # for the prompt in one pass, two and three


def seed(name: str, frame=(640, 480), canvas=(448, 256), par=(1, 1), nms=1, scoring=0,
         thresholds=(0.35, 0.25, 0.7, 1.0), most=300, rows=8, low=-4.0, high=3.0,
         special=(), passes=1, rules=()) -> None:
    """One file: header, then for each pass `rows` rows of logits and as many boxes;
    `special` is put over (index, value) of the floats; `rules`: (threshold, group) of
    each phrase."""
    source = random.Random(name)
    floats = []
    for _ in range(passes):
        floats += [source.uniform(low, high) for _ in range(rows * TOKENS[passes - 1])]
        for _ in range(rows):
            floats += [source.uniform(0.1, 0.9), source.uniform(0.1, 0.9),
                       source.uniform(0.05, 0.6), source.uniform(0.05, 0.6)]
    for index, value in special:
        floats[index] = value
    header = struct.pack("<4H4B4fI", *frame, *canvas, *par, nms, scoring, *thresholds, most)
    own, groups = zip(*rules or [(-1, 0)] * 3)
    header += struct.pack("<8B3f", passes - 1, bool(rules), *groups, 0, 0, 0, *own)
    body = struct.pack(f"<{len(floats)}f", *floats)
    target = Path(__file__).parent / "corpus" / "decode" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(header + body)


def main() -> None:
    nan, infinity = float("nan"), float("inf")
    seed("plain")
    seed("no-rows", rows=0)
    seed("mean", scoring=1, nms=2)
    seed("off", nms=0, thresholds=(0.0, 0.0, 0.0, 0.5), rows=24)
    seed("never", thresholds=(1.0, 1.0, 1.0, 0.0))
    seed("tiny-frame", frame=(1, 1), canvas=(32, 32))
    seed("wide-frame", frame=(65535, 1), canvas=(8192, 32), par=(255, 1))
    seed("cut", thresholds=(0.0, 0.5, 1.0, 1.0), most=2, rows=24)
    seed("not-numbers", special=[(1, nan), (13, infinity), (25, -infinity), (96, nan),
                                 (101, infinity), (107, 0.0), (110, -1.0), (112, 3e38)])
    seed("far-outside", special=[(96, 3e38), (98, 3e38), (100, -3e38), (104, 1e9), (106, 1e9)])
    seed("ties", low=1.0, high=1.0, rows=16)
    seed("two-passes", passes=2)
    seed("three-passes", passes=3, nms=2, most=5, special=[(1, nan), (81, infinity)])
    seed("rules", rules=[(0.1, 0), (-1, 0), (0.9, 1)])
    seed("rules-mean", rules=[(0.0, 2), (1.0, 1), (-1, 2)], scoring=1, rows=24)
    seed("rules-in-passes", passes=3, rules=[(0.2, 0), (0.6, 0), (-1, 1)], rows=24)
    seed("rules-not-numbers", passes=2, rules=[(nan, 0), (0.5, 0), (0.5, 0)])


if __name__ == "__main__":
    main()
