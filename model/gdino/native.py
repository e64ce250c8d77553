# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Exported graphs to shared objects that need no Python."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdino.failure import CompileError

# From this torch on packing weights has been tried; 2.6, the oldest supported, has not been.
PACKS_FROM = (2, 13)
# Backbones made of convolutions have about 50 of them, a Swin network has 5.
MANY_CONVOLUTIONS = 20


def packing_pays(program: object, device: str) -> bool:
    """Whether weights should be packed for the processor while compiling.

    Packed convolutions take their activation along and need no reordering; docs/benchmarks.md
    has what that gains. Networks of matrix products do not get faster, but their file doubles in
    size.
    """
    import torch

    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if device != "cpu" or version < PACKS_FROM:
        return False
    nodes = [str(node.target) for node in program.graph.nodes]
    return sum("conv" in target for target in nodes) > MANY_CONVOLUTIONS


def inductor_options(output: Path, device: str, pack: bool = False) -> dict[str, object]:
    """Options for inductor, those that the running torch knows."""
    from torch._inductor import config

    wanted: dict[str, object] = {
        "aot_inductor.output_path": str(output),
        # Otherwise the loops ask for as many threads as the machine that compiled had.
        "cpp.dynamic_threads": True,
        "compile_threads": 1,
        # They would lie among the temporary files of this package, and serve no other.
        "aot_inductor.precompile_headers": False,
        "freezing": pack,
    }
    if device == "cuda":
        # Otherwise every kernel is a file of its own, found by its path on this machine.
        wanted["aot_inductor.embed_kernel_binary"] = True
    known = config.get_config_copy() if hasattr(config, "get_config_copy") else {}
    return {name: value for name, value in wanted.items() if not known or name in known}


def compile_graph(
    program: object, example: tuple, name: str, folder: Path, device: str = "cpu"
) -> Path:
    """Compile an exported program to `folder`/NAME.so and check that it needs no Python."""
    import torch

    folder.mkdir()
    path = folder / f"{name}.so"
    options = inductor_options(path, device, packing_pays(program, device))
    try:
        with compiler_output_kept():
            torch._inductor.aot_compile(program.module(), example, options=options)
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()]
        wrong = [line for line in lines if "error:" in line or "No such file" in line]
        reason = (wrong or lines or [type(error).__name__])[0]
        raise CompileError(f"compiling the {name} graph failed: {reason.strip()}") from error
    if not path.is_file():
        raise CompileError(f"compiling the {name} graph gave no {path.name}")
    check_native(folder, name)
    return path


@contextmanager
def compiler_output_kept() -> Iterator[None]:
    """Let an error of the C++ compiler hold what it said; with torch 2.6 that went to the terminal."""
    from torch._inductor import codecache, exc

    old = getattr(codecache, "run_command_and_check", None)

    def run(command: str) -> None:
        words = shlex.split(command)
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        if done.returncode != 0:
            raise exc.CppCompileError(words, done.stdout)

    if old is not None:
        codecache.run_command_and_check = run
    try:
        yield
    finally:
        if old is not None:
            codecache.run_command_and_check = old


def check_native(folder: Path, name: str) -> None:
    """Raise CompileError where compiled code calls back into torch's Python-side operators."""
    extern = sorted(p.name for p in folder.rglob("*extern_node*"))
    callers = [
        p.name
        for p in folder.rglob("*.cpp")
        if "aoti_torch_proxy_executor_call_function(" in p.read_text(errors="replace")
    ]
    if extern or callers:
        raise CompileError(
            f"the {name} graph holds an operator without C interface ({(extern + callers)[0]})"
        )
