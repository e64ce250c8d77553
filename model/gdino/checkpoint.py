# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Reads and writes checkpoint folders in Hugging Face's layout."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors.torch import save
from torch import Tensor, nn

from gdino.config import GroundingDinoConfig, write_json
from gdino.weights import CheckpointError, read_tensors, weight_files

Network = TypeVar("Network", bound=nn.Module)

# What other writers store and the network does not read.
IGNORED = re.compile(
    r"(\.relative_position_index|\.num_batches_tracked|\.embeddings\.position_ids"
    r"|\.conv_encoder\.model\._fc\.(weight|bias)|\.text_backbone\.pooler\.dense\.(weight|bias))$"
)
NAMES_SHOWN = 8


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:NAMES_SHOWN])
    rest = len(names) - NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def _aliases(network: nn.Module) -> dict[str, str]:
    """Map every name of the state to the first name of the same tensor."""
    first: dict[int, str] = {}
    table = {}
    for name, tensor in network.state_dict(keep_vars=True).items():
        table[name] = first.setdefault(id(tensor), name)
    return table


def apply_weights(network: nn.Module, tensors: dict[str, Tensor], source: str) -> None:
    """Copy `tensors` into the network; unknown, missing and misshaped ones are an error."""
    state = network.state_dict(keep_vars=True)
    alias = _aliases(network)
    unknown = sorted(n for n in tensors if n not in state and not IGNORED.search(n))
    if unknown:
        raise CheckpointError(f"{source}: {len(unknown)} unknown weights: {_some(unknown)}")
    given = {alias[name]: name for name in sorted(tensors, reverse=True) if name in state}
    missing = sorted({a for n, a in alias.items() if a not in given and not IGNORED.search(n)})
    if missing:
        raise CheckpointError(f"{source}: {len(missing)} missing weights: {_some(missing)}")
    wrong = [
        f"{name} is {list(tensors[name].shape)}, wanted {list(state[target].shape)}"
        for target, name in sorted(given.items())
        if tensors[name].shape != state[target].shape
    ]
    if wrong:
        raise CheckpointError(f"{source}: {len(wrong)} weights of wrong shape: {_some(wrong)}")
    kinds = [
        f"{name} is {tensors[name].dtype}"
        for target, name in sorted(given.items())
        if state[target].is_floating_point() != tensors[name].is_floating_point()
    ]
    if kinds:
        raise CheckpointError(f"{source}: weights of wrong type: {_some(kinds)}")
    with torch.no_grad():
        for target, name in given.items():
            value = tensors[name]
            if value.is_floating_point() and not torch.isfinite(value).all():
                raise CheckpointError(f"{source}: weight {name} holds values that are not finite")
            state[target].copy_(value)


def load_folder(
    cls: type[Network],
    path: str | Path,
    canvas: tuple[int, int],
    progress: Callable[[str], None] | None = None,
) -> Network:
    """Build `cls` from the folder's configuration and fill in its weights."""
    folder = Path(path)
    files = weight_files(folder)
    config = GroundingDinoConfig.from_folder(folder)
    return build_network(cls, config, canvas, read_files(files, progress), str(folder))


def read_files(
    files: list[Path], progress: Callable[[str], None] | None = None
) -> dict[str, Tensor]:
    """Read the weights of all `files`, floating ones as float32."""
    tensors: dict[str, Tensor] = {}
    for file in files:
        if progress:
            progress(f"reading {file.name}")
        tensors.update(read_tensors(file))
    return tensors


def build_network(
    cls: type[Network],
    config: GroundingDinoConfig,
    canvas: tuple[int, int],
    tensors: dict[str, Tensor],
    source: str,
) -> Network:
    """Make a `cls` in eval mode and copy `tensors` (names as Hugging Face's) into it.

    `source` names the checkpoint in errors. Raises CheckpointError for unknown, missing or
    misshapen weights.
    """
    # Random initial values would be overwritten: build without them.
    with torch.device("cpu"), _no_init():
        network = cls(config, canvas)
    apply_weights(network, tensors, source)
    return network.eval()


class _no_init:
    """Skips the costly default initialisation of linear, conv and embedding layers."""

    KINDS = (nn.Linear, nn.Conv2d, nn.Embedding)

    def __enter__(self) -> None:
        self.saved = [kind.reset_parameters for kind in self.KINDS]
        for kind in self.KINDS:
            kind.reset_parameters = lambda module: None

    def __exit__(self, *unused: object) -> None:
        for kind, function in zip(self.KINDS, self.saved, strict=True):
            kind.reset_parameters = function


def save_folder(network: nn.Module, path: str | Path, dtype: torch.dtype) -> None:
    """Write the checkpoint; matrices in `dtype`, vectors (norms, biases) in float32."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    alias = _aliases(network)
    tensors = {}
    for name, tensor in network.state_dict().items():
        # transformers leaves a table of Swin's that it misses unset, so that one is written.
        if alias[name] != name or name.endswith(".num_batches_tracked"):
            continue
        small = tensor.dim() < 2 or not tensor.is_floating_point()
        value = tensor.detach().cpu() if small else tensor.detach().cpu().to(dtype)
        if value.is_floating_point() and not torch.isfinite(value).all():
            raise CheckpointError(f"weight {name} does not fit {dtype} or is not finite")
        tensors[name] = value.contiguous().clone()
    config = network.config.to_dict()
    write_json(folder / "config.json", config)
    write_json(
        folder / "preprocessor_config.json",
        {
            "image_mean": list(network.config.image_mean),
            "image_std": list(network.config.image_std),
            "canvas": {"width": network.canvas[0], "height": network.canvas[1]},
        },
    )
    (folder / "model.safetensors").write_bytes(save(tensors, metadata={"format": "pt"}))
