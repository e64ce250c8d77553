# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Forms of boxes, and constant tables of a fixed canvas: positions, reference points, proposals."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def corners(boxes: Tensor) -> Tensor:
    """Centre and size [...,4] -> low and high corner [...,4]."""
    half = boxes[..., 2:] / 2
    return torch.cat((boxes[..., :2] - half, boxes[..., :2] + half), -1)


def sine_features(position: Tensor, count: int, temperature: float) -> Tensor:
    """Map positions [..., n] to sines and cosines, interleaved: [..., n * count] float32."""
    exponent = torch.arange(0, count, 2, dtype=torch.float32, device=position.device) / count
    angle = position[..., None] * (2 * math.pi) / temperature**exponent
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-3)


def map_position(height: int, width: int, d_model: int, temperature: float) -> Tensor:
    """Sine position embedding of one feature map without padding: [height * width, d_model]."""
    rows = torch.arange(1, height + 1, dtype=torch.float32) / (height + 1e-6)
    columns = torch.arange(1, width + 1, dtype=torch.float32) / (width + 1e-6)
    half = d_model // 2
    by_row = sine_features(rows[:, None], half, temperature)
    by_column = sine_features(columns[:, None], half, temperature)
    grid = torch.cat(
        (
            by_row[:, None, :].expand(height, width, half),
            by_column[None, :, :].expand(height, width, half),
        ),
        dim=-1,
    )
    return grid.reshape(height * width, d_model)


def reference_points(shapes: list[tuple[int, int]]) -> Tensor:
    """Centres of all cells of all maps: [N, 2] as x, y in 0..1."""
    points = []
    for height, width in shapes:
        y = (torch.arange(height, dtype=torch.float32) + 0.5) / height
        x = (torch.arange(width, dtype=torch.float32) + 0.5) / width
        grid_y, grid_x = torch.meshgrid(y, x, indexing="ij")
        points.append(torch.stack((grid_x.reshape(-1), grid_y.reshape(-1)), dim=-1))
    return torch.cat(points)


def proposals(shapes: list[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """Box proposals of the encoder.

    Returns [N, 4] boxes before the sigmoid, infinite where a proposal touches the border, and
    the bool [N, 1] table of usable ones.
    """
    centres = reference_points(shapes)
    sizes = torch.cat(
        [torch.full((h * w, 2), 0.05 * 2.0**level) for level, (h, w) in enumerate(shapes)]
    )
    boxes = torch.cat((centres, sizes), dim=-1)
    valid = ((boxes > 0.01) & (boxes < 0.99)).all(-1, keepdim=True)
    logits = torch.log(boxes / (1 - boxes)).masked_fill(~valid, float("inf"))
    return logits, valid
