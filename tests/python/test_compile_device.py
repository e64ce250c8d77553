# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Devices that gdino-compile takes; GPUs are stood in for, since few test machines have one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch._inductor import config

from gdino import compile as compiler
from gdino import device as device_module
from gdino import execute, isa, native
from gdino.device import find_device
from gdino.failure import CompileError

NAMES = ("Small GPU", "Large GPU")
CAPABILITIES = ((7, 5), (9, 0))


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A torch with CUDA and two GPUs; the numbers of those made current."""
    current: list[int] = []
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(NAMES))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda i: NAMES[i])
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda i: CAPABILITIES[i])
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    # torch 2.6 has no such option.
    monkeypatch.setattr(device_module, "can_embed", lambda: True)
    return current


def test_processor() -> None:
    device = find_device("cpu", "bf16")
    assert (device.kind, device.name) == ("cpu", "cpu")
    assert device.target == isa.target(isa.compiler())


@pytest.mark.parametrize("name,index", [("cuda", 0), ("cuda:0", 0), ("cuda:1", 1)])
def test_gpu(gpus: list[int], name: str, index: int) -> None:
    device = find_device(name)
    assert (device.kind, device.name) == ("cuda", f"cuda:{index}")
    assert device.target["compute_capability"] == ("7.5", "9.0")[index]
    # The code that launches the kernels is the processor's.
    assert device.target["features"] == isa.target(isa.compiler())["features"]
    assert gpus == [index]


def test_gpu_that_is_not_there(gpus: list[int]) -> None:
    with pytest.raises(CompileError) as caught:
        find_device("cuda:2")
    wanted = "device is 'cuda:2', found: cuda:0 Small GPU, cuda:1 Large GPU"
    assert str(caught.value) == wanted and not gpus


def test_no_gpu(gpus: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(CompileError, match=r"\(CUDA 12\.8\) finds no GPU and driver"):
        find_device("cuda")


def test_torch_without_cuda(gpus: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)
    with pytest.raises(CompileError, match="is built without CUDA; wanted: a torch with CUDA"):
        find_device("cuda:1")


def test_torch_that_cannot_embed(gpus: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_module, "can_embed", lambda: False)
    with pytest.raises(CompileError, match="cannot put GPU kernels into the package"):
        find_device("cuda")


def test_bfloat16_wants_a_gpu_that_has_it(gpus: list[int]) -> None:
    with pytest.raises(CompileError, match="cuda:0 is of compute capability 7.5, wanted: 8.0"):
        find_device("cuda:0", "bf16")
    assert find_device("cuda:1", "bf16").kind == "cuda"


def test_command_line(
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)
    arguments = [str(tiny_checkpoint), "-o", str(tmp_path / "out"), "--device", "cuda"]
    assert compiler.main(arguments) == 1
    assert "device is 'cuda', but torch" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_kernels_go_into_the_package(tmp_path: Path) -> None:
    option = "aot_inductor.embed_kernel_binary"
    if hasattr(config.aot_inductor, "embed_kernel_binary"):
        assert native.inductor_options(tmp_path / "x.so", "cuda")[option] is True
    assert option not in native.inductor_options(tmp_path / "x.so", "cpu")


def test_graph_opens_on_its_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple] = []
    waited: list[str] = []

    class Runner:
        def __init__(self, *arguments: object) -> None:
            opened.append(arguments)

        def run(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
            return [inputs[0] + 1]

    monkeypatch.setattr(torch._C._aoti, "AOTIModelContainerRunnerCuda", Runner, raising=False)
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    graph = execute.CompiledGraph("frame.so", "cuda:1")
    assert opened == [("frame.so", 1, "cuda:1")]
    assert graph(torch.zeros(1))[0].item() == 1.0 and waited == ["cuda:1"]
