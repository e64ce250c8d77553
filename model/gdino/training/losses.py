# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Matching of predictions to boxes, and the losses."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from ..geometry import corners

CLASS, L1, GIOU = 2.0, 5.0, 2.0
ALPHA, GAMMA = 0.25, 2.0


@dataclass
class Targets:
    """Targets of a picture: boxes [M, 4] (cx cy w h in 0..1), positive bool [M, T] (own tokens)."""

    boxes: Tensor
    positive: Tensor


def iou_giou(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """IoU and generalised IoU of boxes x0 y0 x1 y1 that broadcast against each other."""
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    inner = (high - low).clamp(min=0).prod(-1)
    area_a, area_b = (a[..., 2:] - a[..., :2]).prod(-1), (b[..., 2:] - b[..., :2]).prod(-1)
    union = area_a + area_b - inner
    iou = inner / union.clamp(min=1e-7)
    hull = (torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])).prod(-1)
    return iou, iou - (hull - union) / hull.clamp(min=1e-7)


def focal(logits: Tensor, target: Tensor) -> Tensor:
    """Sigmoid focal loss, elementwise."""
    chance = logits.sigmoid()
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    wrong = chance * (1 - target) + (1 - chance) * target
    return (ALPHA * target + (1 - ALPHA) * (1 - target)) * wrong**GAMMA * loss


def match(logits: Tensor, boxes: Tensor, target: Targets, copies: int = 1) -> tuple[Tensor, Tensor]:
    """Cheapest assignment of each box, `copies` times over: (rows of predictions, rows of boxes).

    logits [N, T] finite, boxes [N, 4].
    """
    if not len(target.boxes):
        empty = torch.zeros(0, dtype=torch.int64)
        return empty, empty
    chance = logits.sigmoid().clamp(1e-6, 1 - 1e-6)
    yes = ALPHA * (1 - chance) ** GAMMA * -chance.log()
    no = (1 - ALPHA) * chance**GAMMA * -(1 - chance).log()
    own = target.positive.float()
    cost = CLASS * ((yes - no) @ (own / own.sum(1, keepdim=True)).T)
    cost = cost + L1 * torch.cdist(boxes, target.boxes, p=1)
    cost = cost - GIOU * iou_giou(corners(boxes)[:, None], corners(target.boxes)[None])[1]
    table = np.repeat(cost.numpy(), copies, axis=1)
    rows, columns = linear_sum_assignment(table)
    return torch.from_numpy(rows), torch.from_numpy(columns // copies)


def detection_loss(
    logits: Tensor, boxes: Tensor, text_mask: Tensor, targets: list[Targets], copies: int = 1
) -> tuple[Tensor, list[tuple[Tensor, Tensor]], dict[str, float]]:
    """Loss of one layer: logits [B, N, T], boxes [B, N, 4], text_mask bool [B, T].

    Returns the weighted sum, the matches per picture, and its parts for display.
    """
    logits = logits.float().masked_fill(~text_mask[:, None], -30.0)
    with torch.no_grad():
        matches = [match(logits[i], boxes[i], target, copies) for i, target in enumerate(targets)]
    wanted = torch.zeros_like(logits)
    for i, (rows, columns) in enumerate(matches):
        wanted[i, rows] = targets[i].positive[columns].float()
    count = max(1, sum(len(t.boxes) for t in targets)) * copies
    named = (focal(logits, wanted) * text_mask[:, None]).sum() / count
    guess = torch.cat([boxes[i, rows] for i, (rows, _) in enumerate(matches)])
    truth = torch.cat([targets[i].boxes[columns] for i, (_, columns) in enumerate(matches)])
    if len(guess):
        place = F.l1_loss(guess, truth, reduction="sum") / count
        overlap = (1 - iou_giou(corners(guess), corners(truth))[1]).sum() / count
    else:
        place = overlap = boxes.sum() * 0
    total = CLASS * named + L1 * place + GIOU * overlap
    return (
        total,
        matches,
        {
            "class": float(named.detach()),
            "l1": float(place.detach()),
            "giou": float(overlap.detach()),
        },
    )


def vocabulary_loss(queries: Tensor, phrases: Tensor, positive: Tensor, usable: Tensor) -> Tensor:
    """Softmax over many phrases for queries that found an object.

    queries [M, D], phrases [K, D], positive and usable bool [M, K]: minus the log of the share
    that the object's own phrases have among the usable ones; mean over M.
    """
    if not len(queries):
        return phrases.sum() * 0
    logits = (queries @ phrases.T).float()
    everything = logits.masked_fill(~(usable | positive), -1e4).logsumexp(-1)
    own = logits.masked_fill(~positive, -1e4).logsumexp(-1)
    return (everything - own).mean()


def teacher_loss(queries: Tensor, phrases: Tensor, guess: Tensor) -> Tensor:
    """Cross entropy with a classifier's opinion.

    queries [M, D], phrases [K, D], guess float [M, K]: the classifier's shares of these kinds, sum
    at most 1; a crop that it has no opinion on counts little.
    """
    if not len(queries):
        return phrases.sum() * 0
    logits = (queries @ phrases.T).float().log_softmax(-1)
    return -(guess * logits).sum() / max(1, len(queries))
