# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Reads files of weights: safetensors, and torch.save's without running code they ask for."""

from __future__ import annotations

import argparse
import os
import re
import warnings
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from gdino.config import read_json

ZIP = b"PK\x03\x04"
# Where training scripts keep the weights in what they save; the first that is there counts.
WRAPPERS = ("model", "state_dict", "model_state_dict", "ema_model", "model_ema")
# Written by DistributedDataParallel and torch.compile around a network.
PREFIXES = ("module.", "_orig_mod.")
WANTED = "wanted: a state dict as torch.save writes it"
# The two layouts of a Hugging Face folder, the better first.
LAYOUTS = ("model.safetensors", "pytorch_model.bin")


class CheckpointError(ValueError):
    """A checkpoint cannot be used; the message names file and weights."""


def weight_files(folder: Path) -> list[Path]:
    """Return the files that hold the weights of a Hugging Face folder, shards in order.

    safetensors if there are any, else PyTorch's pickles. Raises CheckpointError for a folder
    without either, and for shards that an index names and that are not there.
    """
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: not a folder; wanted a Hugging Face checkpoint folder")
    for name in LAYOUTS:
        index = folder / f"{name}.index.json"
        if index.is_file():
            return _shards(index)
        if (folder / name).is_file():
            return [folder / name]
    other = sorted(p.name for p in folder.iterdir() if p.suffix in (".pth", ".pt", ".safetensors"))
    hint = f"; found {', '.join(other)}: give it instead of the folder" if other else ""
    raise CheckpointError(f"{folder / LAYOUTS[0]}: no such file, and no {LAYOUTS[1]}{hint}")


def _shards(index: Path) -> list[Path]:
    table = read_json(index).get("weight_map")
    if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
        raise CheckpointError(f"{index}: no usable 'weight_map', wanted names to files")
    paths = [index.parent / name for name in sorted(set(table.values()))]
    for path in paths:
        if path.parent != index.parent or not path.is_file():
            raise CheckpointError(f"{path}: no such file, but {index.name} names it")
    if not paths:
        raise CheckpointError(f"{index}: 'weight_map' is empty")
    return paths


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read all tensors of one file, floating ones as float32; raises CheckpointError."""
    tensors = read_safetensors(path) if path.suffix == ".safetensors" else read_pickled(path)
    return {k: v.float() if v.is_floating_point() else v for k, v in tensors.items()}


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file as stored; raises CheckpointError."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, OSError, ValueError, RuntimeError) as error:
        size = path.stat().st_size if path.exists() else 0
        raise CheckpointError(
            f"{path}: not a whole safetensors file ({size} bytes): {error}"
        ) from None


def read_pickled(path: Path) -> dict[str, Tensor]:
    """Return the state dict in `path`, on the CPU, as stored: names to tensors.

    Weights are mapped from disk where the format allows it. Wrappers (`{"model": ...}`) and the
    prefix `module.` are taken off. Raises CheckpointError for a file that is broken, that holds
    something else, or that names any Python code but tensors and argparse's Namespace.
    """
    return state_dict(_load(path), path)


def _load(path: Path) -> object:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(len(ZIP))
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from None
    if size == 0:
        raise CheckpointError(f"{path}: is empty, {WANTED}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # A Namespace only holds attributes; training scripts store their arguments in one.
            with torch.serialization.safe_globals([argparse.Namespace]):
                return torch.load(path, map_location="cpu", weights_only=True, mmap=head == ZIP)
        except MemoryError:
            raise
        # Broken bytes can make a pickle reader raise anything.
        except Exception as error:
            raise CheckpointError(_reason(path, size, str(error))) from None


def _reason(path: Path, size: int, text: str) -> str:
    """One line about a file that torch.load refuses with `text`."""
    code = re.search(r"GLOBAL\s+(\w+(?:\.\w+)+)\s", text)
    if code is not None and not _ends_with(path, code.group(1)):
        return (
            f"{path}: wants to run '{code.group(1)}' while it is read, which could do anything; only "
            "tensors are read. If you trust the file, load it yourself and save its state dict "
            "alone with torch.save"
        )
    if "TorchScript" in text:
        return f"{path}: is a TorchScript program, {WANTED}"
    line = next((line for line in text.splitlines() if line.strip()), "unknown format")
    line = re.sub(r"^Weights only load failed\..*", "not a pickle of tensors", line.strip())
    return f"{path}: not a whole file of torch.save ({size} bytes): {line}; {WANTED}"


def _ends_with(path: Path, name: str) -> bool:
    """Whether a pickle stops within this name, which is then a piece of another."""
    stored = "\n".join(name.rsplit(".", 1)).encode()
    with path.open("rb") as file:
        # torch takes the last byte for the end of the line.
        file.seek(-min(len(stored) + 1, path.stat().st_size), os.SEEK_END)
        return file.read()[:-1] == stored


def state_dict(content: object, path: Path) -> dict[str, Tensor]:
    """Return the state dict somewhere in `content`, which was read from `path`."""
    place = ""
    while isinstance(content, dict) and not any(isinstance(v, Tensor) for v in content.values()):
        inner = next((n for n in WRAPPERS if isinstance(content.get(n), dict)), None)
        if inner is None:
            break
        content = content[inner]
        place = f"{place}['{inner}']"
    if not isinstance(content, dict):
        raise CheckpointError(f"{path}: holds a {type(content).__name__}, {WANTED}")
    if not content:
        raise CheckpointError(f"{path}: holds no tensors{' in ' + place if place else ''}")
    tensors = {}
    for name, value in content.items():
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise CheckpointError(
                f"{path}: {name!r}{' in ' + place if place else ''} is a {type(value).__name__}, "
                f"not a tensor; {WANTED}"
            )
        for prefix in PREFIXES:
            name = name.removeprefix(prefix)
        tensors[name] = value
    return tensors
