# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Checkpoints the bench makes for itself: the real structure with random weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
import transformers.utils.import_utils
from torch import nn

from benchmark.cases import ROOT

# Without this, a timm without torchvision would break the import of the model.
transformers.utils.import_utils._timm_available = False

from transformers import (  # noqa: E402
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    SwinConfig,
)

SEED = 0


def swin_tiny() -> GroundingDinoConfig:
    """Grounding DINO tiny at full size: 172 million weights."""
    backbone = SwinConfig(
        window_size=7,
        image_size=224,
        embed_dim=96,
        depths=[2, 2, 6, 2],
        num_heads=[3, 6, 12, 24],
        out_indices=[2, 3, 4],
    )
    text = {"model_type": "bert", "vocab_size": 30522}
    return GroundingDinoConfig(backbone_config=backbone, text_config=text)


def smallest() -> GroundingDinoConfig:
    """Every part once or twice, and narrow."""
    backbone = SwinConfig(
        embed_dim=16, depths=[1, 2], num_heads=[1, 2], window_size=4, out_indices=[1, 2]
    )
    text = {
        "model_type": "bert",
        "vocab_size": 30522,
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 64,
    }
    return GroundingDinoConfig(
        backbone_config=backbone.to_dict(),
        text_config=text,
        d_model=32,
        num_queries=30,
        num_feature_levels=3,
        encoder_layers=1,
        encoder_ffn_dim=32,
        encoder_attention_heads=4,
        encoder_n_points=2,
        decoder_layers=1,
        decoder_ffn_dim=32,
        decoder_attention_heads=2,
        decoder_n_points=2,
        max_text_len=32,
    )


MAKERS = {"swin-tiny": swin_tiny, "smallest": smallest}


def randomise(model: nn.Module) -> None:
    """Weights with which no part is silent: scores and boxes differ between queries."""
    torch.manual_seed(SEED)
    with torch.no_grad():
        for name, module in model.named_modules():
            if isinstance(module, nn.Linear):
                scale = 0.7 / module.in_features**0.5
                scale *= 3.0 if name.endswith("sampling_offsets") else 1.0
                module.weight.copy_(torch.randn_like(module.weight) * scale)
                # The offsets' bias makes rings of sampling points; that stays.
                if module.bias is not None and not name.endswith("sampling_offsets"):
                    module.bias.copy_(torch.randn_like(module.bias) * 0.05)
            elif isinstance(module, nn.LayerNorm):
                module.weight.copy_(1.0 + torch.randn_like(module.weight) * 0.1)
                module.bias.copy_(torch.randn_like(module.bias) * 0.05)
        for name, value in model.named_parameters():
            if name.endswith(("vision_param", "text_param")):
                value.fill_(0.3)
            elif "relative_position_bias" in name:
                value.copy_(torch.randn_like(value) * 0.3)
        # Scores of a trained network's size.
        model.model.enc_output_norm.weight.mul_(0.25)
        model.model.decoder.layer_norm.weight.mul_(0.25)


def write_checkpoint(name: str, folder: Path) -> None:
    """Write the checkpoint of `MAKERS` called `name` into `folder`."""
    torch.manual_seed(SEED)
    model = GroundingDinoForObjectDetection(MAKERS[name]()).eval()
    randomise(model)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder, safe_serialization=True)
    shutil.copyfile(ROOT / "models" / "default" / "vocab.txt", folder / "vocab.txt")
