# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Frame graphs of several frames a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from gdino import compile as compiler
from gdino import native, probe, verify
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

CANVAS = (128, 96)


def test_pictures_differ() -> None:
    made = verify.pictures(*CANVAS, 4)
    assert made.shape == (4, 96, 128, 3) and made.dtype == torch.uint8
    assert torch.equal(made[:1], probe.gradient(*CANVAS))
    for i in range(4):
        for j in range(i):
            assert (made[i] != made[j]).float().mean() > 0.5


@pytest.mark.parametrize("backbone", ["efficientnet-lite", "swin"])
def test_frames_of_a_batch_do_not_mix(
    networks: Callable[[str], GroundingDino], vocabulary: Vocabulary, backbone: str
) -> None:
    network = networks(backbone)
    prompts = [encode_prompt(text, vocabulary, 16) for text in ("a cat.", "dog. zebra. tin can.")]
    frames = []
    with torch.no_grad():
        for i, picture in enumerate(verify.pictures(*CANVAS, 3)):
            p = prompts[i % 2]
            text = network.encode_text(p.ids, p.positions, p.block_mask)
            frames.append([picture[None], *text, p.text_mask, p.block_mask])
        together = network.forward_frame(*(torch.cat(parts) for parts in zip(*frames)))
        for i, inputs in enumerate(frames):
            found = tuple(value[i : i + 1] for value in together)
            assert max(verify.compare_frame(network, inputs, found)) < 1e-4


@pytest.fixture(scope="module")
def package(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of three frames a run, really compiled."""
    output = tmp_path_factory.mktemp("batch") / "three"
    arguments = [str(tiny_checkpoint), "-o", str(output), "--batch", "3", "--threads", "1", "-q"]
    assert compiler.main(arguments) == 0
    return output


def test_manifest(package: Path) -> None:
    manifest = json.loads((package / "manifest.json").read_text())
    assert manifest["batch"] == 3
    text, frame = manifest["graphs"]["text"], manifest["graphs"]["frame"]
    assert {item["shape"][0] for item in text["inputs"] + text["outputs"]} == {1}
    assert {item["shape"][0] for item in frame["inputs"] + frame["outputs"]} == {3}


@pytest.mark.parametrize("wrong", [None, 0, 2])
def test_every_frame_is_compared(
    package: Path,
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    wrong: int | None,
) -> None:
    """Graphs that are right, but for one box of one frame."""

    def graph(program: object, example: tuple, name: str, folder: Path, device: str) -> Path:
        folder.mkdir()
        path = folder / f"{name}.so"
        path.write_bytes((package / path.name).read_bytes())
        return path

    plain = verify.run_package

    def run(*arguments: object) -> dict[str, list[Tensor]]:
        results = plain(*arguments)
        if wrong is not None:
            results["frame"][1][wrong, 3, 2] += 0.01
        return results

    monkeypatch.setattr(native, "compile_graph", graph)
    monkeypatch.setattr(verify, "run_package", run)
    output = tmp_path / "out"
    status = compiler.main([str(tiny_checkpoint), "-o", str(output), "--batch", "3"])
    message = capsys.readouterr()
    if wrong is None:
        assert status == 0 and "3 frames" in message.out
    else:
        assert status == 1 and "compiled frame graph differs from the network" in message.err
        assert not output.exists()
