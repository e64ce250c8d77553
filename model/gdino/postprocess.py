# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What has no fixed length and so runs on the host: thresholds, labels and NMS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gdino.pictures import Letterbox
from gdino.prompt import Phrase

# A side of exactly one pixel may arrive a little short.
SMALLEST_SIDE = 1 - 1 / 128
NMS = ("phrase", "all", None)


def check_fraction(name: str, value: object) -> float:
    """Return `value` if it is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r}, wanted: a number from 0 to 1")
    return float(value)


def per_phrase_nms(
    boxes: Tensor | np.ndarray,
    scores: Tensor | np.ndarray,
    labels: Sequence[object] | Tensor | None = None,
    iou_threshold: float = 0.7,
) -> Tensor:
    """Indices int64 [K] of the boxes to keep, best score first, ties by index.

    boxes [N,4] as x0, y0, x1, y1 and scores [N], tensors or arrays of finite numbers; labels, N
    of any kind that can be compared: a box is removed where one with a better score and the same
    label overlaps it by more than `iou_threshold`. Without labels all boxes compete. Keeps what
    torchvision.ops.batched_nms and nms keep. Raises ValueError for shapes that disagree, values
    that are not finite, or a threshold outside 0 to 1.
    """
    corners = np.asarray(_host(boxes), dtype=np.float32)
    if corners.size == 0:
        corners = corners.reshape(0, 4)
    values = np.asarray(_host(scores), dtype=np.float32)
    if corners.ndim != 2 or corners.shape[1] != 4 or values.shape != corners.shape[:1]:
        raise ValueError(
            f"boxes are {list(corners.shape)} and scores {list(values.shape)}, "
            "wanted: [N,4] and [N]"
        )
    if not np.isfinite(corners).all() or np.isnan(values).any():
        raise ValueError("boxes or scores hold NaN or infinite values")
    limit = check_fraction("iou_threshold", iou_threshold)
    kinds = _kinds(labels, len(values))
    area = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    order = np.argsort(-values, kind="stable")
    kept = []
    while len(order):
        best, order = order[0], order[1:]
        kept.append(int(best))
        low = np.maximum(corners[best, :2], corners[order, :2])
        high = np.minimum(corners[best, 2:], corners[order, 2:])
        shared = np.maximum(high - low, 0).prod(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            overlap = shared / (area[best] + area[order] - shared)
        order = order[~((overlap > limit) & (kinds[order] == kinds[best]))]
    return torch.tensor(kept, dtype=torch.int64)


def _host(value: Tensor | np.ndarray | Sequence[Any]) -> Any:
    return value.detach().float().cpu().numpy() if isinstance(value, Tensor) else value


def _kinds(labels: Sequence[object] | Tensor | None, count: int) -> np.ndarray:
    """A number for each label."""
    if labels is None:
        return np.zeros(count, dtype=np.int64)
    names = labels.tolist() if isinstance(labels, (Tensor, np.ndarray)) else list(labels)
    if len(names) != count:
        raise ValueError(f"labels are {len(names)}, wanted: {count} as boxes")
    table: dict[object, int] = {}
    return np.array([table.setdefault(name, len(table)) for name in names], dtype=np.int64)


def phrase_scores(logits: np.ndarray, phrases: Sequence[Phrase]) -> tuple[np.ndarray, np.ndarray]:
    """Best phrase int64 [Q] and its score float32 [Q] of logits float [Q,T]; NaN stays NaN.

    The score of a phrase is the sigmoid of the best logit of its own tokens.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        best = np.stack([logits[:, p.start : p.end].max(axis=1) for p in phrases], axis=1)
        top = best.max(axis=1).astype(np.float64)
        return best.argmax(axis=1), (1 / (1 + np.exp(-top))).astype(np.float32)


def detections(
    logits: Tensor,
    boxes: Tensor,
    phrases: Sequence[Phrase],
    place: Letterbox,
    threshold: float,
    nms: str | None,
    iou_threshold: float,
    max_detections: int,
) -> dict[str, Any]:
    """Reported boxes of one picture.

    logits float [Q,T], boxes float [Q,4] as centre and size in 0..1 of the canvas. Returns scores
    float32 [n], best first, labels (n strings), boxes float32 [n,4] as x0, y0, x1, y1 in pixels
    of the picture, text_labels (the same as labels, transformers' newer name).
    """
    phrase, score = phrase_scores(logits.float().cpu().numpy(), phrases)
    raw = boxes.float().cpu().numpy()
    corners = place.to_picture(raw)
    with np.errstate(invalid="ignore"):
        sides = corners[:, 2:] - corners[:, :2]
        usable = (
            np.isfinite(raw).all(axis=1)
            & (raw[:, 2:] > 0).all(axis=1)
            & (sides >= SMALLEST_SIDE).all(axis=1)
            & (score > np.float32(threshold))
        )
    rows = np.flatnonzero(usable)
    if nms is None:
        kept = rows[np.argsort(-score[rows], kind="stable")]
    else:
        labels = phrase[rows] if nms == "phrase" else None
        kept = rows[per_phrase_nms(corners[rows], score[rows], labels, iou_threshold).numpy()]
    kept = kept[:max_detections]
    names = [phrases[index].text for index in phrase[kept]]
    return {
        "scores": torch.from_numpy(score[kept]),
        "labels": names,
        "boxes": torch.from_numpy(corners[kept]),
        "text_labels": names,
    }
