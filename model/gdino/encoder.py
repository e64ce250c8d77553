# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Encoder: image and text fused, then each refined."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gdino.attention import BiMultiHeadAttention, DeformableAttention, MultiheadAttention
from gdino.bert import ACTIVATION
from gdino.chunks import by_chunks
from gdino.config import GroundingDinoConfig


class FusionLayer(nn.Module):
    """Adds what image and text say about each other."""

    def __init__(self, config: GroundingDinoConfig) -> None:
        super().__init__()
        self.layer_norm_vision = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.layer_norm_text = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.attn = BiMultiHeadAttention(config)
        self.drop_path = config.fusion_droppath
        self.vision_param = nn.Parameter(torch.full((config.d_model,), 1e-4))
        self.text_param = nn.Parameter(torch.full((config.d_model,), 1e-4))

    def forward(self, vision: Tensor, text: Tensor, text_mask: Tensor) -> tuple[Tensor, Tensor]:
        # As published, the residual is the normalised input.
        vision = self.layer_norm_vision(vision)
        text = self.layer_norm_text(text)
        for_vision, for_text = self.attn(vision, text, text_mask)
        vision = vision + self._drop(self.vision_param * for_vision)
        text = text + self._drop(self.text_param * for_text)
        return vision, text

    def _drop(self, x: Tensor) -> Tensor:
        if not self.training or self.drop_path == 0.0:
            return x
        keep = 1 - self.drop_path
        kept = torch.rand(x.shape[0], 1, 1, dtype=x.dtype, device=x.device) < keep
        return x * kept / keep


class TextEnhancerLayer(nn.Module):
    """Transformer layer over the prompt, each phrase for itself."""

    def __init__(self, config: GroundingDinoConfig) -> None:
        super().__init__()
        width = config.encoder_ffn_dim // 2
        self.self_attn = MultiheadAttention(config.d_model, config.encoder_attention_heads // 2)
        self.fc1 = nn.Linear(config.d_model, width)
        self.fc2 = nn.Linear(width, config.d_model)
        self.layer_norm_before = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.layer_norm_after = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.activation = ACTIVATION[config.activation_function]

    def forward(self, text: Tensor, position: Tensor, block_mask: Tensor) -> Tensor:
        query = text + position
        text = text + self.self_attn(query, query, text, block_mask[:, None])
        text = self.layer_norm_before(text)
        return self.layer_norm_after(text + self.fc2(self.activation(self.fc1(text))))


class DeformableLayer(nn.Module):
    """Transformer layer over the image maps with deformable attention."""

    def __init__(self, config: GroundingDinoConfig, shapes: list[tuple[int, int]]) -> None:
        super().__init__()
        self.self_attn = DeformableAttention(
            config, config.encoder_attention_heads, config.encoder_n_points, shapes
        )
        self.self_attn_layer_norm = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.fc1 = nn.Linear(config.d_model, config.encoder_ffn_dim)
        self.fc2 = nn.Linear(config.encoder_ffn_dim, config.d_model)
        self.final_layer_norm = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.activation = ACTIVATION[config.activation_function]
        self.dropout = config.dropout

    def forward(self, vision: Tensor, position: Tensor, reference: Tensor) -> Tensor:
        x = self.self_attn(vision + position, vision, reference)
        x = F.dropout(x, self.dropout, self.training)
        x = self.self_attn_layer_norm(vision + x)
        return by_chunks(self._feed_forward, x, self.fc1.out_features)

    def _feed_forward(self, x: Tensor) -> Tensor:
        y = self.fc2(self.activation(self.fc1(x)))
        y = F.dropout(y, self.dropout, self.training)
        return self.final_layer_norm(x + y)


class EncoderLayer(nn.Module):
    """Fusion, then text enhancer and deformable layer side by side."""

    def __init__(self, config: GroundingDinoConfig, shapes: list[tuple[int, int]]) -> None:
        super().__init__()
        self.text_enhancer_layer = TextEnhancerLayer(config)
        self.fusion_layer = FusionLayer(config)
        self.deformable_layer = DeformableLayer(config, shapes)

    def forward(
        self,
        vision: Tensor,
        vision_position: Tensor,
        reference: Tensor,
        text: Tensor,
        text_position: Tensor,
        text_mask: Tensor,
        block_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        vision, text = self.fusion_layer(vision, text, text_mask)
        text = self.text_enhancer_layer(text, text_position, block_mask)
        vision = self.deformable_layer(vision, vision_position, reference)
        return vision, text


class Encoder(nn.Module):
    """All encoder layers: (vision [B,N,D], text [B,T,D]) -> the same, refined."""

    def __init__(self, config: GroundingDinoConfig, shapes: list[tuple[int, int]]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(config, shapes) for _ in range(config.encoder_layers)
        )

    def forward(
        self,
        vision: Tensor,
        vision_position: Tensor,
        reference: Tensor,
        text: Tensor,
        text_position: Tensor,
        text_mask: Tensor,
        block_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        for layer in self.layers:
            vision, text = layer(
                vision, vision_position, reference, text, text_position, text_mask, block_mask
            )
        return vision, text
