# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Where a package is to run: the processor, or a GPU of this machine."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from gdino import isa
from gdino.failure import CompileError

# Older GPUs compute bfloat16 in float32.
FIRST_WITH_BF16 = (8, 0)


@dataclass(frozen=True)
class Device:
    """A device found in this machine."""

    kind: str
    """cpu or cuda, as in the manifest"""
    name: str
    """cpu or cuda:N, as torch calls it"""
    target: dict[str, object]
    """the manifest's `target`"""


def find_device(name: str, precision: str = "fp32") -> Device:
    """The device called cpu, cuda (the first GPU) or cuda:N; CompileError where it is not there.

    Looks for the C++ compiler as well, which every device needs.
    """
    kind, _, number = name.partition(":")
    if kind == "cpu":
        return Device("cpu", "cpu", isa.target(isa.compiler()))
    index = int(number or 0)
    capability = _find_gpu(name, index)
    if precision == "bf16" and capability < FIRST_WITH_BF16:
        raise CompileError(
            f"precision is 'bf16', but cuda:{index} is of compute capability "
            f"{_dotted(capability)}, wanted: {_dotted(FIRST_WITH_BF16)} or newer"
        )
    target = {**isa.target(isa.compiler()), "compute_capability": _dotted(capability)}
    return Device("cuda", f"cuda:{index}", target)


def _find_gpu(name: str, index: int) -> tuple[int, int]:
    """Compute capability of a GPU that can be compiled for."""
    if torch.version.cuda is None:
        raise CompileError(
            f"device is '{name}', but torch {torch.__version__} is built without CUDA; wanted: a "
            "torch with CUDA"
        )
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        raise CompileError(
            f"device is '{name}', but torch {torch.__version__} (CUDA {torch.version.cuda}) "
            "finds no GPU and driver it can use"
        )
    if index >= count:
        found = ", ".join(f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(count))
        raise CompileError(f"device is '{name}', found: {found}")
    if not can_embed():
        raise CompileError(
            f"device is '{name}', but torch {torch.__version__} cannot put GPU kernels into the "
            "package; wanted: torch 2.8 or newer"
        )
    # Kernels are built for the current GPU.
    torch.cuda.set_device(index)
    return torch.cuda.get_device_capability(index)


def can_embed() -> bool:
    """Whether this torch can put GPU kernels into a shared object."""
    from torch._inductor import config

    return hasattr(config.aot_inductor, "embed_kernel_binary")


def _dotted(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"
