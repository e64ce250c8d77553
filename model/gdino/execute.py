# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Runs the compiled graphs of a package in a process of their own.

    python -m gdino.execute PACKAGE INPUTS OUTPUTS [--threads N] [--repeat N] [--device D]

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

    def __init__(self, path: str | Path, device: str = "cpu") -> None:
        self.device = device
        if device == "cpu":
            self.runner = torch._C._aoti.AOTIModelContainerRunnerCpu(str(path), 1)
        else:
            self.runner = torch._C._aoti.AOTIModelContainerRunnerCuda(str(path), 1, device)

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        """Inputs and results lie on the device; returns when the work is done."""
        outputs = list(self.runner.run(list(inputs)))
        if self.device != "cpu":
            torch.cuda.synchronize(self.device)
        return outputs


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="gdino.execute")
    parser.add_argument("package", type=Path)
    parser.add_argument("inputs", type=Path)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    inputs = torch.load(options.inputs, weights_only=True)
    results: dict[str, object] = {}
    for name, tensors in inputs.items():
        graph = CompiledGraph(options.package / f"{name}.so", options.device)
        tensors = [tensor.to(options.device) for tensor in tensors]
        seconds = []
        for _ in range(options.repeat):
            start = time.perf_counter()
            outputs = graph(*tensors)
            seconds.append(time.perf_counter() - start)
            if sum(seconds) > PATIENCE:
                break
        results[name] = [tensor.cpu() for tensor in outputs]
        results[f"{name}_seconds"] = min(seconds)
    torch.save(results, options.outputs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
