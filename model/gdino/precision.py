# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Which parts of the network compute in bfloat16.

bfloat16 has the range of float32 and 8 bits of precision. It suits matrix products, where most of
the time goes, and where rounding errors of many factors cancel: the feed-forward layers and Swin
backbones. Kept in float32:

- the text graph and the text side of the encoder: a prompt is few tokens, and every score hangs
  on them;
- residual sums, layer and group norms, softmaxes and reductions;
- deformable attention: where to sample, what is sampled, and its sums;
- the attention of the queries: they are few;
- scores of cells and queries, and the choice of queries by them;
- boxes: their heads, their position embeddings and their refinement;
- EfficientNet, whose maps carry every rounding error of some 50 layers, and the projections of
  maps.

Measured with the default model (tests/python/test_precision.py has a part of it): 75 photographs,
parts of them and mosaics, 3 prompts each; boxes above the threshold, phrase by phrase and both
ways, that agree with float32 at an overlap of 0.9 within a score of 0.02. As it is 99.1 % agree
(99.2 % after suppression; all but 4 of 225 pictures in full). With the projections of maps too it
is 98.6 %, with the text side 98.0 %, with deformable attention 97.8 %, with EfficientNet 82 % (the
last three on fewer pictures). What disagrees comes from few pictures in which the choice of
queries tips over.

`apply` replaces modules kind by kind, see RULES; a module that no rule names stays as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gdino.decoder import DecoderLayer
from gdino.encoder import DeformableLayer
from gdino.network import GroundingDino
from gdino.swin import Attention, Block, PatchMerging, WindowAttention

PRECISIONS = ("fp32", "bf16")
NARROW = torch.bfloat16


class PrecisionError(ValueError):
    """An unknown precision."""


class Bf16Linear(nn.Module):
    """Linear layer in bfloat16 on inputs [...,in] of any precision -> [...,out].

    The result is bfloat16 if `narrow`, for a neighbour that computes in it; else float32, and the
    bias is added in float32.
    """

    def __init__(self, layer: nn.Linear, narrow: bool) -> None:
        super().__init__()
        self.in_features = layer.in_features
        self.out_features = layer.out_features
        self.narrow = narrow
        self.weight = _narrowed(layer.weight)
        bias = layer.bias
        self.bias = bias if bias is None or not narrow else _narrowed(bias)

    def forward(self, x: Tensor) -> Tensor:
        x = x.to(NARROW)
        if self.narrow:
            return F.linear(x, self.weight, self.bias)
        out = F.linear(x, self.weight).float()
        return out if self.bias is None else out + self.bias


def _narrowed(value: Tensor) -> nn.Parameter:
    return nn.Parameter(value.detach().to(NARROW), requires_grad=False)


def _linear(module: nn.Module, *names: str, narrow: bool = False) -> None:
    for name in names:
        setattr(module, name, Bf16Linear(getattr(module, name), narrow))


def _feed_forward(module: nn.Module) -> None:
    _linear(module, "fc1", narrow=True)
    _linear(module, "fc2")


def _window_attention(module: WindowAttention) -> None:
    """Projections and both products in bfloat16; the softmax between them is float32 inside."""
    _linear(module, "query", "key", "value", narrow=True)


def _swin_block(module: Block) -> None:
    _linear(module.intermediate, "dense", narrow=True)
    _linear(module.output, "dense")


def _swin_output(module: Attention) -> None:
    _linear(module.output, "dense")


def _merging(module: PatchMerging) -> None:
    _linear(module, "reduction")


RULES: dict[type[nn.Module], Callable[[nn.Module], None]] = {
    DeformableLayer: _feed_forward,
    DecoderLayer: _feed_forward,
    WindowAttention: _window_attention,
    Block: _swin_block,
    Attention: _swin_output,
    PatchMerging: _merging,
}
"""What to do with a module of exactly this kind, its children's rules aside."""


def apply(network: GroundingDino, precision: str) -> GroundingDino:
    """A network that computes frames in `precision`; `network` itself does not change.

    "fp32" gives back `network`, "bf16" one that shares all weights that stay float32. Only for
    inference, after `network.fold()`. Inputs and outputs are those of `network`.
    Raises PrecisionError for another name.
    """
    if precision not in PRECISIONS:
        raise PrecisionError(f"precision is '{precision}', supported: {', '.join(PRECISIONS)}")
    if precision == "fp32":
        return network
    shared = [*network.parameters(), *network.buffers()]
    twin = copy.deepcopy(network, {id(tensor): tensor for tensor in shared})
    for module in list(twin.modules()):
        rule = RULES.get(type(module))
        if rule is not None:
            rule(module)
    return twin.eval()
