# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Compares what two engines found, as sets of boxes.

Backends break near-ties of the query selection differently, so query n of one is not query n of
the other.
"""

from __future__ import annotations

from pathlib import Path

import numpy

from benchmark.cases import STRONGEST
from benchmark.inputs import read_inputs

LEAST_IOU = 0.9
MOST_SCORE = 0.02
Found = tuple[numpy.ndarray, numpy.ndarray]


def read(path: Path) -> Found:
    """Logits [N,Q,T] and boxes [N,Q,4] that a worker saved."""
    with numpy.load(path) as stored:
        return stored["logits"], stored["boxes"]


def words(inputs: Path) -> numpy.ndarray:
    """Mask bool [T] of the tokens of the prompt's phrases."""
    return read_inputs(inputs)["words"][0]


def scores_of(logits: numpy.ndarray, mask: numpy.ndarray) -> numpy.ndarray:
    """Best score [Q] over tokens of logits [Q,T]; what is not a number becomes 0."""
    best = numpy.nan_to_num(logits[:, : len(mask)][:, mask].astype(numpy.float64)).max(-1)
    return 1.0 / (1.0 + numpy.exp(-numpy.clip(best, -60.0, 60.0)))


def from_list(numbers: list[float], columns: int) -> Found:
    """Logits [1,Q,T] and boxes [1,Q,4] of score, left, top, width, height of each query.

    The score stands in every one of the `columns`.
    """
    rows = numpy.array(numbers, dtype=numpy.float64).reshape(-1, 5)
    score = numpy.clip(rows[:, :1], 1e-7, 1.0 - 1e-7)
    logits = numpy.repeat(numpy.log(score / (1.0 - score)), columns, axis=1)
    boxes = numpy.concatenate((rows[:, 1:3] + rows[:, 3:5] / 2, rows[:, 3:5]), axis=1)
    return logits[None], boxes[None]


def iou(one: numpy.ndarray, other: numpy.ndarray) -> numpy.ndarray:
    """IoU [N,M] of boxes [N,4] and [M,4] given as centre and size."""

    def corners(boxes: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        boxes = numpy.nan_to_num(boxes.astype(numpy.float64))
        low, high = boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2
        # The library's boxes end at the frame's edges.
        return numpy.clip(low, 0.0, 1.0), numpy.clip(high, 0.0, 1.0)

    (low, high), (low2, high2) = corners(one), corners(other)
    size = numpy.minimum(high[:, None], high2[None]) - numpy.maximum(low[:, None], low2[None])
    common = numpy.clip(size, 0.0, None).prod(-1)
    areas = (high - low).prod(-1)[:, None] + (high2 - low2).prod(-1)[None]
    return common / numpy.maximum(areas - common, 1e-12)


def counterparts(
    scores: numpy.ndarray,
    boxes: numpy.ndarray,
    chosen: numpy.ndarray,
    other_scores: numpy.ndarray,
    other_boxes: numpy.ndarray,
) -> list[tuple[int, int]]:
    """Pairs (query, query of the other), each used once, for those chosen that have one."""
    overlap = iou(boxes[chosen], other_boxes)
    apart = numpy.abs(scores[chosen][:, None] - other_scores[None])
    fits = (overlap >= LEAST_IOU) & (apart <= MOST_SCORE)
    pairs, used = [], set()
    for row in range(len(chosen)):
        for column in numpy.argsort(-(overlap[row] - apart[row])):
            if fits[row, column] and column not in used:
                used.add(column)
                pairs.append((int(chosen[row]), int(column)))
                break
    return pairs


def choose(scores: numpy.ndarray, threshold: float | None) -> numpy.ndarray:
    """Queries that count, strongest first."""
    order = numpy.argsort(-scores, kind="stable")
    if threshold is None:
        return order[:STRONGEST]
    return order[scores[order] >= threshold]


def compare(
    reference: Found, other: Found, mask: numpy.ndarray, threshold: float | None
) -> dict[str, object]:
    """How far two results agree.

    A box that counts in one must have a counterpart in the other, at IoU 0.9 and with a score
    within 0.02. `matched` of `boxes` have, counted from both sides; `score` and `box` are the
    largest differences within pairs. Where `other` has fewer pictures, only these count.
    """
    boxes = matched = 0
    worst_score = worst_box = 0.0
    for index in range(min(len(reference[0]), len(other[0]))):
        sides = [
            (scores_of(found[0][index], mask), found[1][index]) for found in (reference, other)
        ]
        for (scores, places), (scores2, places2) in (sides, sides[::-1]):
            chosen = choose(scores, threshold)
            pairs = counterparts(scores, places, chosen, scores2, places2)
            boxes += len(chosen)
            matched += len(pairs)
            for query, query2 in pairs:
                worst_score = max(worst_score, abs(scores[query] - scores2[query2]))
                worst_box = max(worst_box, float(numpy.abs(places[query] - places2[query2]).max()))
    return {
        "boxes": boxes,
        "matched": matched,
        "share": round(matched / boxes, 4) if boxes else None,
        "score": float(worst_score),
        "box": float(worst_box),
    }
