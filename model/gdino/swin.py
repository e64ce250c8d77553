# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Swin backbone for a fixed canvas, with Hugging Face's parameter names."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gdino.bert import ACTIVATION
from gdino.chunks import by_chunks
from gdino.config import SwinConfig

# Added to the score of two cells that are neighbours only through the cyclic shift.
APART = -100.0


def relative_index(window: int) -> Tensor:
    """Row of the bias table for each pair of cells in a window: int64 [window^2, window^2]."""
    axis = torch.arange(window)
    cells = torch.stack(torch.meshgrid(axis, axis, indexing="ij")).flatten(1)
    apart = cells[:, :, None] - cells[:, None, :] + window - 1
    return apart[0] * (2 * window - 1) + apart[1]


def shift_mask(height: int, width: int, window: int, shift: int) -> Tensor:
    """Additive mask float32 [windows, window^2, window^2] of the shifted partition."""
    region = torch.zeros(1, height, width, 1)
    bands = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
    for i, rows in enumerate(bands):
        for j, columns in enumerate(bands):
            region[:, rows, columns] = 3 * i + j
    cells = partition(region, window).squeeze(-1)
    return torch.where(cells[:, None] == cells[:, :, None], 0.0, APART)


def partition(x: Tensor, window: int) -> Tensor:
    """[B,H,W,C] -> [B * windows, window^2, C]."""
    batch, height, width, channels = x.shape
    x = x.view(batch, height // window, window, width // window, window, channels)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, window * window, channels)


def unpartition(x: Tensor, window: int, height: int, width: int) -> Tensor:
    """[B * windows, window^2, C] -> [B,H,W,C]."""
    x = x.view(-1, height // window, width // window, window, window, x.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, height, width, x.shape[-1])


class PatchEmbeddings(nn.Module):
    """Holds the patch convolution."""

    def __init__(self, config: SwinConfig) -> None:
        super().__init__()
        self.projection = nn.Conv2d(
            3, config.embed_dim, config.patch_size, stride=config.patch_size
        )


class Embeddings(nn.Module):
    """Pixels [B,3,H,W] -> cells [B,H/p,W/p,C]."""

    def __init__(self, config: SwinConfig) -> None:
        super().__init__()
        self.patch_embeddings = PatchEmbeddings(config)
        self.norm = nn.LayerNorm(config.embed_dim)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.norm(self.patch_embeddings.projection(pixels).permute(0, 2, 3, 1))


class WindowAttention(nn.Module):
    """Attention inside windows with a learned bias per relative position."""

    def __init__(self, config: SwinConfig, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        window = config.window_size
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        self.register_buffer("relative_position_index", relative_index(window))
        self.query = nn.Linear(dim, dim, bias=config.qkv_bias)
        self.key = nn.Linear(dim, dim, bias=config.qkv_bias)
        self.value = nn.Linear(dim, dim, bias=config.qkv_bias)

    def bias(self) -> Tensor:
        """Bias [heads, window^2, window^2] of all pairs in a window."""
        cells = self.relative_position_index.shape[0]
        rows = self.relative_position_bias_table[self.relative_position_index.view(-1)]
        return rows.view(cells, cells, self.heads).permute(2, 0, 1)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """x [B * windows, cells, C], mask [windows, cells, cells] or none."""
        windows, cells, dim = x.shape
        shape = (windows, cells, self.heads, dim // self.heads)
        query = self.query(x).view(shape).transpose(1, 2)
        key = self.key(x).view(shape).transpose(1, 2)
        value = self.value(x).view(shape).transpose(1, 2)
        bias = self.bias()[None]
        if mask is not None:
            bias = bias + mask[:, None]
            bias = bias.repeat(windows // len(mask), 1, 1, 1) if windows != len(mask) else bias
        bias = bias.to(query.dtype)
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return out.transpose(1, 2).reshape(windows, cells, dim)


class Dense(nn.Module):
    """Holds one linear layer under the name `dense`."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width_in, width_out)


class Attention(nn.Module):
    """Window attention and its output layer."""

    def __init__(self, config: SwinConfig, dim: int, heads: int) -> None:
        super().__init__()
        self.self = WindowAttention(config, dim, heads)
        self.output = Dense(dim, dim)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return self.output.dense(self.self(x, mask))


class Block(nn.Module):
    """One Swin block on [B,H,W,C]; padding and shift are literals of the fixed size."""

    def __init__(
        self, config: SwinConfig, dim: int, heads: int, size: tuple[int, int], shift: int
    ) -> None:
        super().__init__()
        self.window = config.window_size
        self.shift = shift
        self.size = size
        self.padded = tuple(-(-side // self.window) * self.window for side in size)
        self.layernorm_before = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.attention = Attention(config, dim, heads)
        self.layernorm_after = nn.LayerNorm(dim, eps=config.layer_norm_eps)
        self.intermediate = Dense(dim, int(config.mlp_ratio * dim))
        self.output = Dense(int(config.mlp_ratio * dim), dim)
        self.activation = ACTIVATION[config.hidden_act]
        mask = shift_mask(*self.padded, self.window, shift) if shift else None
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        height, width = self.size
        high, wide = self.padded
        y = self.layernorm_before(x)
        if self.padded != self.size:
            y = F.pad(y, (0, 0, 0, wide - width, 0, high - height))
        if self.shift:
            y = torch.roll(y, (-self.shift, -self.shift), (1, 2))
        y = self.attention(partition(y, self.window), self.mask)
        y = unpartition(y, self.window, high, wide)
        if self.shift:
            y = torch.roll(y, (self.shift, self.shift), (1, 2))
        x = x + y[:, :height, :width]
        return by_chunks(self._feed_forward, x, self.intermediate.dense.out_features)

    def _feed_forward(self, x: Tensor) -> Tensor:
        y = self.activation(self.intermediate.dense(self.layernorm_after(x)))
        return x + self.output.dense(y)


class PatchMerging(nn.Module):
    """Halves height and width, doubles the channels; odd sides are padded."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = nn.LayerNorm(4 * dim)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[1:3]
        if height % 2 or width % 2:
            x = F.pad(x, (0, 0, 0, width % 2, 0, height % 2))
        parts = (x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2])
        return self.reduction(self.norm(torch.cat(parts, dim=-1)))


class Stage(nn.Module):
    """Blocks of one resolution, and the way down to the next."""

    def __init__(self, config: SwinConfig, index: int, size: tuple[int, int]) -> None:
        super().__init__()
        dim = config.embed_dim << index
        self.blocks = nn.ModuleList(
            Block(
                config,
                dim,
                config.num_heads[index],
                size,
                config.window_size // 2 if i % 2 else 0,
            )
            for i in range(config.depths[index])
        )
        self.downsample = PatchMerging(dim) if index < len(config.depths) - 1 else None


class SwinEncoder(nn.Module):
    """Holds the stages under Hugging Face's name."""

    def __init__(self, config: SwinConfig, sizes: list[tuple[int, int]]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Stage(config, i, size) for i, size in enumerate(sizes))


class Swin(nn.Module):
    """Pixels float [B,3,H,W] -> list of normalised maps [B,C,h,w] of `out_indices`."""

    def __init__(self, config: SwinConfig, canvas: tuple[int, int]) -> None:
        super().__init__()
        size = (canvas[1] // config.patch_size, canvas[0] // config.patch_size)
        sizes = []
        for _ in config.depths:
            sizes.append(size)
            size = ((size[0] + 1) // 2, (size[1] + 1) // 2)
        self.out_indices = config.out_indices
        self.channels = config.channels
        self.shapes = [sizes[i - 1] for i in config.out_indices]
        self.embeddings = Embeddings(config)
        self.encoder = SwinEncoder(config, sizes)
        self.hidden_states_norms = nn.ModuleDict(
            {f"stage{i}": nn.LayerNorm(config.embed_dim << (i - 1)) for i in config.out_indices}
        )

    def forward(self, pixels: Tensor) -> list[Tensor]:
        x = self.embeddings(pixels)
        maps = []
        for index, stage in enumerate(self.encoder.layers, 1):
            for block in stage.blocks:
                x = block(x)
            if index in self.out_indices:
                normed = self.hidden_states_norms[f"stage{index}"](x)
                maps.append(normed.permute(0, 3, 1, 2))
            if stage.downsample is not None:
                x = stage.downsample(x)
        return maps
