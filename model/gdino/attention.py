# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Attention of the detector: plain, image with text, and deformable as a row gather."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gdino.chunks import chunks
from gdino.config import GroundingDinoConfig
from gdino.rows import weighted_rows

# Score of a padding token: no softmax over tokens sees it.
OUT_OF_SIGHT = -1e30


def split_heads(x: Tensor, heads: int) -> Tensor:
    """[B,T,heads*C] -> [B,heads,T,C]."""
    batch, tokens, width = x.shape
    return x.view(batch, tokens, heads, width // heads).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """[B,heads,T,C] -> [B,T,heads*C]."""
    batch, heads, tokens, width = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, heads * width)


class MultiheadAttention(nn.Module):
    """Scaled dot product attention; `mask` is bool, true = may attend."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        out = F.scaled_dot_product_attention(
            split_heads(self.query(queries), self.heads),
            split_heads(self.key(keys), self.heads),
            split_heads(self.value(values), self.heads),
            attn_mask=mask,
        )
        return self.out_proj(join_heads(out))


class BiMultiHeadAttention(nn.Module):
    """Image looks at text and text at image, from the same projected pair.

    The published code projects all N cells three times, to `heads` * C channels. Matrix products
    are associative, so here the T tokens carry those projections: cells meet the text in their own
    D channels, which halves the work at T = 256 and takes an eighth at T = 64. Cells are taken in
    chunks (see `gdino.chunks`), and the softmax over all cells is put together from its parts.
    """

    def __init__(self, config: GroundingDinoConfig) -> None:
        super().__init__()
        width = config.encoder_ffn_dim // 2
        self.heads = config.encoder_attention_heads // 2
        self.vision_proj = nn.Linear(config.d_model, width)
        self.text_proj = nn.Linear(config.d_model, width)
        self.values_vision_proj = nn.Linear(config.d_model, width)
        self.values_text_proj = nn.Linear(config.d_model, width)
        self.out_vision_proj = nn.Linear(width, config.d_model)
        self.out_text_proj = nn.Linear(width, config.d_model)

    def forward(self, vision: Tensor, text: Tensor, text_mask: Tensor) -> tuple[Tensor, Tensor]:
        """vision [B,N,D], text [B,T,D], text_mask bool [B,T] -> changes of both."""
        keys, bias, values = self._tokens(text, text_mask)
        pairs = [
            self._attend(vision[i], keys[i], bias[i], values[i]) for i in range(len(vision))
        ]
        for_vision = torch.stack([pair[0] for pair in pairs])
        seen = torch.stack([pair[1] for pair in pairs])
        return for_vision, self._for_text(seen)

    def _tokens(self, text: Tensor, text_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The text's side of the scores, in the channels of the cells.

        Returns keys [B,D,heads*T] and bias [B,heads*T] with score = cell @ keys + bias, and the
        values [B,heads*T,D] that a cell adds up, output layer included.
        """
        batch, tokens, width = text.shape
        heads = self.heads
        words = split_heads(self.text_proj(text), heads)
        scale = words.shape[-1] ** -0.5
        look = self.vision_proj.weight.view(heads, -1, width)
        keys = (words @ look) * scale
        bias = (words * self.vision_proj.bias.view(heads, 1, -1)).sum(-1) * scale
        # Finite, so that the softmax over cells of a padding token is finite too.
        bias = bias.masked_fill(~text_mask[:, None, :], OUT_OF_SIGHT)
        values = split_heads(self.values_text_proj(text), heads)
        give = self.out_vision_proj.weight.view(width, heads, -1).permute(1, 2, 0)
        values = values @ give
        return (
            keys.reshape(batch, heads * tokens, width).transpose(1, 2),
            bias.reshape(batch, heads * tokens),
            values.reshape(batch, heads * tokens, width),
        )

    def _attend(
        self, cells: Tensor, keys: Tensor, bias: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor]:
        """cells [N,D], the rest as `_tokens` gives them -> [N,D], means of cells [heads*T,D]."""
        changes = []
        peaks = []
        sums = []
        means = []
        for part in chunks(cells, keys.shape[-1]):
            score = torch.addmm(bias, part, keys)
            share = score.view(len(part), self.heads, -1).softmax(-1).view(score.shape)
            changes.append(torch.addmm(self.out_vision_proj.bias, share, values))
            peak = score.amax(0)
            weight = (score - peak).exp()
            peaks.append(peak)
            sums.append(weight.sum(0))
            means.append(weight.transpose(0, 1) @ part)
        if len(means) == 1:
            return changes[0], means[0] / sums[0][:, None]
        # exp(score - own peak) of each part, brought to the common peak.
        lift = torch.stack(peaks)
        lift = (lift - lift.amax(0)).exp()
        total = (torch.stack(sums) * lift).sum(0)
        mean = (torch.stack(means) * lift[..., None]).sum(0)
        return torch.cat(changes), mean / total[:, None]

    def _for_text(self, seen: Tensor) -> Tensor:
        """Means of cells [B,heads*T,D] -> what the text takes from them [B,T,D]."""
        batch, _, width = seen.shape
        seen = seen.view(batch, self.heads, -1, width)
        # The weights of a mean add up to 1, so the bias comes through as it is.
        values = seen @ self.values_vision_proj.weight.view(self.heads, -1, width).transpose(1, 2)
        values = values + self.values_vision_proj.bias.view(self.heads, 1, -1)
        return self.out_text_proj(join_heads(values))


class DeformableAttention(nn.Module):
    """Multi-scale deformable attention over maps of fixed shapes.

    Sampling is a gather of value rows (one row = the channels of one head at one cell) with a
    weighted sum per query and head, never a grid sample: see `gdino.rows`.
    """

    def __init__(
        self, config: GroundingDinoConfig, heads: int, points: int, shapes: list[tuple[int, int]]
    ) -> None:
        super().__init__()
        self.heads = heads
        self.points = points
        self.levels = len(shapes)
        self.cells = sum(h * w for h, w in shapes)
        width = config.d_model
        samples = heads * self.levels * points
        self.sampling_offsets = nn.Linear(width, samples * 2)
        self.attention_weights = nn.Linear(width, samples)
        self.value_proj = nn.Linear(width, width)
        self.output_proj = nn.Linear(width, width)
        self.register_buffer("folded_weight", None, persistent=False)
        self.register_buffer("folded_bias", None, persistent=False)
        starts = [sum(h * w for h, w in shapes[:i]) for i in range(self.levels)]
        # Of each of a head's samples: the size of its map, and the first cell of that.
        for name, values in (
            ("columns", [w for _, w in shapes]),
            ("lines", [h for h, _ in shapes]),
            ("first", starts),
        ):
            constant = torch.tensor(values, dtype=torch.int32).repeat_interleave(points)
            self.register_buffer(name, constant, persistent=False)
        heads_before = torch.arange(heads, dtype=torch.int32).view(-1, 1)
        self.register_buffer("head_index", heads_before, persistent=False)

    def fold(self) -> None:
        """Compute all x of a query's offsets before all y, for inference.

        The compiler makes vector code of samples that lie side by side, and only of those.
        """
        layer = self.sampling_offsets
        order = torch.arange(layer.out_features).view(-1, 2).t().reshape(-1)
        self.folded_weight = layer.weight.detach()[order].contiguous()
        self.folded_bias = layer.bias.detach()[order].contiguous()

    def forward(self, queries: Tensor, values: Tensor, reference: Tensor) -> Tensor:
        """queries [B,Q,D] with position, values [B,N,D], reference [1 or B,Q,2 or 4] -> [B,Q,D]."""
        batch, count, width = queries.shape
        grid = (batch, count, self.heads, self.levels * self.points)
        value = self.value_proj(values)
        if self.folded_weight is None:
            offsets = self.sampling_offsets(queries).float()
            dx, dy = offsets.view(*grid, 2).unbind(-1)
        else:
            offsets = F.linear(queries, self.folded_weight, self.folded_bias).float()
            dx, dy = offsets.view(batch, count, 2, *grid[2:]).unbind(2)
        weights = self.attention_weights(queries).float().view(grid).softmax(-1)
        x, y, *size = reference[:, :, None, None, :].unbind(-1)
        # Positions are in cells of each map from here on, and in full precision.
        if size:
            x = (x + dx * (size[0] * (0.5 / self.points))) * self.columns
            y = (y + dy * (size[1] * (0.5 / self.points))) * self.lines
        else:
            x = x * self.columns + dx
            y = y * self.lines + dy
        index, weight = self._corners(x - 0.5, y - 0.5, weights)
        rows = value.float().reshape(batch * self.cells * self.heads, width // self.heads)
        out = weighted_rows(rows, index, weight)
        return self.output_proj(out.view(batch, count, width))

    def _corners(self, x: Tensor, y: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Rows and weights of the four cells around each place, all [B,Q,heads,levels*points].

        -> int32 and float32 [B*Q*heads, 4*levels*points].
        """
        batch, count = x.shape[:2]
        image = torch.arange(batch, dtype=torch.int32, device=x.device)
        base = (image * self.cells).view(-1, 1, 1, 1) + self.first
        columns = _neighbours(x, self.columns)
        rows = []
        factors = []
        for line, weight_y in _neighbours(y, self.lines):
            start = base + line * self.columns
            weight_y = weight_y * weights
            for column, weight_x in columns:
                rows.append((start + column) * self.heads + self.head_index)
                factors.append(weight_x * weight_y)
        bags = batch * count * self.heads
        # Which order the samples of a bag have makes no difference.
        index = torch.stack(rows, dim=-2).view(bags, -1)
        weight = torch.stack(factors, dim=-2).view(bags, -1)
        return index, weight

    def reset(self) -> None:
        """Initialise as published: samples on rays around the query, no learned choice yet."""
        with torch.no_grad():
            nn.init.zeros_(self.sampling_offsets.weight)
            angles = torch.arange(self.heads, dtype=torch.float32) * (2 * math.pi / self.heads)
            rays = torch.stack((angles.cos(), angles.sin()), dim=-1)
            rays = rays / rays.abs().amax(-1, keepdim=True)
            steps = torch.arange(1, self.points + 1, dtype=torch.float32)
            grid = rays.view(-1, 1, 1, 2) * steps.view(1, 1, -1, 1)
            grid = grid.expand(self.heads, self.levels, self.points, 2)
            self.sampling_offsets.bias.copy_(grid.reshape(-1))
            nn.init.zeros_(self.attention_weights.weight)
            nn.init.zeros_(self.attention_weights.bias)
            for layer in (self.value_proj, self.output_proj):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)


def _neighbours(place: Tensor, limit: Tensor) -> list[tuple[Tensor, Tensor]]:
    """The cells before and after each place on one axis of `limit` cells, and their weights.

    Cells are int32 in 0..limit-1, whatever the place, and those outside the map have weight 0.
    """
    # A place this far out has weight zero anyway; the bound keeps the integers in range.
    low = place.floor().clamp(-2.0, 1.0e6)
    part = place - low
    cell = low.to(torch.int32)
    pair = []
    for step, share in ((0, 1 - part), (1, part)):
        here = cell + step
        inside = (here >= 0) & (here < limit)
        here = torch.minimum(here.clamp(min=0), limit - 1)
        pair.append((here, torch.where(inside, share, 0.0)))
    return pair
