# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Files of torch.save: what is read, and that no code in them runs."""

from __future__ import annotations

import argparse
import collections
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from gdino.weights import CheckpointError, read_pickled, read_tensors


class Trap:
    """Runs a command while it is read, as any pickle may."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return os.system, (f"touch {self.mark}",)


WEIGHTS = {"a.weight": torch.arange(6.0).view(2, 3), "b": torch.ones(1, dtype=torch.int64)}


@pytest.mark.parametrize(
    "content",
    [
        WEIGHTS,
        {"model": WEIGHTS},
        {"state_dict": WEIGHTS, "epoch": 4, "meta": {"config": "text"}},
        {"model": {"model_state_dict": WEIGHTS}},
        {"ema_model": WEIGHTS, "model": WEIGHTS},
        {"module." + name: value for name, value in WEIGHTS.items()},
        {"model": WEIGHTS, "args": argparse.Namespace(lr=1e-4, lists=[1, 2], name="x")},
    ],
    ids=["plain", "model", "state_dict", "nested", "ema", "module", "arguments"],
)
@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
def test_read(tmp_path: Path, content: dict, zipped: bool) -> None:
    path = tmp_path / "w.pth"
    torch.save(content, path, _use_new_zipfile_serialization=zipped)
    found = read_pickled(path)
    assert list(found) == list(WEIGHTS)
    assert all(torch.equal(found[name], WEIGHTS[name]) for name in WEIGHTS)


def test_precisions_become_float32(tmp_path: Path) -> None:
    tensors = {"a": torch.ones(2, dtype=torch.float16), "i": torch.ones(2, dtype=torch.int32)}
    torch.save({**tensors, "b": torch.ones(2, dtype=torch.bfloat16)}, tmp_path / "w.bin")
    save_file(tensors, tmp_path / "w.safetensors")
    for name in ("w.bin", "w.safetensors"):
        found = read_tensors(tmp_path / name)
        assert found["a"].dtype == torch.float32 and found["i"].dtype == torch.int32
        assert all(v.dtype == torch.float32 for k, v in found.items() if k != "i")


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: {"model": WEIGHTS, "x": t}])
def test_code_does_not_run(tmp_path: Path, zipped: bool, wrap: object) -> None:
    mark = tmp_path / "mark"
    path = tmp_path / "w.pth"
    torch.save(wrap(Trap(mark)), path, _use_new_zipfile_serialization=zipped)
    # The trap works where code may run.
    torch.load(path, weights_only=False)
    assert mark.exists()
    mark.unlink()
    with pytest.raises(CheckpointError, match=r"w.pth: wants to run '\w+.system'.*save its state"):
        read_pickled(path)
    assert not mark.exists()


def test_other_classes(tmp_path: Path) -> None:
    path = tmp_path / "w.pth"
    torch.save({"model": torch.nn.Linear(2, 2)}, path)
    with pytest.raises(CheckpointError, match="w.pth: wants to run 'torch.nn.modules"):
        read_pickled(path)


@pytest.mark.parametrize(
    "content,message",
    [
        ([1, 2], "holds a list, wanted: a state dict"),
        ({}, "holds no tensors"),
        ({"model": {}}, r"holds no tensors in \['model'\]"),
        ({"model": {"a": 1}}, r"'a' in \['model'\] is a int, not a tensor"),
        ({"a": torch.ones(1), "b": "text"}, "'b' is a str, not a tensor"),
        ({1: torch.ones(1)}, "1 is a Tensor, not a tensor|holds"),
        (torch.ones(3), "holds a Tensor"),
    ],
)
def test_no_state_dict(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "w.pth"
    torch.save(content, path)
    with pytest.raises(CheckpointError, match=f"w.pth: .*({message})"):
        read_pickled(path)


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("size", [1, 3, 10, 300, 0.5, -1])
def test_truncated(tmp_path: Path, zipped: bool, size: float) -> None:
    path = tmp_path / "w.pth"
    torch.save(WEIGHTS, path, _use_new_zipfile_serialization=zipped)
    content = path.read_bytes()
    path.write_bytes(content[: size if isinstance(size, int) else int(len(content) * size)])
    with pytest.raises(CheckpointError, match="w.pth: not a whole file of torch.save") as caught:
        read_pickled(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kept", range(len("OrderedDict")))
def test_truncated_within_a_name(tmp_path: Path, kept: int) -> None:
    """A piece of a harmless name is no code that the file wants to run."""
    path = tmp_path / "w.pth"
    torch.save(collections.OrderedDict(WEIGHTS), path, _use_new_zipfile_serialization=False)
    content = path.read_bytes()
    path.write_bytes(content[: content.index(b"collections\nOrderedDict") + len("collections\n") + kept])
    with pytest.raises(CheckpointError, match="w.pth: not a whole file of torch.save"):
        read_pickled(path)


@pytest.mark.parametrize("content", [b"<html>not found</html>", b"\x00" * 64, b"PK\x03\x04 no zip"])
def test_something_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.pth"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="w.pth: not a whole file of torch.save"):
        read_pickled(path)


def test_empty_and_missing(tmp_path: Path) -> None:
    path = tmp_path / "w.pth"
    with pytest.raises(CheckpointError, match="w.pth: No such file"):
        read_pickled(path)
    path.touch()
    with pytest.raises(CheckpointError, match="w.pth: is empty, wanted: a state dict"):
        read_pickled(path)
    torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), path)
    with pytest.raises(CheckpointError, match="w.pth: is a TorchScript program"):
        read_pickled(path)
