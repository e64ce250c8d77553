# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The engines: what they are called, what they need, and what their artefacts depend on."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass

from benchmark.cases import ROOT

LIBRARY = ROOT / "build" / "meson" / "tests" / "bench" / "bench-detector"


@dataclass(frozen=True)
class Engine:
    """One way to run the network."""

    name: str
    label: str
    precision: str
    packages: tuple[str, ...]
    """Distributions that must be installed; their versions are part of the artefact's key."""
    artefact: str
    """Kind of artefact, engines of one kind share it; empty: runs from the checkpoint."""
    ours: bool = False

    @property
    def native(self) -> bool:
        """Whether it is the C library."""
        return self.name.endswith("-c")


_TORCH = ("torch", "transformers", "safetensors")

ENGINES = {
    engine.name: engine
    for engine in (
        Engine("eager", "transformers, eager", "fp32", _TORCH, ""),
        Engine("compile", "transformers, torch.compile", "fp32", _TORCH, "inductor"),
        Engine("aoti", "transformers, AOTInductor", "fp32", _TORCH, "aoti"),
        Engine(
            "onnxruntime",
            "ONNX Runtime",
            "fp32",
            (*_TORCH, "onnxruntime", "onnx", "onnxscript"),
            "onnx",
        ),
        Engine("openvino-f32", "OpenVINO, f32", "fp32", (*_TORCH, "openvino"), "openvino"),
        Engine("openvino-bf16", "OpenVINO, bf16", "bf16", (*_TORCH, "openvino"), "openvino"),
        Engine("ours-fp32", "ours, Python", "fp32", ("torch",), "ours-fp32", True),
        Engine("ours-fp32-c", "ours, C library", "fp32", ("torch",), "ours-fp32", True),
        Engine("ours-bf16", "ours, Python", "bf16", ("torch",), "ours-bf16", True),
        Engine("ours-bf16-c", "ours, C library", "bf16", ("torch",), "ours-bf16", True),
    )
}


def version(package: str) -> str | None:
    """Version of an installed distribution, none where it is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def missing(engine: Engine) -> str:
    """Why the engine cannot run here; empty where it can."""
    absent = [name for name in engine.packages if version(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)}"
    if engine.native and not LIBRARY.exists():
        return f"not built: {LIBRARY.name} (make build)"
    return ""
