# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Do two results that rounding has reordered find the same things?

A lower precision changes the choice of queries, and with it every row of the result; so results
are compared as sets. Two measures:

- detections: boxes above the threshold, in either result, that the other one has too (overlap of
  0.9 and more, score within 0.02). It says what users see, where the network finds things.
- spread: how far apart the two results' scores and box numbers lie when each is sorted for itself
  (the mean distance, which is the Wasserstein distance of their distributions). It says that the
  numbers are of the same kind, where what the network finds is noise: with random weights,
  the smallest difference leads to other queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gdino.geometry import corners
from gdino.probe import phrase_scores
from gdino.prompt import Phrase

OVERLAP = 0.9
SCORE = 0.02
SHARE = 0.99
SPREAD = 0.05
# More queries than this above the threshold, and it is noise.
CROWD = 0.25


@dataclass(frozen=True)
class Agreement:
    """How two results agree; add up those of several pictures."""

    detections: int = 0
    matched: int = 0
    spread: float = 0.0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            self.detections + other.detections,
            self.matched + other.matched,
            max(self.spread, other.spread),
        )

    @property
    def good(self) -> bool:
        """Whether the measure that applies is within its limits."""
        if self.detections:
            return self.matched >= SHARE * self.detections and self.spread < float("inf")
        return self.spread <= SPREAD

    def __str__(self) -> str:
        if self.detections:
            return f"{self.matched} of {self.detections} boxes above the threshold agree"
        return f"distributions of scores and boxes differ by {self.spread:.2g}"


def overlaps(one: Tensor, other: Tensor) -> Tensor:
    """Intersection over union of boxes [n,4] and [m,4], corners -> [n,m]."""
    low = torch.maximum(one[:, None, :2], other[None, :, :2])
    high = torch.minimum(one[:, None, 2:], other[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(-1) for boxes in (one, other)]
    return shared / (areas[0][:, None] + areas[1][None] - shared).clamp(min=1e-9)


def matches(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor], threshold: float) -> Tensor:
    """For each score of `one` above the threshold, whether `other` has that detection: bool [n].

    Results are phrase scores [Q,P] and boxes [Q,4] (centre and size).
    """
    scores, boxes = one
    query, phrase = torch.nonzero(scores > threshold, as_tuple=True)
    near = overlaps(corners(boxes[query]), corners(other[1])) >= OVERLAP
    close = (scores[query, phrase][:, None] - other[0][:, phrase].T).abs() <= SCORE
    return (near & close).any(-1)


def spread(one: Tensor, other: Tensor) -> float:
    """Largest distance of the distributions of corresponding columns of [Q,n] and [Q,n]."""
    apart = (one.sort(0)[0] - other.sort(0)[0]).abs().mean(0).amax()
    return float(apart.nan_to_num(nan=float("inf")))


def compare(
    found: tuple[Tensor, Tensor],
    wanted: tuple[Tensor, Tensor],
    phrases: list[Phrase],
    threshold: float,
) -> Agreement:
    """Compare logits [Q,T] and boxes [Q,4] with those wanted.

    Detections count unless more than a quarter of the wanted queries lies above the threshold.
    """
    one, other = (
        (phrase_scores(logits, phrases), boxes) for logits, boxes in (found, wanted)
    )
    apart = max(spread(a, b) for a, b in zip(one, other, strict=True))
    crowd = (other[0].amax(-1) > threshold).float().mean()
    if crowd > CROWD:
        return Agreement(spread=apart)
    both = torch.cat((matches(one, other, threshold), matches(other, one, threshold)))
    return Agreement(len(both), int(both.sum()), apart)
