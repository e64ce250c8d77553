# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Thresholds, labels and NMS on the host, against the definition and the C decoder's oracle."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from gdino import per_phrase_nms
from gdino.pictures import letterbox
from gdino.postprocess import detections
from gdino.prompt import Phrase

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "decode-cases.json").read_text(encoding="ascii")
)


def crowd(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """60 boxes in clusters, integer coordinates; scores differ; three labels."""
    random = np.random.default_rng(seed)
    centre = random.integers(20, 180, (12, 2))[random.integers(0, 12, 60)]
    corner = centre + random.integers(-3, 4, (60, 2))
    boxes = np.concatenate([corner, corner + random.integers(24, 40, (60, 2))], axis=1)
    return boxes.astype(np.float32), random.permutation(60) / 64, random.integers(0, 3, 60)


def area(box: list[int]) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def greedy(boxes: list[list[int]], scores: list[float], limit: Fraction) -> list[int]:
    """What torchvision.ops.nms is documented to keep, in exact fractions."""
    alive = sorted(range(len(boxes)), key=lambda i: -scores[i])
    kept = []
    while alive:
        best = alive.pop(0)
        kept.append(best)
        rest = []
        for other in alive:
            low = [max(a, b) for a, b in zip(boxes[best][:2], boxes[other][:2], strict=True)]
            high = [min(a, b) for a, b in zip(boxes[best][2:], boxes[other][2:], strict=True)]
            shared = area(low + high) if low[0] < high[0] and low[1] < high[1] else 0
            union = area(boxes[best]) + area(boxes[other]) - shared
            if Fraction(shared, union) <= limit:
                rest.append(other)
        alive = rest
    return kept


@pytest.mark.parametrize("limit", [Fraction(0), Fraction(3, 10), Fraction(1, 2), Fraction(7, 10)])
@pytest.mark.parametrize("seed", range(5))
def test_nms_keeps_what_the_definition_keeps(seed: int, limit: Fraction) -> None:
    boxes, scores, labels = crowd(seed)
    whole = boxes.astype(int).tolist()
    wanted = greedy(whole, scores.tolist(), limit)
    assert per_phrase_nms(boxes, scores, None, float(limit)).tolist() == wanted
    # As batched_nms does it: each label's boxes moved to a place of their own.
    apart = [[v + 1000 * int(k) for v in box] for box, k in zip(whole, labels, strict=True)]
    wanted = greedy(apart, scores.tolist(), limit)
    assert 3 < len(wanted) < 60
    assert per_phrase_nms(boxes, scores, labels, float(limit)).tolist() == wanted
    names = [f"phrase {label}" for label in labels]
    tensors = torch.from_numpy(boxes), torch.from_numpy(scores)
    assert per_phrase_nms(*tensors, names, float(limit)).tolist() == wanted


def test_nms_against_torchvision_itself() -> None:
    ops = pytest.importorskip("torchvision.ops", reason="needs torchvision (optional)")
    for seed in range(20):
        boxes, scores, labels = crowd(seed)
        wanted = ops.batched_nms(
            torch.from_numpy(boxes), torch.from_numpy(scores).float(), torch.from_numpy(labels), 0.5
        )
        assert per_phrase_nms(boxes, scores, labels, 0.5).tolist() == wanted.tolist()


def test_nms_order_ties_and_edges() -> None:
    box = [0.0, 0.0, 10.0, 10.0]
    # Equal scores: the first stays. Exactly at the threshold: kept.
    assert per_phrase_nms(np.array([box, box]), np.array([0.5, 0.5])).tolist() == [0]
    half = [0.0, 0.0, 10.0, 5.0]
    pair = np.array([half, box]), np.array([0.3, 0.9])
    assert per_phrase_nms(*pair, iou_threshold=0.5).tolist() == [1, 0]
    assert per_phrase_nms(*pair, iou_threshold=0.49).tolist() == [1]
    assert per_phrase_nms(*pair, labels=["a", "b"], iou_threshold=0).tolist() == [1, 0]
    # Boxes without area overlap nothing.
    point = np.array([[1.0, 1.0, 1.0, 1.0]] * 2)
    assert per_phrase_nms(point, np.array([0.1, 0.2])).tolist() == [1, 0]
    nothing = per_phrase_nms(torch.zeros(0, 4), torch.zeros(0), [])
    assert nothing.dtype is torch.int64 and nothing.tolist() == []


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.zeros((2, 3)), np.zeros(2)), r"\[2, 3\].*wanted: \[N,4\]"),
        ((np.zeros((2, 4)), np.zeros(3)), r"scores \[3\]"),
        ((np.full((1, 4), np.nan), np.zeros(1)), "NaN"),
        ((np.zeros((1, 4)), np.array([np.nan])), "NaN"),
        ((np.zeros((2, 4)), np.zeros(2), ["a"]), "labels are 1, wanted: 2"),
        ((np.zeros((1, 4)), np.zeros(1), None, 1.5), "iou_threshold is 1.5"),
        ((np.zeros((1, 4)), np.zeros(1), None, float("nan")), "iou_threshold is nan"),
    ],
)
def test_nms_refuses(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        per_phrase_nms(*arguments)


def usable(case: dict) -> bool:
    # Means and size limits are the C library's alone.
    return case["params"]["scoring"] == "max" and case["params"]["size_threshold"] == 1


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["name"]) for case in CASES if usable(case)]
)
def test_same_detections_as_the_c_library(case: dict) -> None:
    params = case["params"]
    phrases = [Phrase(f"phrase {i}", *span) for i, span in enumerate(case["spans"])]
    logits = torch.tensor([[float(v) for v in row] for row in case["logits"]])
    boxes = torch.tensor([[float(v) for v in row] for row in case["boxes"]])
    found = detections(
        logits,
        boxes,
        phrases,
        letterbox(tuple(case["frame"]), tuple(case["canvas"])),
        params["box_threshold"],
        None if params["nms"] == "off" else params["nms"],
        params["iou_threshold"],
        params["max_detections"],
    )
    wanted = case["expected"]
    assert found["labels"] == [f"phrase {item['classes'][0][0]}" for item in wanted]
    assert found["text_labels"] == found["labels"]
    scores = torch.tensor([item["classes"][0][1] for item in wanted])
    torch.testing.assert_close(found["scores"], scores.reshape(-1), atol=1e-6, rtol=0)
    corners = torch.tensor([item["box"] for item in wanted], dtype=torch.float32).reshape(-1, 4)
    corners[:, 2:] += corners[:, :2]
    # The C library reports whole pixels.
    assert ((found["boxes"] - corners).abs() <= 0.51).all()
    assert len(wanted) == len(found["boxes"])


def test_the_cases_have_work_for_every_rule() -> None:
    chosen = [case for case in CASES if usable(case)]
    assert sum(len(case["expected"]) for case in chosen) > 50
    for name in ("invalid", "below", "outside", "suppressed", "cut"):
        assert any(case["stats"][name] for case in chosen), name
