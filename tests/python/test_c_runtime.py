# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The C library runs a really compiled package on the real libtorch.

The C code runs as the program tests/tools/run-package of the build folder; its
numbers are compared with those of the network in PyTorch.
"""

from __future__ import annotations

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
PROMPT = "A red Car. traffic light. dog?"


@pytest.fixture(scope="module")
def package(
    tiny_checkpoint: Path,
    tmp_path_factory: pytest.TempPathFactory,
    compile_checkpoint: Callable[..., Path],
) -> Path:
    """The tiny checkpoint, compiled."""
    output = tmp_path_factory.mktemp("runtime") / "package"
    return compile_checkpoint(tiny_checkpoint, output)


@pytest.fixture(scope="module")
def driver(build_dir: Path) -> Path:
    path = build_dir / "tests" / "tools" / "run-package"
    assert path.is_file(), f"{path} is not built"
    return path


@pytest.fixture
def run(
    driver: Path, tmp_path: Path, picture: torch.Tensor
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the driver on the picture: (package, rounds, environment) -> result."""
    canvas = tmp_path / "canvas.rgb"
    canvas.write_bytes(picture.numpy().tobytes())

    def call(
        package: Path, rounds: int = 1, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        clean = {k: v for k, v in os.environ.items() if k != "GDINO_TORCH_LIB_DIR"}
        return subprocess.run(
            [driver, package, PROMPT, canvas, tmp_path / "out", str(rounds)],
            capture_output=True,
            text=True,
            env={**clean, "OMP_NUM_THREADS": "1", **environment},
            timeout=120,
        )

    return call


def edit(package: Path, target: Path, change: Callable[[dict], None]) -> Path:
    """A copy of the package with another manifest."""
    shutil.copytree(package, target)
    manifest = json.loads((target / "manifest.json").read_text())
    change(manifest)
    (target / "manifest.json").write_text(json.dumps(manifest))
    return target


def test_same_as_the_network(
    package: Path,
    tiny_checkpoint: Path,
    vocabulary: Vocabulary,
    picture: torch.Tensor,
    tmp_path: Path,
    run: Callable[..., subprocess.CompletedProcess[str]],
    detect: Callable[..., tuple[torch.Tensor, torch.Tensor]],
) -> None:
    done = run(package)
    assert done.returncode == 0, done.stderr
    library = done.stdout.splitlines()[0]
    noted = json.loads((package / "manifest.json").read_text())["torch"]["library_dir"]
    # Debian keeps links to its libraries in the folder that torch names.
    assert Path(library).resolve() == (Path(noted) / "libtorch_cpu.so").resolve()

    values = numpy.fromfile(tmp_path / "out", dtype=numpy.float32)
    logits = values[: QUERIES * TOKENS].reshape(QUERIES, TOKENS)
    boxes = values[QUERIES * TOKENS :].reshape(QUERIES, 4)
    network = GroundingDino.from_folder(tiny_checkpoint, canvas=CANVAS).eval()
    expected = detect(network, picture, encode_prompt(PROMPT, vocabulary, TOKENS))
    wanted = expected[0][0].numpy()
    # Queries of equal rank may change places: pair them by their boxes.
    distance = numpy.abs(boxes[:, None] - expected[1][0].numpy()[None]).max(-1)
    order = distance.argmin(1)
    assert sorted(order) == list(range(QUERIES))
    assert distance[range(QUERIES), order].max() < 1e-3
    assert (numpy.isinf(logits) == numpy.isinf(wanted[order])).all()
    finite = numpy.isfinite(logits)
    assert finite.any() and not finite.all()
    assert numpy.abs(logits[finite] - wanted[order][finite]).max() < 1e-2


def test_opened_again_and_again(
    package: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A new engine 5 and 105 times: same numbers, and the memory stays."""
    few, many = run(package, 5), run(package, 105)
    assert few.returncode == 0 and many.returncode == 0, few.stderr + many.stderr
    growth = int(many.stdout.splitlines()[1]) - int(few.stdout.splitlines()[1])
    # 100 times the weights of the text graph alone would be 400 MB.
    assert growth < 40 * 1024, f"{growth} KiB more after 100 rounds"


def test_folder_from_the_environment(
    package: Path, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    noted = json.loads((package / "manifest.json").read_text())["torch"]["library_dir"]

    def forget(manifest: dict) -> None:
        manifest["torch"]["library_dir"] = "/nonexistent/lib"

    moved = edit(package, tmp_path / "moved", forget)
    done = run(moved, GDINO_TORCH_LIB_DIR=noted)
    assert done.returncode == 0, done.stderr


def test_other_torch_version(
    package: Path, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    def older(manifest: dict) -> None:
        manifest["torch"]["version"] = "2.5.1"

    done = run(edit(package, tmp_path / "older", older))
    assert done.returncode == 1
    assert "2.5.1" in done.stderr
    assert torch.__version__.split("+")[0].rsplit(".", 1)[0] in done.stderr


def test_graph_of_other_shape(
    package: Path, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A manifest that speaks of more queries than the real graph gives."""

    def more(manifest: dict) -> None:
        manifest["queries"] = QUERIES + 1
        for output in manifest["graphs"]["frame"]["outputs"]:
            output["shape"][1] = QUERIES + 1

    done = run(edit(package, tmp_path / "more", more))
    assert done.returncode == 1
    assert "output logits: found shape [1, 20, 16], wanted [1, 21, 16]" in done.stderr


def test_graphs_exchanged(
    package: Path, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    def exchange(manifest: dict) -> None:
        manifest["graphs"]["text"]["file"] = "frame.so"
        manifest["graphs"]["frame"]["file"] = "text.so"

    done = run(edit(package, tmp_path / "exchanged", exchange))
    assert done.returncode == 1
    assert "found 5 inputs and 2 outputs, wanted 3 and 2" in done.stderr
