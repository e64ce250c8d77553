# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Results compared as sets, for precisions that reorder queries."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from gdino import agreement
from gdino.agreement import Agreement
from gdino.prompt import Phrase

PHRASES = [Phrase("cat", 1, 2), Phrase("big dog", 3, 5)]


def logit(score: float) -> float:
    return float(np.log(score / (1 - score)))


def scene(scores: list[float], queries: int = 40) -> tuple[Tensor, Tensor]:
    """Queries with those scores for "cat", far apart, and many without any."""
    logits = torch.full((queries, 8), logit(0.01))
    boxes = torch.full((queries, 4), 0.1)
    for i, score in enumerate(scores):
        logits[i, 1] = logit(score)
        boxes[i] = torch.tensor([0.1 + 0.2 * (i % 4), 0.1 + 0.3 * (i // 4), 0.1, 0.2])
    return logits, boxes


WANTED = [0.9, 0.6, 0.5, 0.4, 0.36]


def compare(found: tuple[Tensor, Tensor]) -> Agreement:
    return agreement.compare(found, scene(WANTED), PHRASES, 0.35)


def test_order_does_not_count() -> None:
    order = torch.randperm(40, generator=torch.Generator().manual_seed(1))
    found = compare(tuple(value[order] for value in scene(WANTED)))
    assert (found.detections, found.matched) == (10, 10)
    assert found.good and str(found) == "10 of 10 boxes above the threshold agree"


@pytest.mark.parametrize(
    "scores,matched",
    [
        ([0.9, 0.6, 0.5, 0.4, 0.345], (9, 9)),  # fell below the threshold, is near all the same
        ([0.9, 0.6, 0.5, 0.4, 0.30], (9, 8)),
        ([0.9, 0.6, 0.5, 0.43, 0.37], (10, 8)),
        ([0.9, 0.6, 0.5, 0.4, 0.36, 0.5], (11, 10)),  # one too many
    ],
)
def test_scores_count(scores: list[float], matched: tuple[int, int]) -> None:
    found = compare(scene(scores))
    assert (found.detections, found.matched) == matched
    assert found.good == (matched[0] == matched[1])


@pytest.mark.parametrize("wider,good", [(0.007, True), (0.02, False)])
def test_boxes_count(wider: float, good: bool) -> None:
    logits, boxes = scene(WANTED)
    boxes[2, 2] += wider
    assert compare((logits, boxes)).good == good


def test_another_phrase_is_another_detection() -> None:
    logits, boxes = scene(WANTED)
    logits[2, 4], logits[2, 1] = logits[2, 1].clone(), logits[2, 4].clone()
    assert not compare((logits, boxes)).good


def test_crowd_is_judged_by_distribution() -> None:
    generator = torch.Generator().manual_seed(2)
    noise = torch.randn(50, 8, generator=generator), torch.rand(50, 4, generator=generator)
    again = torch.randn(50, 8, generator=generator), torch.rand(50, 4, generator=generator)
    order = torch.randperm(50, generator=generator)
    same = agreement.compare(tuple(v[order] for v in noise), noise, PHRASES, 0.35)
    assert same == Agreement(0, 0, 0.0) and same.good
    # Wasserstein distance of a shift is the shift.
    moved = agreement.compare((noise[0], noise[1] + 0.06), noise, PHRASES, 0.35)
    assert moved.spread == pytest.approx(0.06, abs=1e-6) and not moved.good
    assert "differ by 0.06" in str(moved)
    near = agreement.compare((noise[0] + 0.1, noise[1]), noise, PHRASES, 0.35)
    assert 0.01 < near.spread < agreement.SPREAD and near.good
    other = agreement.compare(again, noise, PHRASES, 0.35)
    assert other.detections == 0 and other.spread > 0


def test_nothing_found_is_judged_by_distribution() -> None:
    assert agreement.compare(scene([]), scene([]), PHRASES, 0.35) == Agreement(0, 0, 0.0)
    invented = agreement.compare(scene([0.9]), scene([]), PHRASES, 0.35)
    assert not invented.good


@pytest.mark.parametrize("which", [0, 1])
def test_not_a_number_is_never_good(which: int) -> None:
    values = [value.clone() for value in scene(WANTED)]
    values[which][39, 1] = float("nan")
    assert not compare(tuple(values)).good


def test_sum_takes_the_worst_spread() -> None:
    assert Agreement(2, 1, 0.3) + Agreement(3, 3, 0.1) == Agreement(5, 4, 0.3)


def test_overlaps_are_those_of_plain_arithmetic() -> None:
    generator = torch.Generator().manual_seed(4)
    boxes = torch.rand(12, 4, generator=generator) * 0.5 + 0.05
    found = agreement.overlaps(agreement.corners(boxes[:5]), agreement.corners(boxes[5:]))
    for i, a in enumerate(boxes[:5].tolist()):
        for j, b in enumerate(boxes[5:].tolist()):
            sides = [
                max(0, min(a[k] + a[k + 2] / 2, b[k] + b[k + 2] / 2)
                    - max(a[k] - a[k + 2] / 2, b[k] - b[k + 2] / 2))
                for k in (0, 1)
            ]
            shared = sides[0] * sides[1]
            wanted = shared / (a[2] * a[3] + b[2] * b[3] - shared)
            assert float(found[i, j]) == pytest.approx(wanted, abs=1e-5)
