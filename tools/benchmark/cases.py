# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What is measured: checkpoint, size, prompt, and which engines take part."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FRAME = "frame"
"""Work of one frame; the prompt's features are known. The unit of a video."""
WHOLE = "whole"
"""The whole model with its text encoder, as one calls the published code for a single picture."""


@dataclass(frozen=True)
class Case:
    """One comparison: every engine does the same work with the same weights and inputs."""

    name: str
    title: str
    checkpoint: str
    """A name of `networks.MAKERS`, or a folder of the tree."""
    canvas: tuple[int, int]
    """Width and height in pixels."""
    tokens: int
    prompt: str
    work: str
    engines: tuple[str, ...]
    pictures: str = ""
    """Folder of photographs on which boxes are compared; none: the timed picture only."""
    threshold: float | None = None
    """Boxes from this score count in the comparison; none: the `STRONGEST` of the reference."""

    @property
    def frame_only(self) -> bool:
        """Whether the prompt's features are an input."""
        return self.work == FRAME


STRONGEST = 100
PROMPT = "a cat. red car. a dog. person."
ANIMALS = "cat. dog. cow. horse. sheep. chicken. duck. pig. owl. giraffe. koala. hedgehog. cup."

PUBLISHED = ("eager", "compile", "aoti", "onnxruntime", "openvino-f32", "openvino-bf16")
OURS = ("ours-fp32", "ours-fp32-c", "ours-bf16", "ours-bf16-c")
# The first is the anchor of every group.
ALL = ("ours-fp32", "openvino-f32", "onnxruntime", "eager", "openvino-bf16", "ours-bf16")
ALL += ("aoti", "ours-fp32-c", "ours-bf16-c", "compile")
FEWER = tuple(name for name in ALL if name != "compile")

CASES = {
    case.name: case
    for case in (
        Case(
            "tiny-256",
            "Grounding DINO tiny (Swin-T), 960x544, 256 text tokens, work of one frame",
            "swin-tiny",
            (960, 544),
            256,
            PROMPT,
            FRAME,
            ALL,
        ),
        Case(
            "tiny-64",
            "Grounding DINO tiny (Swin-T), 960x544, 64 text tokens, work of one frame",
            "swin-tiny",
            (960, 544),
            64,
            PROMPT,
            FRAME,
            FEWER,
        ),
        Case(
            "default",
            "the default model, 448x256, 64 text tokens, work of one frame",
            "models/default",
            (448, 256),
            64,
            ANIMALS,
            FRAME,
            ALL,
            pictures="tests/data/photos",
            threshold=0.3,
        ),
        Case(
            "tiny-whole",
            "Grounding DINO tiny (Swin-T), 960x544, 256 text tokens, with the text encoder",
            "swin-tiny",
            (960, 544),
            256,
            PROMPT,
            WHOLE,
            ("ours-fp32", "openvino-f32", "onnxruntime", "eager", "aoti", "ours-fp32-c"),
        ),
        Case(
            "quick",
            "a network of a few thousand weights: shows that the bench works, nothing else",
            "smallest",
            (128, 96),
            32,
            PROMPT,
            FRAME,
            ALL,
        ),
    )
}
USUAL = ("tiny-256", "tiny-64", "default", "tiny-whole")


def child_environment(threads: int, cache: Path) -> dict[str, str]:
    """Environment of every process of an engine."""
    path = [str(ROOT / "tools"), str(ROOT / "model")]
    if os.environ.get("PYTHONPATH"):
        path.append(os.environ["PYTHONPATH"])
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "OMP_NUM_THREADS": str(threads),
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        "TOKENIZERS_PARALLELISM": "false",
    }
