# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The default model's configuration and the initial values training starts from."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import nn

from gdino.attention import BiMultiHeadAttention, DeformableAttention
from gdino.config import BertConfig, EfficientNetLiteConfig, GroundingDinoConfig
from gdino.decoder import PredictionHead
from gdino.efficientnet import EfficientNetLite
from gdino.encoder import FusionLayer
from gdino.network import GroundingDino

DEFAULT_CANVAS = (448, 256)


def default_config(**changes: object) -> GroundingDinoConfig:
    """Configuration of the default model: MiniLM text, EfficientNet-Lite0, D 128, 3 + 3 layers."""
    config = GroundingDinoConfig(
        d_model=128,
        num_queries=100,
        num_feature_levels=3,
        encoder_layers=3,
        encoder_ffn_dim=512,
        encoder_attention_heads=8,
        decoder_layers=3,
        decoder_ffn_dim=512,
        decoder_attention_heads=8,
        max_text_len=64,
        dropout=0.0,
        fusion_droppath=0.0,
        text_config=BertConfig(
            hidden_size=384,
            num_hidden_layers=6,
            num_attention_heads=12,
            intermediate_size=1536,
        ),
        backbone_config=EfficientNetLiteConfig(),
    )
    return replace(config, **changes)


def initialise(network: GroundingDino) -> GroundingDino:
    """Fill a network with the published random start; returns it.

    The backbone and the text encoder get plain values: give them trained ones.
    """
    std = network.config.init_std
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.Linear):
                module.weight.normal_(0.0, std)
                if module.bias is not None:
                    module.bias.zero_()
            elif isinstance(module, nn.Embedding):
                module.weight.normal_(0.0, std)
            elif isinstance(module, nn.Conv2d):
                module.weight.normal_(0.0, std)
                if module.bias is not None:
                    module.bias.zero_()
            elif isinstance(module, (nn.LayerNorm, nn.GroupNorm)):
                module.weight.fill_(1.0)
                module.bias.zero_()
        for module in network.modules():
            if isinstance(module, DeformableAttention):
                module.reset()
            elif isinstance(module, BiMultiHeadAttention):
                for layer in module.children():
                    nn.init.xavier_uniform_(layer.weight)
            elif isinstance(module, FusionLayer):
                module.vision_param.fill_(1e-4)
                module.text_param.fill_(1e-4)
            elif isinstance(module, PredictionHead) and module.layers[-1].out_features == 4:
                nn.init.zeros_(module.layers[-1].weight)
                nn.init.zeros_(module.layers[-1].bias)
        nn.init.normal_(network.model.level_embed)
        backbone = network.model.backbone.conv_encoder.model
        if isinstance(backbone, EfficientNetLite):
            for module in backbone.modules():
                if isinstance(module, nn.Conv2d):
                    fan_out = module.weight[0, 0].numel() * module.out_channels // module.groups
                    module.weight.normal_(0.0, math.sqrt(2.0 / fan_out))
    return network


def default_network(canvas: tuple[int, int] = DEFAULT_CANVAS, seed: int = 0) -> GroundingDino:
    """Default-model network with random weights from `seed`."""
    torch.manual_seed(seed)
    return initialise(GroundingDino(default_config(), canvas))


def load_pretrained_parts(
    network: GroundingDino, text_folder: str | None = None, backbone_file: str | None = None
) -> None:
    """Load BERT weights (a folder with model.safetensors) and EfficientNet-Lite ones (.pth)."""
    from pathlib import Path

    from gdino.checkpoint import apply_weights, read_tensors

    if text_folder is not None:
        path = Path(text_folder) / "model.safetensors"
        tensors = {
            name.removeprefix("bert."): tensor
            for name, tensor in read_tensors(path).items()
            if "pooler." not in name and not name.endswith("position_ids")
        }
        apply_weights(network.model.text_backbone, tensors, str(path))
    if backbone_file is not None:
        tensors = torch.load(backbone_file, map_location="cpu", weights_only=True)
        tensors = {
            name: tensor
            for name, tensor in tensors.items()
            if not name.startswith("_fc.") and not name.endswith("num_batches_tracked")
        }
        apply_weights(network.model.backbone.conv_encoder.model, tensors, backbone_file)
