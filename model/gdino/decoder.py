# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Decoder: queries look at each other, at the text and at the image, and move their boxes."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gdino.attention import DeformableAttention, MultiheadAttention
from gdino.bert import ACTIVATION
from gdino.config import GroundingDinoConfig
from gdino.geometry import sine_features


class PredictionHead(nn.Module):
    """Perceptron with ReLU between its linear layers."""

    def __init__(self, width_in: int, hidden: int, width_out: int, count: int) -> None:
        super().__init__()
        widths = [width_in] + [hidden] * (count - 1) + [width_out]
        self.layers = nn.ModuleList(nn.Linear(widths[i], widths[i + 1]) for i in range(count))

    def forward(self, x: Tensor) -> Tensor:
        # No slice of the module list: torch 2.6 cannot export one.
        for index, layer in enumerate(self.layers):
            x = layer(x) if index == 0 else layer(F.relu(x))
        return x


def contrast(queries: Tensor, text: Tensor, text_mask: Tensor) -> Tensor:
    """Similarity of queries [B,Q,D] and tokens [B,T,D]; -inf where text_mask [B,T] is false."""
    logits = queries @ text.transpose(-1, -2)
    return logits.masked_fill(~text_mask[:, None, :], float("-inf"))


class ContrastiveHead(nn.Module):
    """`contrast`; MM-Grounding-DINO's divides by sqrt(D) and adds a learned bias."""

    def __init__(self, config: GroundingDinoConfig) -> None:
        super().__init__()
        self.scale = config.d_model**-0.5 if config.scaled_scores else None
        bias = nn.Parameter(torch.tensor(0.0)) if config.scaled_scores else None
        self.register_parameter("bias", bias)

    def forward(self, queries: Tensor, text: Tensor, text_mask: Tensor) -> Tensor:
        """queries [B,Q,D], text [B,T,D], text_mask bool [B,T] -> logits [B,Q,T]."""
        if self.scale is None:
            return contrast(queries, text, text_mask)
        # Text is the shorter of the two; minus infinity stays what it is.
        return contrast(queries, text * self.scale, text_mask) + self.bias


def inverse_sigmoid(boxes: Tensor, eps: float) -> Tensor:
    """Logit with the published clamp; infinite proposals come out finite."""
    boxes = boxes.clamp(eps, 1 - eps)
    return torch.log(boxes / (1 - boxes))


class DecoderLayer(nn.Module):
    """Self attention, text attention, deformable image attention, feed forward."""

    def __init__(self, config: GroundingDinoConfig, shapes: list[tuple[int, int]]) -> None:
        super().__init__()
        width, heads, eps = config.d_model, config.decoder_attention_heads, config.layer_norm_eps
        self.self_attn = MultiheadAttention(width, heads)
        self.self_attn_layer_norm = nn.LayerNorm(width, eps)
        self.encoder_attn_text = MultiheadAttention(width, heads)
        self.encoder_attn_text_layer_norm = nn.LayerNorm(width, eps)
        self.encoder_attn = DeformableAttention(config, heads, config.decoder_n_points, shapes)
        self.encoder_attn_layer_norm = nn.LayerNorm(width, eps)
        self.fc1 = nn.Linear(width, config.decoder_ffn_dim)
        self.fc2 = nn.Linear(config.decoder_ffn_dim, width)
        self.final_layer_norm = nn.LayerNorm(width, eps)
        self.activation = ACTIVATION[config.activation_function]
        self.dropout = config.dropout

    def forward(
        self,
        queries: Tensor,
        position: Tensor,
        boxes: Tensor,
        vision: Tensor,
        text: Tensor,
        text_mask: Tensor,
    ) -> Tensor:
        placed = queries + position
        x = queries + self._drop(self.self_attn(placed, placed, queries, None))
        x = self.self_attn_layer_norm(x)
        found = self.encoder_attn_text(x + position, text, text, text_mask[:, None, None, :])
        x = self.encoder_attn_text_layer_norm(x + self._drop(found))
        seen = self.encoder_attn(x + position, vision, boxes)
        x = self.encoder_attn_layer_norm(x + self._drop(seen))
        y = self.fc2(self.activation(self.fc1(x)))
        return self.final_layer_norm(x + self._drop(y))

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class Decoder(nn.Module):
    """All decoder layers; the detector has the heads (`bbox_embed`, `class_embed`) too."""

    def __init__(self, config: GroundingDinoConfig, shapes: list[tuple[int, int]]) -> None:
        super().__init__()
        self.half = config.d_model // 2
        self.box_eps = config.box_eps
        self.layer_norm = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.layers = nn.ModuleList(
            DecoderLayer(config, shapes) for _ in range(config.decoder_layers)
        )
        self.reference_points_head = PredictionHead(
            config.query_dim // 2 * config.d_model, config.d_model, config.d_model, 2
        )
        heads = [
            PredictionHead(config.d_model, config.d_model, 4, 3)
            for _ in range(1 if config.shared_box_heads else config.decoder_layers)
        ]
        self.bbox_embed = nn.ModuleList(heads * config.decoder_layers if len(heads) == 1 else heads)
        self.class_embed = nn.ModuleList(
            ContrastiveHead(config) for _ in range(config.decoder_layers)
        )

    def query_position(self, boxes: Tensor) -> Tensor:
        """Position embedding of boxes [B,Q,4], in the published order y, x, w, h."""
        x, y, w, h = boxes.unbind(-1)
        swapped = torch.stack((y, x, w, h), dim=-1)
        return self.reference_points_head(sine_features(swapped, self.half, 10000.0))

    def forward(
        self, queries: Tensor, boxes: Tensor, vision: Tensor, text: Tensor, text_mask: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        """Return for each layer its normalised queries [B,Q,D] and its boxes [B,Q,4]."""
        out = []
        last = len(self.layers) - 1
        for index, layer in enumerate(self.layers):
            position = self.query_position(boxes)
            queries = layer(queries, position, boxes, vision, text, text_mask)
            before = inverse_sigmoid(boxes, self.box_eps)
            normed = self.layer_norm(queries)
            out.append((normed, (self.bbox_embed[index](normed).float() + before).sigmoid()))
            if index < last:
                # The next layer starts from the move of the raw queries, as published.
                moved = self.bbox_embed[index](queries).float() + before
                boxes = moved.sigmoid().detach()
        return out
