# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The inputs that all engines of a case get, as numpy arrays in files."""

from __future__ import annotations

from pathlib import Path

import numpy

from benchmark.cases import ROOT, Case


def write_inputs(case: Case, checkpoint: Path, folder: Path) -> None:
    """Write inputs.npz (pictures, prompt, features) and canvas.rgb into `folder`."""
    import torch

    from benchmark.published import Published
    from gdino.geometry import sine_features
    from gdino.prompt import encode_prompt
    from gdino.tokenizer import Vocabulary

    vocabulary = Vocabulary.from_file(checkpoint / "vocab.txt")
    prompt = encode_prompt(case.prompt, vocabulary, case.tokens)
    if prompt.dropped:
        raise ValueError(f"case {case.name}: the prompt does not fit: {prompt.dropped}")
    with torch.no_grad():
        model = Published(checkpoint, case, keep_text=True)
        features = model.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
        width = features.shape[-1]
        position = sine_features(prompt.positions[..., None].float(), width, 10000.0)
    # Scores of phrases come from their own tokens, not from the marks around them.
    words = torch.zeros_like(prompt.text_mask)
    for phrase in prompt.phrases:
        words[0, phrase.start : phrase.end] = True
    image = picture(*case.canvas)
    pictures = photographs(case) if case.pictures else image
    if case.pictures:
        image = pictures[:1]
    numpy.savez(
        folder / "inputs.npz",
        image=image,
        pictures=pictures,
        ids=prompt.ids.numpy(),
        positions=prompt.positions.numpy(),
        block_mask=prompt.block_mask.numpy(),
        text_mask=prompt.text_mask.numpy(),
        words=words.numpy(),
        features=features.numpy(),
        text_position=position.numpy(),
    )
    (folder / "canvas.rgb").write_bytes(numpy.ascontiguousarray(image).tobytes())


def picture(width: int, height: int) -> numpy.ndarray:
    """A picture uint8 [1,H,W,3] with slopes, edges and fine structure."""
    y, x = numpy.mgrid[0:height, 0:width]
    red = x * 255 // max(width - 1, 1)
    green = y * 255 // max(height - 1, 1)
    blue = numpy.minimum((x // 16 + y // 16) % 2 * 160 + (x * 7 + y * 13) % 64, 255)
    image = numpy.stack((red, green, blue), axis=-1).astype(numpy.uint8)
    h, w = height // 4, width // 5
    image[h : 3 * h, w : 2 * w] = (210, 60, 40)
    image[2 * h : 3 * h, 3 * w : 4 * w] = (30, 90, 200)
    return image[None]


def photographs(case: Case) -> numpy.ndarray:
    """The case's photographs uint8 [N,H,W,3], scaled into the canvas on grey."""
    from PIL import Image

    width, height = case.canvas
    found = []
    for path in sorted((ROOT / case.pictures).glob("*.jpg")):
        picture = Image.open(path).convert("RGB")
        scale = min(width / picture.width, height / picture.height)
        size = (round(picture.width * scale), round(picture.height * scale))
        canvas = Image.new("RGB", case.canvas, (127, 127, 127))
        canvas.paste(picture.resize(size, Image.Resampling.BILINEAR), (0, 0))
        found.append(numpy.asarray(canvas))
    return numpy.stack(found)


def read_inputs(folder: Path) -> dict[str, numpy.ndarray]:
    """The arrays that `write_inputs` stored."""
    with numpy.load(folder / "inputs.npz") as stored:
        return {name: stored[name] for name in stored.files}


def frame_inputs(case: Case, folder: Path) -> tuple[numpy.ndarray, ...]:
    """What the published code gets: image, text, positions, block mask, text mask."""
    stored = read_inputs(folder)
    text = stored["features"] if case.frame_only else stored["ids"]
    return (
        stored["image"],
        text,
        stored["positions"],
        stored["block_mask"],
        stored["text_mask"],
    )
