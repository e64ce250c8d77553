# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""One engine in a process of its own, driven through a pipe.

    python -m benchmark.worker ENGINE CASE CHECKPOINT INPUTS ARTEFACT THREADS

Answers each line of standard input with a line of JSON on standard output: first, unasked, the
seconds that opening took and those of the first run; to "run N" the seconds of each of N runs; to
"save PATH" true, when PATH holds what the engine finds in the case's pictures.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy

from benchmark.cases import CASES
from benchmark.inputs import read_inputs
from benchmark.runners import Runner, open_engine


def timed(run: Runner, image: numpy.ndarray, times: int) -> list[float]:
    """Seconds of each run."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run(image)
        seconds.append(time.perf_counter() - start)
    return seconds


def save(run: Runner, pictures: numpy.ndarray, path: str) -> bool:
    """Write logits [N,Q,T] and boxes [N,Q,4] of the pictures [N,H,W,3]."""
    found = []
    for index in range(len(pictures)):
        # Copies: the next run may write into the same memory.
        found.append([array.copy() for array in run(pictures[index : index + 1])])
    logits, boxes = (numpy.concatenate(arrays) for arrays in zip(*found, strict=True))
    numpy.savez(path, logits=logits, boxes=boxes)
    return True


def main(arguments: list[str]) -> None:
    """Serve until standard input ends."""
    # Whatever an engine prints belongs into the log.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def answer(value: object) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    name, case, checkpoint, inputs, artefact, threads = arguments
    start = time.perf_counter()
    run = open_engine(
        name, CASES[case], Path(checkpoint), Path(inputs), Path(artefact), int(threads)
    )
    opened = time.perf_counter() - start
    stored = read_inputs(Path(inputs))
    image, pictures = stored["image"], stored["pictures"]
    (first,) = timed(run, image, 1)
    answer({"load": opened, "first": first})
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "run":
            answer(timed(run, image, int(rest)))
        elif word == "save":
            answer(save(run, pictures, rest))
    # Some engines' threads outlive them and crash at a regular end.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
