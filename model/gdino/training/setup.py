# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The network training starts from, and how stage 1 is put into it."""

import torch
from torch import Tensor, nn

from ..config import GroundingDinoConfig
from ..defaults import DEFAULT_CANVAS, default_config, initialise
from ..network import GroundingDino

NAMING = 96  # dimensions of the features that carry names; the rest is free for places
BIAS = 127  # dimension that carries the constant part of all scores
FROZEN_BLOCKS = 5
# EfficientNet-Lite was trained with (x - 127) / 128.
IMAGE_MEAN = (127 / 255,) * 3
IMAGE_STD = (128 / 255,) * 3


def config() -> GroundingDinoConfig:
    """Configuration of the default model."""
    return default_config(image_mean=IMAGE_MEAN, image_std=IMAGE_STD)


def new_network(seed: int = 0) -> GroundingDino:
    """Default model with random weights."""
    torch.manual_seed(seed)
    return initialise(GroundingDino(config(), DEFAULT_CANVAS))


def normalised(network: GroundingDino, images: Tensor) -> Tensor:
    """uint8 [B, H, W, 3] -> float32 [B, 3, H, W] as the backbone wants it."""
    return network.normalise(images)


def freeze(network: GroundingDino) -> None:
    """No gradient for the text encoder, the stem and the first blocks of the backbone.

    Nor for the depthwise kernels: these are few weights, but their gradient takes most of the
    backbone's time on a CPU.
    """
    network.model.text_backbone.requires_grad_(False)
    backbone = network.model.backbone.conv_encoder.model
    backbone._conv_stem.requires_grad_(False)
    for block in backbone._blocks[:FROZEN_BLOCKS]:
        block.requires_grad_(False)
    for block in backbone._blocks:
        block._depthwise_conv.requires_grad_(False)


def put_naming(
    network: GroundingDino, stage: dict, scale: float, offset: float, spread: Tensor
) -> None:
    """Put the result of stage 1 into a fresh network, so that it names from the first step.

    `scale` and `offset` turn similarities of the naming space into scores; `spread` [3, D] is the
    deviation of the three projected maps, which the group norms would make equal.
    """
    model = network.model
    namer = stage["namer"]
    model.backbone.conv_encoder.model.load_state_dict(stage["backbone"])
    with torch.no_grad():
        model.text_projection.weight.zero_()
        model.text_projection.bias.zero_()
        model.text_projection.weight[:NAMING] = namer["text.weight"]
        model.text_projection.bias[:NAMING] = namer["text.bias"]
        middle, last, far = (layer[0] for layer in model.input_proj_vision)
        for layer in (middle, last, far):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        middle.weight[:NAMING, :, 0, 0] = namer["middle.weight"]
        last.weight[:NAMING, :, 0, 0] = namer["last.weight"]
        ring = torch.full((3, 3), 0.1)
        ring[1, 1] = 0.2
        far.weight[:NAMING] = namer["last.weight"][:, :, None, None] * ring
        middle.bias[:NAMING] = namer["middle.bias"]
        last.bias[:NAMING] = namer["last.bias"]
        far.bias[:NAMING] = namer["last.bias"]
        for level, layer in enumerate(model.input_proj_vision):
            layer[1].weight.copy_(spread[level])
        model.level_embed.mul_(0.1)
        eye = torch.eye(network.config.d_model)
        for layer in model.encoder.layers:
            attention = layer.deformable_layer.self_attn
            attention.value_proj.weight.copy_(eye)
            attention.output_proj.weight.copy_(eye * 0.4)
        for layer in model.decoder.layers:
            layer.encoder_attn.value_proj.weight.copy_(eye)
            layer.encoder_attn.output_proj.weight.copy_(eye)
        model.enc_output.weight.copy_(eye)
        # score = scale * similarity + offset: the text side carries the scale, one dimension of
        # both sides the offset.
        root = abs(offset) ** 0.5
        text_norm = model.encoder.layers[-1].text_enhancer_layer.layer_norm_after
        text_norm.weight.fill_(scale)
        text_norm.weight[BIAS] = 0.0
        text_norm.bias[BIAS] = root
        for norm in (model.enc_output_norm, model.decoder.layer_norm):
            norm.weight[BIAS] = 0.0
            norm.bias[BIAS] = -root
