#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Finds what several prompts name in a picture; the model of transformers is compiled once.

    python examples/python/compile_transformers.py IDEA-Research/grounding-dino-tiny \\
        photo.jpg "a cat. a remote control." "a sofa. a blanket. a window."

Needs torch, transformers 4.57, pillow, and this project's model/ on PYTHONPATH or installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from PIL import Image
from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

from gdino import CompilableGroundingDINO


def parse_size(text: str) -> tuple[int, int]:
    """(width, height) of a text such as 960x544."""
    width, _, height = text.partition("x")
    return int(width), int(height)


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint", help="folder, or name on the Hugging Face hub")
    parser.add_argument("picture", type=Path)
    parser.add_argument("prompts", nargs="+", metavar="PROMPT", help='such as "a cat. a dog."')
    parser.add_argument("--size", type=parse_size, help="what the network sees, such as 960x544")
    parser.add_argument("--text-tokens", type=int, default=256)
    parser.add_argument("--threshold", type=float, default=0.3)
    parser.add_argument("--backend", default="inductor", help="backend of torch.compile")
    options = parser.parse_args(arguments)

    processor = AutoProcessor.from_pretrained(options.checkpoint)
    model = AutoModelForZeroShotObjectDetection.from_pretrained(options.checkpoint)
    try:
        detect = CompilableGroundingDINO(
            options.text_tokens,
            tokenizer=processor,
            size=options.size,
            backend=options.backend,
        ).compile(model)
        picture = Image.open(options.picture)
        for prompt in options.prompts:
            start = time.perf_counter()
            found = detect(picture, prompt, threshold=options.threshold)
            # The first includes the compilation; a new prompt costs its text part only.
            print(f"{prompt}: {time.perf_counter() - start:.2f} s")
            for score, label, box in zip(
                found["scores"].tolist(), found["labels"], found["boxes"].tolist(), strict=True
            ):
                print(f"  {score:.2f} {label} {[round(edge) for edge in box]}")
    except (OSError, ValueError) as error:
        print(f"compile_transformers: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
