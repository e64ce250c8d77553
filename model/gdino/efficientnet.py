# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""EfficientNet-Lite backbone, with the parameter names of efficientnet-lite-pytorch."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gdino.config import LITE_SCALES, EfficientNetLiteConfig

# repeats, kernel, stride, expansion, input and output channels of the seven block stages
STAGES = (
    (1, 3, 1, 1, 32, 16),
    (2, 3, 2, 6, 16, 24),
    (2, 5, 2, 6, 24, 40),
    (3, 3, 2, 6, 40, 80),
    (3, 5, 1, 6, 80, 112),
    (4, 5, 2, 6, 112, 192),
    (1, 3, 1, 6, 192, 320),
)
STRIDES = (2, 4, 8, 16, 16, 32, 32, 32)
STEM_WIDTH = 32
HEAD_WIDTH = 1280


class FrozenBatchNorm2d(nn.Module):
    """Batch norm whose statistics and affine values never change; used through `affine`."""

    def __init__(self, channels: int, eps: float = 1e-3) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", torch.ones(channels))
        self.register_buffer("bias", torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def affine(self) -> tuple[Tensor, Tensor]:
        """Return the scale and shift [channels] this norm applies."""
        scale = self.weight * (self.running_var + self.eps).rsqrt()
        return scale, self.bias - self.running_mean * scale


def conv_norm(conv: nn.Conv2d, norm: FrozenBatchNorm2d, x: Tensor) -> Tensor:
    """Convolve with TensorFlow's "same" padding, the norm folded into weight and bias."""
    kernel = conv.kernel_size[0]
    stride = conv.stride[0]
    if conv.bias is not None:
        weight, bias = conv.weight, conv.bias
    else:
        scale, bias = norm.affine()
        weight = conv.weight * scale[:, None, None, None]
    # Sides are even here, so "same" pads one row and column less before than after, if not as many.
    before = (kernel - stride) // 2
    after = kernel - stride - before
    padding = before
    if before != after:
        x = F.pad(x, (before, after, before, after))
        padding = 0
    return F.conv2d(x, weight, bias, conv.stride, padding, 1, conv.groups)


def _fold(conv: nn.Conv2d, norm: FrozenBatchNorm2d) -> None:
    if conv.bias is None:
        scale, shift = norm.affine()
        conv.weight = nn.Parameter(conv.weight * scale[:, None, None, None], requires_grad=False)
        conv.bias = nn.Parameter(shift.clone(), requires_grad=False)


def _even_kernel(conv: nn.Conv2d) -> None:
    """Make the kernel of a strided convolution so large that it pads alike on all sides.

    A copy of the map for its padding takes longer than to multiply by a row and a column of zeros.
    """
    kernel = conv.kernel_size[0]
    if (kernel - conv.stride[0]) % 2:
        weight = F.pad(conv.weight.detach(), (1, 0, 1, 0))
        conv.weight = nn.Parameter(weight, requires_grad=False)
        conv.kernel_size = (kernel + 1, kernel + 1)


class Block(nn.Module):
    """Inverted residual block: widen, depthwise convolution, narrow."""

    def __init__(self, kernel: int, stride: int, expansion: int, inputs: int, outputs: int) -> None:
        super().__init__()
        wide = inputs * expansion
        self.residual = stride == 1 and inputs == outputs
        self.expands = expansion != 1
        if self.expands:
            self._expand_conv = nn.Conv2d(inputs, wide, 1, bias=False)
            self._bn0 = FrozenBatchNorm2d(wide)
        self._depthwise_conv = nn.Conv2d(wide, wide, kernel, stride=stride, groups=wide, bias=False)
        self._bn1 = FrozenBatchNorm2d(wide)
        self._project_conv = nn.Conv2d(wide, outputs, 1, bias=False)
        self._bn2 = FrozenBatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        y = x
        if self.expands:
            y = F.relu6(conv_norm(self._expand_conv, self._bn0, y))
        y = F.relu6(conv_norm(self._depthwise_conv, self._bn1, y))
        y = conv_norm(self._project_conv, self._bn2, y)
        return x + y if self.residual else y

    def fold(self) -> None:
        """Bake the norms into the convolutions."""
        if self.expands:
            _fold(self._expand_conv, self._bn0)
        _fold(self._depthwise_conv, self._bn1)
        _even_kernel(self._depthwise_conv)
        _fold(self._project_conv, self._bn2)


class EfficientNetLite(nn.Module):
    """Image float [B,3,H,W] -> list of maps of the configured stages."""

    def __init__(self, config: EfficientNetLiteConfig, canvas: tuple[int, int]) -> None:
        super().__init__()
        width, depth = LITE_SCALES[config.variant]
        # The published family keeps stem and head; only the test variant shrinks them.
        small = config.variant == "nano"
        stem = _round_width(STEM_WIDTH, width) if small else STEM_WIDTH
        head = _round_width(HEAD_WIDTH, width * width) if small else HEAD_WIDTH
        self.out_indices = config.out_indices
        last = max(config.out_indices)
        self._conv_stem = nn.Conv2d(3, stem, 3, stride=2, bias=False)
        self._bn0 = FrozenBatchNorm2d(stem)
        blocks = []
        channels = {}
        self.stage_ends = []
        for index, (repeats, kernel, stride, expansion, inputs, outputs) in enumerate(STAGES):
            inputs = stem if index == 0 else _round_width(inputs, width)
            outputs = _round_width(outputs, width)
            if 0 < index < len(STAGES) - 1:
                repeats = math.ceil(depth * repeats)
            for repeat in range(repeats):
                first = repeat == 0
                blocks.append(
                    Block(
                        kernel,
                        stride if first else 1,
                        expansion,
                        inputs if first else outputs,
                        outputs,
                    )
                )
            channels[index + 1] = outputs
            self.stage_ends.append(len(blocks))
        self._blocks = nn.ModuleList(blocks)
        self._conv_head = nn.Conv2d(channels[7], head, 1, bias=False)
        self._bn1 = FrozenBatchNorm2d(head)
        channels[8] = head
        self.last = last
        self.channels = tuple(channels[i] for i in config.out_indices)
        self.shapes = [
            (canvas[1] // STRIDES[i - 1], canvas[0] // STRIDES[i - 1]) for i in config.out_indices
        ]

    def forward(self, pixels: Tensor) -> list[Tensor]:
        x = F.relu6(conv_norm(self._conv_stem, self._bn0, pixels))
        maps = []
        used = self.stage_ends[min(self.last, len(STAGES)) - 1]
        for index, block in enumerate(self._blocks, 1):
            if index > used:
                break
            x = block(x)
            if index in self.stage_ends and self.stage_ends.index(index) + 1 in self.out_indices:
                maps.append(x)
        if self.last == 8:
            maps.append(F.relu6(conv_norm(self._conv_head, self._bn1, x)))
        return maps

    def fold(self) -> None:
        """Bake all norms into the convolutions, for inference."""
        _fold(self._conv_stem, self._bn0)
        for block in self._blocks:
            block.fold()
        _fold(self._conv_head, self._bn1)


def _round_width(channels: int, multiplier: float) -> int:
    scaled = channels * multiplier
    rounded = max(8, int(scaled + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * scaled else rounded
