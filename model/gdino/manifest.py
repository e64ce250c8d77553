# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Writes manifest.json, the contract between compiler and run time (format 1)."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from gdino import __version__
from gdino.config import ConfigError, write_json
from gdino.device import Device
from gdino.graphs import GraphSpec
from gdino.network import GroundingDino
from gdino.probe import PROBE_FILE
from gdino.prompt import DELIMITERS
from gdino.tokenizer import Vocabulary

if TYPE_CHECKING:
    from gdino.source import Checkpoint

FORMAT = 1
BLOCK = 1 << 20


def file_digest(*paths: Path) -> str:
    """SHA-256 in hexadecimal of the files' bytes, one after another."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    return digest.hexdigest()


def licence(folder: Path) -> str | None:
    """The licence that a model card's header names, if there is one."""
    card = folder / "README.md"
    if not card.is_file():
        return None
    text = card.read_text(encoding="utf-8", errors="replace")
    header = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    if header is None:
        return None
    line = re.search(r"^license:\s*[\"']?([^\s\"'#]+)", header.group(1), re.MULTILINE)
    return line.group(1) if line else None


def thresholds(checkpoint: Checkpoint) -> dict[str, float]:
    """Default thresholds: those in the checkpoint's preprocessor_config.json, else the usual."""
    wanted = {"box_threshold": 0.35, "text_threshold": 0.25}
    extra = checkpoint.preprocessor()
    for name in wanted:
        value = extra.get(name, wanted[name])
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ConfigError(
                f"{checkpoint.name}: preprocessor_config.json: '{name}' is {value!r}, wanted: a "
                "number from 0 to 1"
            )
        wanted[name] = float(value)
    return wanted


def build_manifest(
    network: GroundingDino,
    vocabulary: Vocabulary,
    specs: dict[str, GraphSpec],
    source: dict[str, str],
    device: Device,
    precision: str,
    package: Path,
) -> dict[str, object]:
    """Return the manifest of the files that lie in `package`: graphs, vocabulary and probe."""
    width, height = network.canvas
    mean = list(network.config.image_mean)
    names = {name: f"{name}.so" for name in specs}
    batch, _, tokens = specs["frame"].outputs[0].shape
    return {
        "format": FORMAT,
        "generator": f"gdino-compile {__version__}",
        "architecture": "grounding-dino",
        "source": source,
        "canvas": {
            "width": width,
            "height": height,
            "channels": "RGB",
            "resize": "letterbox",
            "pad": [round(value * 255) for value in mean],
            "normalization": "in-graph",
            "mean": mean,
            "std": list(network.config.image_std),
        },
        "batch": batch,
        "precision": precision,
        "queries": network.config.num_queries,
        "text_tokens": tokens,
        "features": network.config.d_model,
        "text": {
            "vocabulary": "vocab.txt",
            "lower_case": True,
            "delimiters": list(DELIMITERS),
            "pad_id": vocabulary.pad,
            "unk_id": vocabulary.unk,
            "cls_id": vocabulary.cls,
            "sep_id": vocabulary.sep,
        },
        "graphs": {
            name: {
                "file": names[name],
                "inputs": [item.to_dict() for item in spec.inputs],
                "outputs": [item.to_dict() for item in spec.outputs],
            }
            for name, spec in specs.items()
        },
        "device": device.kind,
        "target": device.target,
        "torch": {
            "version": torch.__version__.split("+")[0],
            "library_dir": library_folder(),
        },
        "defaults": {"box_threshold": 0.35, "text_threshold": 0.25},
        "probe": PROBE_FILE,
        "files": {
            name: {
                "size": (package / name).stat().st_size,
                "sha256": file_digest(package / name),
            }
            for name in (*names.values(), "vocab.txt", PROBE_FILE)
        },
    }


def library_folder() -> str:
    """Folder that holds libtorch_cpu.so of the running torch."""
    folder = Path(torch.__file__).resolve().parent / "lib"
    if not (folder / "libtorch_cpu.so").exists():
        # Distributions keep the library in the system's folder.
        for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
            if "/libtorch_cpu.so" in line:
                return str(Path(line.split(maxsplit=5)[5]).parent)
    return str(folder)


def write_manifest(manifest: dict[str, object], package: Path) -> None:
    """Write `manifest` into the package folder."""
    write_json(package / "manifest.json", manifest)
