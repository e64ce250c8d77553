# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The canvas that the element makes, against the reference's preprocessing.

The reference is what transformers' image processor does: Pillow's bilinear scaling, which averages
when it shrinks, then ImageNet's mean and deviation. Differences are mean absolute ones in those
normalised units, over the picture's part of the canvas.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PICTURES = [*sorted((ROOT / "tests/data/photos").glob("*.jpg")), ROOT / "tests/data/still.jpg"]
MAKE_CANVAS = ROOT / "build/meson/tests/tools/make-canvas"
DEVIATION = numpy.array([0.229, 0.224, 0.225]) * 255

# Wanted is 0.02 everywhere. These are a little above the largest of all pictures; docs/element.md
# has the means. What files differ by is the decoders' doing.
SHRUNK, ENLARGED = (448, 256), (960, 544)
LIMITS = {
    ("rgb", SHRUNK): 0.010,
    ("rgb", ENLARGED): 0.007,
    ("yuv", SHRUNK): 0.013,
    ("yuv", ENLARGED): 0.011,
    ("file", SHRUNK): 0.020,
    ("file", ENLARGED): 0.020,
}


def canvas(size: tuple[int, int], path: Path, folder: Path, caps: str = "") -> numpy.ndarray:
    """The picture's part of the element's canvas for a file, or for raw bytes with caps."""
    output = folder / "canvas.rgb"
    command = [MAKE_CANVAS, *map(str, size), path, output, *([caps] if caps else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    x, y, width, height = map(int, done.stdout.split())
    pixels = numpy.fromfile(output, numpy.uint8).reshape(size[1], size[0], 3)
    return pixels[y : y + height, x : x + width]


def difference(found: numpy.ndarray, wanted: numpy.ndarray) -> float:
    return float((numpy.abs(found.astype(float) - wanted) / DEVIATION).mean())


def scaled(image: numpy.ndarray, like: numpy.ndarray) -> numpy.ndarray:
    """Pillow's bilinear scaling of float channels to the size of another picture."""
    size = (like.shape[1], like.shape[0])
    channels = [
        numpy.asarray(Image.fromarray(channel).resize(size, Image.Resampling.BILINEAR))
        for channel in numpy.moveaxis(image.astype(numpy.float32), -1, 0)
    ]
    return numpy.stack(channels, -1)


def rows(plane: numpy.ndarray) -> bytes:
    """Rows of bytes, padded to four as GStreamer lays them out."""
    return numpy.pad(plane, ((0, 0), (0, -plane.shape[1] % 4))).tobytes()


def doubled(plane: numpy.ndarray) -> numpy.ndarray:
    """Twice the size each way, samples in the middle of four pixels, linear in between."""
    for axis in (0, 1):
        n = plane.shape[axis]
        padded = numpy.take(plane, numpy.clip(numpy.arange(-1, n + 1), 0, n - 1), axis)
        before, here, after = (numpy.take(padded, range(i, n + i), axis) for i in range(3))
        pair = numpy.stack([0.75 * here + 0.25 * before, 0.75 * here + 0.25 * after], axis + 1)
        plane = pair.reshape(*plane.shape[:axis], 2 * n, *plane.shape[axis + 1 :])
    return plane


def to_yuv(rgb: numpy.ndarray) -> tuple[numpy.ndarray, ...]:
    """Full-range BT.601 with one colour sample for four pixels."""
    red, green, blue = numpy.moveaxis(rgb.astype(float), -1, 0)
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    height, width = luma.shape
    chroma = [(blue - luma) / 1.772 + 128, (red - luma) / 1.402 + 128]
    fewer = [c.reshape(height // 2, 2, width // 2, 2).mean((1, 3)) for c in chroma]
    return tuple(numpy.clip(p.round(), 0, 255).astype(numpy.uint8) for p in (luma, *fewer))


def to_rgb(luma: numpy.ndarray, u: numpy.ndarray, v: numpy.ndarray) -> numpy.ndarray:
    """Back, in floating point."""
    luma, u, v = luma.astype(float), doubled(u.astype(float)) - 128, doubled(v.astype(float)) - 128
    rgb = [luma + 1.402 * v, luma - 0.344136 * u - 0.714136 * v, luma + 1.772 * u]
    return numpy.clip(numpy.stack(rgb, -1), 0, 255)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    if not MAKE_CANVAS.exists():
        pytest.fail(f"{MAKE_CANVAS} is not built: run make build first")


@pytest.mark.parametrize("size", [SHRUNK, ENLARGED], ids=["shrunk", "enlarged"])
@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_canvas(path: Path, size: tuple[int, int], tmp_path: Path) -> None:
    with Image.open(path) as file:
        image = numpy.asarray(file.convert("RGB"))
    height, width = (n // 2 * 2 for n in image.shape[:2])
    image = image[:height, :width]
    raw = tmp_path / "frame.raw"
    frame = f"width={width},height={height},framerate=1/1"

    raw.write_bytes(rows(image.reshape(height, 3 * width)))
    found = canvas(size, raw, tmp_path, f"video/x-raw,format=RGB,{frame}")
    wanted = numpy.rint(scaled(image, found))
    assert difference(found, wanted) <= LIMITS["rgb", size]

    # The same pixels for both: those that are left once colours share samples.
    planes = to_yuv(image)
    raw.write_bytes(b"".join(rows(plane) for plane in planes))
    colours = "colorimetry=(string)1:4:0:0,chroma-site=(string)jpeg"
    found = canvas(size, raw, tmp_path, f"video/x-raw,format=I420,{frame},{colours}")
    assert difference(found, scaled(to_rgb(*planes), found)) <= LIMITS["yuv", size]


@pytest.mark.parametrize("size", [SHRUNK, ENLARGED], ids=["shrunk", "enlarged"])
@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_file(path: Path, size: tuple[int, int], tmp_path: Path) -> None:
    """From the file on: GStreamer's decoder here, Pillow's there."""
    with Image.open(path) as file:
        image = numpy.asarray(file.convert("RGB"))
    found = canvas(size, path, tmp_path)
    assert difference(found, scaled(image, found)) <= LIMITS["file", size]


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    with Image.open(PICTURES[0]) as file:
        image = numpy.asarray(file.convert("RGB"))
    found = canvas(SHRUNK, PICTURES[0], tmp_path)
    wanted = scaled(image, found)
    assert difference(numpy.roll(found, 1, 1), wanted) > LIMITS["file", SHRUNK]
    assert difference(found[..., ::-1], wanted) > LIMITS["file", SHRUNK]
