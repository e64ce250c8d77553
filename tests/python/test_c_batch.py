# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""A really compiled package for two frames a run: the C library and gdino-inspect on it.

The numbers are compared with those of the network in PyTorch, frame by frame.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
import torch

from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

CANVAS = (128, 96)
TOKENS = 16
QUERIES = 20
PROMPTS = ("A red Car. traffic light. dog?", "a cat. person.")


@pytest.fixture(scope="module")
def package(
    tiny_checkpoint: Path,
    tmp_path_factory: pytest.TempPathFactory,
    compile_checkpoint: Callable[..., Path],
) -> Path:
    """The tiny checkpoint, compiled for two frames a run."""
    output = tmp_path_factory.mktemp("batch") / "package"
    return compile_checkpoint(tiny_checkpoint, output, "--batch", "2")


def inspect(build_dir: Path, *words: str | Path) -> tuple[int, dict]:
    """Exit status and JSON of gdino-inspect --verify."""
    done = subprocess.run(
        [build_dir / "apps" / "gdino-inspect", "--verify", "--json", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=120,
    )
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("count", [1, 2])
def test_same_as_the_network(
    count: int,
    package: Path,
    build_dir: Path,
    tiny_checkpoint: Path,
    vocabulary: Vocabulary,
    picture: torch.Tensor,
    tmp_path: Path,
    detect: Callable[..., tuple[torch.Tensor, torch.Tensor]],
) -> None:
    """Two pictures with a prompt each, and one alone: the other slot makes no difference."""
    pictures = (picture, picture.flip(2).contiguous())[:count]
    (tmp_path / "canvases").write_bytes(b"".join(p.numpy().tobytes() for p in pictures))
    done = subprocess.run(
        [
            *(build_dir / "tests" / "tools" / "run-package", package, "\n".join(PROMPTS)),
            *(tmp_path / "canvases", tmp_path / "out"),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    values = numpy.fromfile(tmp_path / "out", dtype=numpy.float32)
    logits = values[: count * QUERIES * TOKENS].reshape(count, QUERIES, TOKENS)
    boxes = values[count * QUERIES * TOKENS :].reshape(count, QUERIES, 4)
    network = GroundingDino.from_folder(tiny_checkpoint, canvas=CANVAS).eval()
    for slot in range(count):
        prompt = encode_prompt(PROMPTS[slot], vocabulary, TOKENS)
        expected = detect(network, pictures[slot], prompt)
        # Queries of equal rank may change places: pair them by their boxes.
        distance = numpy.abs(boxes[slot][:, None] - expected[1][0].numpy()[None]).max(-1)
        order = distance.argmin(1)
        assert sorted(order) == list(range(QUERIES))
        assert distance[range(QUERIES), order].max() < 1e-3
        wanted = expected[0][0].numpy()[order]
        finite = numpy.isfinite(wanted)
        assert (numpy.isfinite(logits[slot]) == finite).all() and finite.any()
        assert numpy.abs(logits[slot][finite] - wanted[finite]).max() < 1e-2


def test_inspect_verifies(package: Path, build_dir: Path) -> None:
    """The picture, the rules and the numbers of Python and C are the same."""
    status, found = inspect(build_dir, package)
    assert (status, found["problems"]) == (0, [])
    assert found["batch"] == 2 and found["probe"] == "probe.json"
    numbers = found["verify"]["numbers"]
    assert numbers["passed"] and numbers["pictures"] == 2 and numbers["found"] >= numbers["needed"]
    assert numbers["needed"] >= 1 and numbers["invalid"] == 0


def test_inspect_notices_other_numbers(package: Path, build_dir: Path, tmp_path: Path) -> None:
    """What a probe of another network says is not found."""
    copy = tmp_path / "package"
    shutil.copytree(package, copy)
    text = (copy / "probe.json").read_text()
    probe = json.loads(text)
    for entry in probe["detections"]:
        entry["box"] = [side / 2 for side in entry["box"]]
    (copy / "probe.json").write_text(json.dumps(probe))
    manifest = json.loads((copy / "manifest.json").read_text())
    data = (copy / "probe.json").read_bytes()
    manifest["files"]["probe.json"] = {
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    (copy / "manifest.json").write_text(json.dumps(manifest))
    status, found = inspect(build_dir, copy)
    assert status == 1
    numbers = found["verify"]["numbers"]
    assert not numbers["passed"] and numbers["found"] < numbers["needed"]
    assert numbers["missing"]["box_difference"] > numbers["box_tolerance"]
