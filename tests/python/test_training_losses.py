# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Matching and losses of the training, against plain loops and numbers worked out by hand."""

import itertools
import math

import pytest
import torch

pytest.importorskip("scipy", reason="training needs scipy")

from gdino.training import losses  # noqa: E402


def overlap(a, b):
    """IoU and GIoU of two boxes x0 y0 x1 y1, step by step."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    inner = max(w, 0) * max(h, 0)
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inner
    hull = (max(a[2], b[2]) - min(a[0], b[0])) * (max(a[3], b[3]) - min(a[1], b[1]))
    return inner / union, inner / union - (hull - union) / hull


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((0, 0, 2, 2), (1, 1, 3, 3)),
        ((0, 0, 2, 2), (0, 0, 2, 2)),
        ((0, 0, 1, 1), (3, 3, 4, 5)),
        ((0, 0, 4, 4), (1, 1, 2, 2)),
    ],
)
def test_overlap(a, b):
    iou, giou = losses.iou_giou(torch.tensor(a).float(), torch.tensor(b).float())
    assert (float(iou), float(giou)) == pytest.approx(overlap(a, b), abs=1e-6)


def test_overlap_by_hand():
    iou, giou = losses.iou_giou(torch.tensor([0.0, 0, 2, 2]), torch.tensor([1.0, 1, 3, 3]))
    assert float(iou) == pytest.approx(1 / 7)
    assert float(giou) == pytest.approx(1 / 7 - 2 / 9)


def test_focal_by_hand():
    value = losses.focal(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 0.0]))
    assert value.tolist() == pytest.approx([0.25 * 0.25 * math.log(2), 0.75 * 0.25 * math.log(2)])
    sure = losses.focal(torch.tensor([20.0, -20.0]), torch.tensor([1.0, 0.0]))
    assert float(sure.max()) < 1e-6


def scene(seed=0, queries=5, tokens=6, boxes=3):
    """Random predictions and targets of one picture."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(queries, tokens, generator=generator)
    guess = torch.rand(queries, 4, generator=generator) * 0.4 + 0.2
    truth = torch.rand(boxes, 4, generator=generator) * 0.4 + 0.2
    positive = torch.eye(tokens, dtype=torch.bool)[:boxes]
    return logits, guess, losses.Targets(truth, positive)


def pair_cost(logits, guess, target, row, column):
    """Cost of one pair, written out."""
    token = int(target.positive[column].nonzero()[0])
    p = float(logits[row, token].sigmoid())
    named = 0.25 * (1 - p) ** 2 * -math.log(p) - 0.75 * p**2 * -math.log(1 - p)
    place = float((guess[row] - target.boxes[column]).abs().sum())
    a, b = (losses.corners(x).tolist() for x in (guess[row], target.boxes[column]))
    return 2 * named + 5 * place - 2 * overlap(a, b)[1]


@pytest.mark.parametrize("seed", range(4))
def test_match_is_the_cheapest_of_all(seed):
    logits, guess, target = scene(seed)
    rows, columns = losses.match(logits, guess, target)
    assert sorted(columns.tolist()) == [0, 1, 2]
    mine = sum(
        pair_cost(logits, guess, target, r, c)
        for r, c in zip(rows.tolist(), columns.tolist(), strict=True)
    )
    every = [
        sum(pair_cost(logits, guess, target, row, column) for column, row in enumerate(chosen))
        for chosen in itertools.permutations(range(5), 3)
    ]
    assert mine == pytest.approx(min(every), abs=1e-4)
    assert max(every) > min(every) + 0.1


def test_match_gives_each_box_its_copies():
    logits, guess, target = scene(queries=12)
    rows, columns = losses.match(logits, guess, target, copies=3)
    assert sorted(columns.tolist()) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert len(set(rows.tolist())) == 9


def test_match_without_boxes():
    logits, guess, _ = scene()
    empty = losses.Targets(torch.zeros(0, 4), torch.zeros(0, 6, dtype=torch.bool))
    rows, columns = losses.match(logits, guess, empty)
    assert len(rows) == len(columns) == 0


def test_loss_ignores_padding_and_falls_where_right():
    logits, guess, target = scene(tokens=6)
    mask = torch.tensor([[True] * 4 + [False] * 2])
    hidden = logits.clone()
    hidden[:, 4:] = float("-inf")
    other = logits.clone()
    other[:, 4:] = 7.0
    first = losses.detection_loss(hidden[None], guess[None], mask, [target])[0]
    second = losses.detection_loss(other[None], guess[None], mask, [target])[0]
    assert torch.isfinite(first) and torch.equal(first, second)
    right = torch.full((5, 6), -6.0)
    right[:3] += 12.0 * target.positive.float()
    boxes = guess.clone()
    boxes[:3] = target.boxes
    best = losses.detection_loss(right[None], boxes[None], mask, [target])[0]
    assert float(best) < 0.01 < float(first)


def test_loss_without_any_box_trains_the_names():
    logits = torch.zeros(1, 5, 6, requires_grad=True)
    boxes = torch.full((1, 5, 4), 0.5, requires_grad=True)
    empty = losses.Targets(torch.zeros(0, 4), torch.zeros(0, 6, dtype=torch.bool))
    total = losses.detection_loss(logits, boxes, torch.ones(1, 6, dtype=torch.bool), [empty])[0]
    total.backward()
    assert float(logits.grad.min()) > 0  # every score is pushed down


def test_vocabulary_loss_by_hand():
    queries = torch.tensor([[1.0, 0.0]])
    phrases = torch.tensor([[2.0, 0.0], [0.0, 5.0], [1.0, 0.0]])
    own = torch.tensor([[True, False, False]])
    every = torch.ones(1, 3, dtype=torch.bool)
    expected = math.log(math.exp(2) + 1 + math.exp(1)) - 2
    assert float(losses.vocabulary_loss(queries, phrases, own, every)) == pytest.approx(expected)
    some = torch.tensor([[True, True, False]])
    expected = math.log(math.exp(2) + 1) - 2
    assert float(losses.vocabulary_loss(queries, phrases, own, some)) == pytest.approx(expected)


def test_teacher_loss_by_hand():
    queries = torch.tensor([[1.0, 0.0]])
    phrases = torch.tensor([[2.0, 0.0], [0.0, 5.0]])
    guess = torch.tensor([[0.5, 0.25]])
    whole = math.log(math.exp(2) + 1)
    expected = 0.5 * (whole - 2) + 0.25 * whole
    assert float(losses.teacher_loss(queries, phrases, guess)) == pytest.approx(expected)
    assert float(losses.teacher_loss(queries[:0], phrases, guess[:0])) == 0.0
