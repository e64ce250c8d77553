# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Opens an engine inside the process that will run it.

Each opener returns a function: picture uint8 [1,H,W,3] -> (logits [1,Q,T], boxes [1,Q,4]) as
numpy arrays. An engine's process imports nothing that its engine does not need.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy

from benchmark.cases import Case
from benchmark.inputs import frame_inputs, read_inputs

Result = tuple[numpy.ndarray, numpy.ndarray]
Runner = Callable[[numpy.ndarray], Result]


def torch_runner(model: Callable, case: Case, inputs: Path) -> Runner:
    """The runner of what takes torch's tensors and gives logits and boxes."""
    import torch

    _, *rest = (torch.from_numpy(array) for array in frame_inputs(case, inputs))

    def run(image: numpy.ndarray) -> Result:
        with torch.no_grad():
            logits, boxes = model(torch.from_numpy(image), *rest)
        return logits.numpy(), boxes.numpy()

    return run


def open_torch(
    case: Case, checkpoint: Path, inputs: Path, threads: int, compiled: bool
) -> Runner:
    """The published code, eager or through torch.compile."""
    import torch

    from benchmark.published import Published

    torch.set_num_threads(threads)
    model = Published(checkpoint, case, own_masks=True)
    if compiled:
        model = torch.compile(model)
    return torch_runner(model, case, inputs)


def open_aoti(case: Case, inputs: Path, artefact: Path, threads: int) -> Runner:
    """The published code through AOTInductor."""
    import torch

    from gdino.execute import CompiledGraph

    torch.set_num_threads(threads)
    return torch_runner(CompiledGraph(artefact / "model.so"), case, inputs)


def open_onnxruntime(case: Case, inputs: Path, artefact: Path, threads: int) -> Runner:
    """ONNX Runtime's CPU provider with all optimisations."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(
        str(artefact / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    order = ("image", "text", "positions", "block_mask", "text_mask")
    given = dict(zip(order, frame_inputs(case, inputs), strict=True))
    # Inputs that the exporter found unused are gone.
    wanted = {item.name for item in session.get_inputs()}
    feed = {name: array for name, array in given.items() if name in wanted}

    def run(image: numpy.ndarray) -> Result:
        return tuple(session.run(["logits", "boxes"], {**feed, "image": image}))

    return run


def open_openvino(
    case: Case, inputs: Path, artefact: Path, threads: int, precision: str
) -> Runner:
    """OpenVINO's CPU plugin for one request at a time."""
    import openvino

    core = openvino.Core()
    model = core.compile_model(
        str(artefact / "model.xml"),
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": threads,
            "PERFORMANCE_HINT": "LATENCY",
        },
    )
    request = model.create_infer_request()
    _, *rest = frame_inputs(case, inputs)

    def run(image: numpy.ndarray) -> Result:
        found = request.infer([image, *rest])
        return found[0], found[1]

    return run


def open_ours(case: Case, inputs: Path, artefact: Path, threads: int) -> Runner:
    """Our compiled graphs, opened by torch."""
    import torch

    from gdino.execute import CompiledGraph

    torch.set_num_threads(threads)
    package = artefact / "package"
    frame = CompiledGraph(package / "frame.so")
    stored = {name: torch.from_numpy(array) for name, array in read_inputs(inputs).items()}
    known = (stored["features"], stored["text_position"])
    text = None if case.frame_only else CompiledGraph(package / "text.so")
    prompt = (stored["ids"], stored["positions"], stored["block_mask"])
    masks = (stored["text_mask"], stored["block_mask"])

    def run(image: numpy.ndarray) -> Result:
        with torch.no_grad():
            features = known if text is None else text(*prompt)
            logits, boxes = frame(torch.from_numpy(image), *features, *masks)
        return logits.numpy(), boxes.numpy()

    return run


def open_engine(
    name: str, case: Case, checkpoint: Path, inputs: Path, artefact: Path, threads: int
) -> Runner:
    """The runner of an engine by name."""
    if name in ("eager", "compile"):
        return open_torch(case, checkpoint, inputs, threads, name == "compile")
    if name == "aoti":
        return open_aoti(case, inputs, artefact, threads)
    if name == "onnxruntime":
        return open_onnxruntime(case, inputs, artefact, threads)
    if name.startswith("openvino-"):
        return open_openvino(case, inputs, artefact, threads, name.removeprefix("openvino-"))
    return open_ours(case, inputs, artefact, threads)
