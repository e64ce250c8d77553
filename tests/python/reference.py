# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The reference implementation: transformers 4.57 (5.x has faults in its text positions)."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers.utils.import_utils
from torch import Tensor

# Without this, a timm without torchvision would break the import of the model.
transformers.utils.import_utils._timm_available = False

from transformers import (  # noqa: E402
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    SwinConfig,
)
from transformers.models.grounding_dino import modeling_grounding_dino  # noqa: E402

if not transformers.__version__.startswith("4.57."):
    raise ImportError(f"transformers is {transformers.__version__}, wanted: 4.57.x")


def masks(ids: Tensor) -> tuple[Tensor, Tensor]:
    """Block mask and positions of ids [1,T] as the reference makes them."""
    return modeling_grounding_dino.generate_masks_with_special_tokens_and_transfer_map(ids)


def write_checkpoint(folder: Path, share: bool, **changes: object) -> torch.nn.Module:
    """Write a small random Swin checkpoint into `folder`; returns the reference model."""
    torch.manual_seed(11)
    backbone = SwinConfig(
        embed_dim=24, depths=[2, 2, 2], num_heads=[1, 2, 3], window_size=4, out_indices=[2, 3]
    )
    values = {
        "d_model": 64,
        "num_queries": 30,
        "num_feature_levels": 4,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_ffn_dim": 128,
        "decoder_ffn_dim": 96,
        "encoder_attention_heads": 8,
        "decoder_attention_heads": 4,
        "decoder_n_points": 3,
        "max_text_len": 32,
        "decoder_bbox_embed_share": share,
        **changes,
    }
    config = GroundingDinoConfig(
        backbone_config=backbone.to_dict(),
        text_config={
            "model_type": "bert",
            "hidden_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 96,
        },
        **values,
    )
    model = GroundingDinoForObjectDetection(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.copy_(torch.randn_like(value) * 0.05)
            if "norm" in name.lower() and name.endswith("weight"):
                value.add_(1.0)
            elif name.endswith(("vision_param", "text_param")):
                value.fill_(0.5)
            elif "sampling_offsets.bias" in name:
                value.mul_(40.0)
            elif "bbox_embed" in name:
                value.mul_(6.0)
    model.save_pretrained(folder)
    return model
