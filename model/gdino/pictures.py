# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Pictures of any kind and size, placed on the canvas of a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from PIL.Image import Image

MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV")
LARGEST_SIDE = 65536
# What the published image processor scales to, before rounding.
SHORTEST_EDGE = 800
LONGEST_EDGE = 1333
STEP = 32


class PictureError(ValueError):
    """A picture cannot be used; the message says what was found and wanted."""


@dataclass(frozen=True)
class Letterbox:
    """Where a picture of `size` (width, height) lies on a canvas, all in pixels."""

    canvas: tuple[int, int]
    size: tuple[int, int]
    x: int
    y: int
    width: int
    height: int

    def to_picture(self, boxes: np.ndarray) -> np.ndarray:
        """[Q,4] centre and size in 0..1 of the canvas -> float32 [Q,4] corners in the picture."""
        with np.errstate(invalid="ignore", over="ignore"):
            values = boxes.astype(np.float64)
            half = values[:, 2:] / 2
            corners = np.concatenate([values[:, :2] - half, values[:, :2] + half], axis=1)
            corners = corners * (self.canvas * 2) - (self.x, self.y, self.x, self.y)
            corners *= (self.size[0] / self.width, self.size[1] / self.height) * 2
            return np.clip(corners, 0, self.size * 2).astype(np.float32)


def letterbox(size: tuple[int, int], canvas: tuple[int, int]) -> Letterbox:
    """Place a picture of `size` (width, height) in the middle of `canvas`, shape kept."""
    (width, height), (wide, high) = size, canvas
    # Whole numbers, halves rounded up: the same as in the C library.
    if height * wide <= width * high:
        new = (wide, min(high, max(1, (2 * height * wide + width) // (2 * width))))
    else:
        new = (min(wide, max(1, (2 * width * high + height) // (2 * height))), high)
    return Letterbox(canvas, size, (wide - new[0]) // 2, (high - new[1]) // 2, *new)


def place(picture: Image, canvas: tuple[int, int], colour: tuple[int, int, int]) -> tuple:
    """Scale `picture` onto a canvas of `colour`: uint8 tensor [1,H,W,3] and its Letterbox."""
    from PIL import Image

    where = letterbox(picture.size, canvas)
    if (where.width, where.height) != picture.size:
        picture = picture.resize((where.width, where.height), Image.Resampling.BILINEAR)
    board = np.empty((canvas[1], canvas[0], 3), dtype=np.uint8)
    board[:] = colour
    board[where.y : where.y + where.height, where.x : where.x + where.width] = np.asarray(picture)
    return torch.from_numpy(board)[None], where


def recommended_canvas(size: tuple[int, int]) -> tuple[int, int]:
    """Canvas for pictures of `size`: as the published processor scales, in steps of 32."""
    short, long = min(size), max(size)
    scale = min(SHORTEST_EDGE / short, LONGEST_EDGE / long)
    return tuple(max(STEP, round(side * scale / STEP) * STEP) for side in size)


def as_pictures(images: object) -> tuple[list[Image], bool]:
    """RGB pictures of whatever was given, and whether it was a single one.

    PIL images; arrays uint8 [H,W,3]; tensors uint8 or float in 0..1, [3,H,W], or uint8 [H,W,3];
    arrays and tensors with one more dimension in front, or lists of all these, are several.
    """
    if isinstance(images, (list, tuple)):
        if not images:
            raise PictureError("images are an empty list, wanted: at least one picture")
        return [_picture(item, f"image {index}") for index, item in enumerate(images)], False
    if isinstance(images, (np.ndarray, Tensor)) and images.ndim == 4:
        if len(images) == 0:
            raise PictureError(f"images are {list(images.shape)}, wanted: at least one picture")
        return [_picture(item, f"image {index}") for index, item in enumerate(images)], False
    return [_picture(images, "image")], True


def _picture(item: object, name: str) -> Image:
    from PIL import Image

    if isinstance(item, Image.Image):
        if item.mode not in MODES:
            raise PictureError(f"{name} is a PIL image of mode {item.mode}, wanted: RGB")
        _check_size(name, item.size)
        return item if item.mode == "RGB" else item.convert("RGB")
    if isinstance(item, Tensor):
        item = _tensor_pixels(item, name)
    if not isinstance(item, np.ndarray):
        hint = " (open files with PIL.Image.open)" if isinstance(item, (str, bytes)) else ""
        raise PictureError(
            f"{name} is a {type(item).__name__}, wanted: a PIL image, array or tensor{hint}"
        )
    if item.dtype != np.uint8 or item.ndim != 3 or item.shape[2] != 3:
        raise PictureError(
            f"{name} is an array {list(item.shape)} of {item.dtype}, wanted: [H,W,3] of uint8"
        )
    _check_size(name, (item.shape[1], item.shape[0]))
    return Image.fromarray(np.ascontiguousarray(item))


def _tensor_pixels(item: Tensor, name: str) -> np.ndarray:
    """uint8 [H,W,3] of a tensor."""
    item = item.detach().cpu()
    if item.dim() != 3 or 3 not in (item.shape[0], item.shape[2]):
        raise PictureError(f"{name} is a tensor {list(item.shape)}, wanted: [3,H,W]")
    if item.shape[0] == 3:
        item = item.permute(1, 2, 0)
    if item.is_floating_point():
        # Also false for NaN.
        if item.numel() and not ((item >= 0) & (item <= 1)).all():
            raise PictureError(
                f"{name} holds NaN or values outside 0 to 1, wanted: 0 to 1, not yet normalised"
            )
        item = (item * 255).round().to(torch.uint8)
    if item.dtype is not torch.uint8:
        raise PictureError(f"{name} is a tensor of {item.dtype}, wanted: uint8, or float in 0 to 1")
    return item.numpy()


def _check_size(name: str, size: tuple[int, int]) -> None:
    if not all(1 <= side <= LARGEST_SIDE for side in size):
        raise PictureError(
            f"{name} is {size[0]}x{size[1]}, wanted: sides from 1 to {LARGEST_SIDE} pixels"
        )
