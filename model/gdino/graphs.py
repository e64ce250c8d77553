# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The two graphs of a model package, and what may not occur in them."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gdino.network import GroundingDino


class GraphError(RuntimeError):
    """An exported graph breaks a rule of model packages."""


class TextGraph(nn.Module):
    """Prompt to text features; run once per prompt."""

    def __init__(self, network: GroundingDino) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, input_ids: Tensor, position_ids: Tensor, block_mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """int64 [1,T], int64 [1,T], bool [1,T,T] -> float32 [1,T,D], float32 [1,T,D]."""
        return self.network.encode_text(input_ids, position_ids, block_mask)


class FrameGraph(nn.Module):
    """Frame and text features to logits and boxes; run for every frame."""

    def __init__(self, network: GroundingDino) -> None:
        super().__init__()
        self.network = network

    def forward(
        self,
        image: Tensor,
        text_features: Tensor,
        text_position: Tensor,
        text_mask: Tensor,
        block_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """uint8 [B,H,W,3], float32 [B,T,D] twice, bool [B,T], bool [B,T,T] -> logits, boxes."""
        return self.network.forward_frame(
            image, text_features, text_position, text_mask, block_mask
        )


@dataclass(frozen=True)
class TensorSpec:
    """Name, dtype and shape of one input or output."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def example(self, device: str = "cpu") -> Tensor:
        """A contiguous tensor of this kind: zeros, masks all true."""
        kind = getattr(torch, self.dtype)
        if kind is torch.bool:
            return torch.ones(self.shape, dtype=kind, device=device)
        return torch.zeros(self.shape, dtype=kind, device=device)

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "dtype": self.dtype, "shape": list(self.shape)}


@dataclass(frozen=True)
class GraphSpec:
    """Contract of one graph."""

    name: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]

    def examples(self, device: str = "cpu") -> tuple[Tensor, ...]:
        """One tensor for each input."""
        return tuple(item.example(device) for item in self.inputs)


def graph_specs(network: GroundingDino, tokens: int, batch: int = 1) -> dict[str, GraphSpec]:
    """Contracts of the text and the frame graph for `tokens` text tokens."""
    width, height = network.canvas
    features = network.config.d_model
    queries = network.config.num_queries
    text = (
        TensorSpec("text_features", "float32", (1, tokens, features)),
        TensorSpec("text_position", "float32", (1, tokens, features)),
    )
    per_frame = tuple(TensorSpec(t.name, t.dtype, (batch, *t.shape[1:])) for t in text)
    return {
        "text": GraphSpec(
            "text",
            (
                TensorSpec("input_ids", "int64", (1, tokens)),
                TensorSpec("position_ids", "int64", (1, tokens)),
                TensorSpec("block_mask", "bool", (1, tokens, tokens)),
            ),
            text,
        ),
        "frame": GraphSpec(
            "frame",
            (
                TensorSpec("image", "uint8", (batch, height, width, 3)),
                *per_frame,
                TensorSpec("text_mask", "bool", (batch, tokens)),
                TensorSpec("block_mask", "bool", (batch, tokens, tokens)),
            ),
            (
                TensorSpec("logits", "float32", (batch, queries, tokens)),
                TensorSpec("boxes", "float32", (batch, queries, 4)),
            ),
        ),
    }


def on_device(graph: nn.Module, device: str) -> nn.Module:
    """`graph` itself for the processor, else a copy of it on that device."""
    # A copy, since moving changes weights in place and they are shared with the network.
    return graph if device == "cpu" else copy.deepcopy(graph).to(device)


def export_graph(
    graph: nn.Module, spec: GraphSpec, device: str = "cpu"
) -> torch.export.ExportedProgram:
    """Export `graph`, which is on `device`, for the shapes of `spec` and check the rules."""
    with torch.no_grad():
        program = torch.export.export(graph, spec.examples(device), strict=False)
    check_program(program, spec)
    return program


def check_program(program: torch.export.ExportedProgram, spec: GraphSpec) -> None:
    """Raise GraphError on a symbolic shape, a grid sample, or outputs that break the contract."""
    if program.range_constraints:
        raise GraphError(f"{spec.name} graph has symbolic sizes: {program.range_constraints}")
    for node in program.graph.nodes:
        if "grid_sampler" in str(node.target):
            raise GraphError(f"{spec.name} graph holds {node.target}: slow code, use a row gather")
        value = node.meta.get("val")
        values = value if isinstance(value, (tuple, list)) else (value,)
        for item in values:
            if isinstance(item, Tensor) and not all(type(side) is int for side in item.shape):
                raise GraphError(
                    f"{spec.name} graph: {node.name} has a symbolic shape {tuple(item.shape)}"
                )
    outputs = [node for node in program.graph.nodes if node.op == "output"][0].args[0]
    found = [tuple(node.meta["val"].shape) for node in outputs]
    wanted = [item.shape for item in spec.outputs]
    if found != wanted:
        raise GraphError(f"{spec.name} graph gives shapes {found}, wanted {wanted}")
    kinds = [str(node.meta["val"].dtype).removeprefix("torch.") for node in outputs]
    if kinds != [item.dtype for item in spec.outputs]:
        raise GraphError(f"{spec.name} graph gives {kinds}, wanted float32")
