# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Makes one artefact in a process of its own.

    python -m benchmark.build KIND CASE CHECKPOINT INPUTS FOLDER THREADS

KIND is an engine's artefact, "checkpoint", or "inputs". What it makes goes into FOLDER, with the
seconds of the conversion alone in seconds.json.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmark.cases import CASES, ROOT, Case


def build_checkpoint(case: Case, folder: Path) -> float:
    """A checkpoint with random weights."""
    from benchmark.networks import write_checkpoint

    start = time.monotonic()
    write_checkpoint(case.checkpoint, folder)
    return time.monotonic() - start


def build_inputs(case: Case, checkpoint: Path, folder: Path) -> float:
    """Pictures, the prompt and its features, as numpy arrays."""
    from benchmark.inputs import write_inputs

    start = time.monotonic()
    write_inputs(case, checkpoint, folder)
    return time.monotonic() - start


def published(case: Case, checkpoint: Path, inputs: Path) -> tuple:
    """The published network made exportable, and its example inputs."""
    import torch

    from benchmark.inputs import frame_inputs
    from benchmark.published import Published, exportable

    example = tuple(torch.from_numpy(array) for array in frame_inputs(case, inputs))
    return exportable(Published(checkpoint, case), example), example


def build_aoti(case: Case, checkpoint: Path, inputs: Path, folder: Path) -> float:
    """AOTInductor with its defaults."""
    import torch

    model, example = published(case, checkpoint, inputs)
    start = time.monotonic()
    program = torch.export.export(model, example, strict=False)
    options = {"aot_inductor.output_path": str(folder / "model.so")}
    torch._inductor.aot_compile(program.module(), example, options=options)
    return time.monotonic() - start


def build_onnx(case: Case, checkpoint: Path, inputs: Path, folder: Path) -> float:
    """ONNX through torch's newer exporter, which optimises the graph."""
    import torch

    model, example = published(case, checkpoint, inputs)
    start = time.monotonic()
    torch.onnx.export(
        model,
        example,
        str(folder / "model.onnx"),
        dynamo=True,
        opset_version=20,
        input_names=["image", "text", "positions", "block_mask", "text_mask"],
        output_names=["logits", "boxes"],
        verbose=False,
    )
    return time.monotonic() - start


def build_openvino(case: Case, checkpoint: Path, inputs: Path, folder: Path) -> float:
    """OpenVINO's own converter for PyTorch; f32 weights, the precision is a hint at load."""
    import openvino
    import torch

    from benchmark.published import without_logit

    without_logit()
    model, example = published(case, checkpoint, inputs)
    start = time.monotonic()
    shapes = [tuple(tensor.shape) for tensor in example]
    with torch.no_grad():
        # As the converter would, but not twice in order to compare.
        traced = torch.jit.trace(model, example, strict=False, check_trace=False)
    converted = openvino.convert_model(traced, example_input=example, input=shapes)
    openvino.save_model(converted, folder / "model.xml", compress_to_fp16=False)
    return time.monotonic() - start


def build_inductor(case: Case, checkpoint: Path, inputs: Path, folder: Path) -> float:
    """Fills inductor's cache of compiled graphs."""
    import torch

    from benchmark.inputs import frame_inputs
    from benchmark.published import Published

    example = tuple(torch.from_numpy(array) for array in frame_inputs(case, inputs))
    model = torch.compile(Published(checkpoint, case, own_masks=True))
    start = time.monotonic()
    with torch.no_grad():
        model(*example)
    return time.monotonic() - start


def build_ours(case: Case, checkpoint: Path, folder: Path, precision: str, threads: int) -> float:
    """gdino-compile, as a user runs it."""
    width, height = case.canvas
    command = [sys.executable, "-m", "gdino.compile", str(checkpoint)]
    command += ["--output", str(folder / "package"), "--size", f"{width}x{height}"]
    command += ["--text-tokens", str(case.tokens), "--threads", str(threads)]
    if precision != "fp32":
        command += ["--precision", precision]
    start = time.monotonic()
    done = subprocess.run(command, stdout=sys.stderr, cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"gdino-compile ended with {done.returncode}")
    return time.monotonic() - start


BUILDERS: dict[str, Callable[[Case, Path, Path, Path], float]] = {
    "aoti": build_aoti,
    "onnx": build_onnx,
    "openvino": build_openvino,
    "inductor": build_inductor,
}


def main(arguments: list[str]) -> int:
    """Command line; returns the exit status."""
    kind, name, checkpoint, inputs, folder, threads = arguments
    case, target = CASES[name], Path(folder)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if not kind.startswith("ours-"):
        import torch

        torch.set_num_threads(int(threads))
    if kind == "checkpoint":
        seconds = build_checkpoint(case, target)
    elif kind == "inputs":
        seconds = build_inputs(case, Path(checkpoint), target)
    elif kind.startswith("ours-"):
        precision = kind.removeprefix("ours-")
        seconds = build_ours(case, Path(checkpoint), target, precision, int(threads))
    else:
        seconds = BUILDERS[kind](case, Path(checkpoint), Path(inputs), target)
    (target / "seconds.json").write_text(json.dumps(seconds) + "\n")
    # Some engines' threads outlive them and crash at a regular end.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
