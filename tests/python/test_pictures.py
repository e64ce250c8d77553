# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Pictures of every kind end as the same pixels on the canvas; what is none is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from gdino.pictures import PictureError, as_pictures, letterbox, place, recommended_canvas

STILL = Path(__file__).parents[1] / "data" / "still.jpg"


@pytest.fixture(scope="module")
def pixels() -> np.ndarray:
    """uint8 [40,60,3]"""
    return np.random.default_rng(3).integers(0, 256, (40, 60, 3), dtype=np.uint8)


def test_every_kind_gives_the_same_pixels(pixels: np.ndarray) -> None:
    tensor = torch.from_numpy(pixels)
    chw = tensor.permute(2, 0, 1)
    kinds = [
        pixels,
        pixels[::-1][::-1],
        Image.fromarray(pixels),
        Image.fromarray(pixels).convert("RGBA"),
        tensor,
        chw,
        chw.float() / 255,
        (chw.double() / 255).requires_grad_(),
    ]
    for kind in kinds:
        pictures, single = as_pictures(kind)
        assert single and len(pictures) == 1
        np.testing.assert_array_equal(np.asarray(pictures[0]), pixels)
    for several in (kinds, np.stack([pixels, pixels]), torch.stack([chw, chw])):
        pictures, single = as_pictures(several)
        assert not single and len(pictures) == len(several)
        for picture in pictures:
            np.testing.assert_array_equal(np.asarray(picture), pixels)


def test_grey_pictures_become_rgb() -> None:
    grey = Image.new("L", (5, 4), 77)
    assert np.asarray(as_pictures(grey)[0][0]).tolist() == [[[77] * 3] * 5] * 4


@pytest.mark.parametrize(
    "given, message",
    [
        ("photo.jpg", "is a str.*PIL.Image.open"),
        (None, "is a NoneType"),
        ([], "empty list"),
        ([np.zeros((4, 4, 3), np.uint8), 3], "image 1 is a int"),
        (np.zeros((4, 4), np.uint8), r"\[4, 4\] of uint8, wanted: \[H,W,3\]"),
        (np.zeros((4, 4, 4), np.uint8), r"\[4, 4, 4\]"),
        (np.zeros((4, 4, 3), np.float32), "float32, wanted"),
        (np.zeros((0, 4, 3), np.uint8), "image is 4x0"),
        (np.zeros((0, 4, 4, 3), np.uint8), "at least one picture"),
        (torch.zeros(2, 4, 4), r"tensor \[2, 4, 4\], wanted: \[3,H,W\]"),
        (torch.zeros(3, 4, 4, dtype=torch.int32), "torch.int32"),
        (torch.full((3, 4, 4), float("nan")), "NaN"),
        (torch.full((3, 4, 4), 2.1), "not yet normalised"),
        (torch.full((3, 4, 4), -0.1), "not yet normalised"),
        (Image.new("F", (4, 4)), "mode F"),
        (Image.new("I;16", (4, 4)), "mode I;16"),
    ],
)
def test_refused(given: object, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        as_pictures(given)


@pytest.mark.parametrize(
    "size, canvas, wanted",
    [
        ((1280, 720), (448, 256), (0, 2, 448, 252)),
        ((640, 480), (256, 256), (0, 32, 256, 192)),
        ((480, 854), (448, 256), (152, 0, 144, 256)),
        ((61, 43), (448, 256), (42, 0, 363, 256)),
        ((1, 65536), (448, 256), (223, 0, 1, 256)),
        ((448, 256), (448, 256), (0, 0, 448, 256)),
    ],
)
def test_letterbox(size: tuple, canvas: tuple, wanted: tuple) -> None:
    found = letterbox(size, canvas)
    assert (found.x, found.y, found.width, found.height) == wanted


def test_boxes_come_back_to_the_picture() -> None:
    where = letterbox((640, 480), (256, 256))
    # The whole picture, and a box that reaches into the border below it.
    boxes = np.array([[0.5, 0.5, 1, 0.75], [0.5, 0.9, 0.5, 0.2]])
    np.testing.assert_allclose(
        where.to_picture(boxes), [[0, 0, 640, 480], [160, 432, 480, 480]], atol=1e-3
    )


def test_placed_in_the_middle_on_the_colour() -> None:
    board, where = place(Image.new("RGB", (64, 32), (9, 8, 7)), (64, 64), (1, 2, 3))
    assert board.shape == (1, 64, 64, 3) and board.dtype is torch.uint8
    assert (where.y, where.height) == (16, 32)
    assert (board[0, 16:48] == torch.tensor([9, 8, 7])).all()
    assert (board[0, :16] == torch.tensor([1, 2, 3])).all()
    assert (board[0, 48:] == torch.tensor([1, 2, 3])).all()


@pytest.mark.parametrize(
    "size, wanted",
    [
        ((640, 480), (1056, 800)),
        ((1920, 1080), (1344, 736)),
        ((1080, 1920), (736, 1344)),
        ((5000, 10), (1344, 32)),
    ],
)
def test_recommended_canvas(size: tuple, wanted: tuple) -> None:
    assert recommended_canvas(size) == wanted


def test_scaled_as_the_reference_does() -> None:
    reference = pytest.importorskip("reference", reason="needs transformers 4.57")
    assert reference
    from transformers import GroundingDinoImageProcessor

    still = Image.open(STILL).convert("RGB")
    size = (still.width // 2, still.height // 2)
    processor = GroundingDinoImageProcessor(
        size={"height": size[1], "width": size[0]}, do_pad=False
    )
    wanted = processor(still, return_tensors="np")["pixel_values"][0].transpose(1, 2, 0)
    board, where = place(still, size, (0, 0, 0))
    assert (where.x, where.y, where.width, where.height) == (0, 0, *size)
    mean, deviation = np.array(processor.image_mean), np.array(processor.image_std)
    found = (board[0].numpy() / 255 - mean) / deviation
    np.testing.assert_allclose(found, wanted, atol=1e-5)
