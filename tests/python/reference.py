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
    MMGroundingDinoConfig,
    MMGroundingDinoForObjectDetection,
    SwinConfig,
)
from transformers import modeling_utils as init  # noqa: E402
from transformers.models.grounding_dino import modeling_grounding_dino  # noqa: E402

if not transformers.__version__.startswith("4.57."):
    raise ImportError(f"transformers is {transformers.__version__}, wanted: 4.57.x")


FAMILIES = {
    "grounding-dino": (GroundingDinoConfig, GroundingDinoForObjectDetection),
    "mm-grounding-dino": (MMGroundingDinoConfig, MMGroundingDinoForObjectDetection),
}


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


# Structure of the published checkpoints: depths, heads, levels and windows are theirs.
SWIN = {
    "tiny": {"depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24], "window_size": 7},
    "base": {"depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32], "window_size": 12},
    "large": {"depths": [2, 2, 18, 2], "num_heads": [6, 12, 24, 48], "window_size": 12},
}
FULL_WIDTH = {"tiny": 96, "base": 128, "large": 192}
# What a head of attention has in narrow copies of them, in channels; published: 32.
NARROW_HEAD = 8


def family(model_type: str, size: str, narrow: bool = True) -> torch.nn.Module:
    """A random network of `model_type` at its published structure, `tiny`, `base` or `large`.

    Where `narrow`, all widths are a quarter of the published ones or less.
    """
    backbone = {"model_type": "swin", "image_size": 224 if size == "tiny" else 384, **SWIN[size]}
    backbone["embed_dim"] = NARROW_HEAD * SWIN[size]["num_heads"][0]
    backbone["out_indices"] = [1, 2, 3, 4] if size == "large" else [2, 3, 4]
    text = {"model_type": "bert", "vocab_size": 30522}
    values: dict[str, object] = {"num_feature_levels": 5 if size == "large" else 4}
    if narrow:
        text.update(hidden_size=96, intermediate_size=384)
        values.update(d_model=64, encoder_ffn_dim=256, decoder_ffn_dim=256, num_queries=120)
    else:
        backbone["embed_dim"] = FULL_WIDTH[size]
    config_class, model_class = FAMILIES[model_type]
    config = config_class(backbone_config=backbone, text_config=text, **values)
    # Zeros at first: random values of 172 million weights that nobody will see take seconds.
    with init.no_init_weights():
        model = model_class(config)
    return randomise(model.eval())


def randomise(model: torch.nn.Module, seed: int = 5) -> torch.nn.Module:
    """Give every weight a size at which it matters and at which no layer drowns its input."""
    generator = torch.Generator().manual_seed(seed)

    def noise(value: Tensor, scale: float) -> Tensor:
        return torch.randn(value.shape, generator=generator) * scale

    with torch.no_grad():
        for name, value in model.named_parameters():
            kind = name.rpartition(".")[2]
            if kind == "weight" and value.dim() == 1:
                value.copy_(1.0 + noise(value, 0.1))
            elif kind in ("vision_param", "text_param"):
                value.copy_(0.5 + noise(value, 0.1))
            elif kind == "relative_position_bias_table" or "embed" in kind:
                value.copy_(noise(value, 0.5))
            elif "class_embed" in name:
                value.copy_(noise(value, 1.0) - 2.0)
            elif name.endswith("sampling_offsets.bias"):
                value.copy_(noise(value, 2.0))
            elif kind == "bias":
                value.copy_(noise(value, 0.1))
            elif "embeddings" in name and value.dim() == 2:
                value.copy_(noise(value, 0.3))
            else:
                # A box moves by less than its size from layer to layer.
                gain = 0.3 if "bbox_embed" in name and ".layers.2" in name else 1.0
                value.copy_(noise(value, gain * value[0].numel() ** -0.5))
    return model
