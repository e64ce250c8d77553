# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Small networks and the vocabulary for the tests of model/."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gdino.network import GroundingDino
from gdino.prompt import Prompt
from gdino.tiny import find_vocabulary, randomise, tiny_config, write_tiny
from gdino.tokenizer import Vocabulary
from gdino.verify import child_environment

CANVAS = (128, 96)
LONG_TEXT = 128

# The networks here are too small to share out; threads would only wait for each other.
torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def torch_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What torch finds out about compiler and processor, found out once for all tests."""
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))


@pytest.fixture(scope="session")
def vocabulary_file() -> Path:
    """vocab.txt of bert-base-uncased."""
    return find_vocabulary(None)


@pytest.fixture(scope="session")
def vocabulary(vocabulary_file: Path) -> Vocabulary:
    """The vocabulary of that file."""
    return Vocabulary.from_file(vocabulary_file)


@pytest.fixture(scope="session")
def networks(vocabulary: Vocabulary) -> Callable[[str], GroundingDino]:
    """Makes a tiny network by backbone name; positions for 128 text tokens."""
    made: dict[str, GroundingDino] = {}

    def make(backbone: str) -> GroundingDino:
        if backbone not in made:
            config = tiny_config(backbone, len(vocabulary), LONG_TEXT)
            text = replace(config.text_config, max_position_embeddings=LONG_TEXT)
            config = replace(config, text_config=text)
            made[backbone] = randomise(GroundingDino(config, CANVAS)).eval()
        return made[backbone]

    return make


@pytest.fixture(scope="session")
def network(networks: Callable[[str], GroundingDino]) -> GroundingDino:
    """The tiny network with the default model's kind of backbone."""
    return networks("efficientnet-lite")


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory, vocabulary_file: Path) -> Path:
    """Folder of a tiny checkpoint; copy it before changing it."""
    folder = tmp_path_factory.mktemp("checkpoint") / "tiny"
    write_tiny(folder, vocabulary=vocabulary_file, canvas=CANVAS)
    return folder


@pytest.fixture(scope="session")
def compile_checkpoint() -> Callable[..., Path]:
    """Runs gdino-compile on one thread: (checkpoint, package to make, options...) -> package."""

    def run(checkpoint: Path, output: Path, *options: str) -> Path:
        command = [sys.executable, "-m", "gdino.compile", str(checkpoint), "--output", str(output)]
        done = subprocess.run(
            [*command, "--threads", "1", *options],
            capture_output=True,
            text=True,
            env=child_environment(),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return output

    return run


@pytest.fixture(scope="session")
def picture() -> torch.Tensor:
    """A fixed noisy picture uint8 [1,96,128,3]."""
    generator = torch.Generator().manual_seed(7)
    return torch.randint(0, 256, (1, CANVAS[1], CANVAS[0], 3), generator=generator).to(torch.uint8)


@pytest.fixture(scope="session")
def detect() -> Callable[..., tuple[torch.Tensor, torch.Tensor]]:
    """Runs text and frame part of a network: (network, picture, prompt) -> logits, boxes."""

    def run(
        network: GroundingDino, image: torch.Tensor, prompt: Prompt
    ) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            text = network.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
            return network.forward_frame(image, *text, prompt.text_mask, prompt.block_mask)

    return run
