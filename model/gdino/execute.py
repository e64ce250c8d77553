# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Runs the compiled graphs of a package in a process of their own.

    python -m gdino.execute PACKAGE INPUTS OUTPUTS [--threads N] [--repeat N]

INPUTS holds, in torch's file format, lists of tensors by graph name; OUTPUTS gets the lists of
results and the seconds of the quickest run of each graph. A graph that crashes takes only this
process with it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch
from torch import Tensor


# Seconds after which no further run is timed.
PATIENCE = 3.0


class CompiledGraph:
    """A graph's shared object, opened by torch itself."""

    def __init__(self, path: str | Path) -> None:
        self.runner = torch._C._aoti.AOTIModelContainerRunnerCpu(str(path), 1)

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        return list(self.runner.run(list(inputs)))


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="gdino.execute")
    parser.add_argument("package", type=Path)
    parser.add_argument("inputs", type=Path)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    inputs = torch.load(options.inputs, weights_only=True)
    results: dict[str, object] = {}
    for name, tensors in inputs.items():
        graph = CompiledGraph(options.package / f"{name}.so")
        seconds = []
        for _ in range(options.repeat):
            start = time.perf_counter()
            outputs = graph(*tensors)
            seconds.append(time.perf_counter() - start)
            if sum(seconds) > PATIENCE:
                break
        results[name] = outputs
        results[f"{name}_seconds"] = min(seconds)
    torch.save(results, options.outputs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
