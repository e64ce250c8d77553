# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Models of transformers so small that they are traced in seconds, with random weights."""

from __future__ import annotations

from pathlib import Path

import reference
import torch
from torch import Tensor, nn
from transformers import (
    BertTokenizerFast,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessor,
    GroundingDinoProcessor,
    MMGroundingDinoConfig,
    MMGroundingDinoForObjectDetection,
    SwinConfig,
)

assert reference  # keeps a broken timm out, and refuses other versions
KINDS = {
    "grounding-dino": (GroundingDinoConfig, GroundingDinoForObjectDetection),
    "mm-grounding-dino": (MMGroundingDinoConfig, MMGroundingDinoForObjectDetection),
}
MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
DEVIATION = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


def small_model(kind: str = "grounding-dino", tokens: int = 64, seed: int = 5) -> nn.Module:
    """A model with every part of a large one; `tokens` text tokens at most."""
    torch.manual_seed(seed)
    config_class, model_class = KINDS[kind]
    backbone = SwinConfig(
        embed_dim=16, depths=[1, 1], num_heads=[1, 2], window_size=4, out_indices=[1, 2]
    )
    config = config_class(
        backbone_config=backbone.to_dict(),
        text_config={
            "model_type": "bert",
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 32,
        },
        d_model=32,
        num_queries=20,
        num_feature_levels=3,
        encoder_layers=1,
        decoder_layers=1,
        encoder_ffn_dim=64,
        decoder_ffn_dim=32,
        encoder_attention_heads=4,
        decoder_attention_heads=2,
        max_text_len=tokens,
    )
    model = model_class(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.copy_(torch.randn_like(value) * 0.1)
            if "norm" in name.lower() and name.endswith("weight"):
                value.add_(1.0)
            elif name.endswith(("vision_param", "text_param")):
                value.fill_(0.5)
    return model


def small_processor(vocabulary: Path) -> GroundingDinoProcessor:
    """The processor that belongs to it."""
    return GroundingDinoProcessor(
        GroundingDinoImageProcessor(do_pad=False), BertTokenizerFast(str(vocabulary))
    )


def eager(model: nn.Module, image: Tensor, ids: Tensor) -> tuple[Tensor, Tensor, float]:
    """What transformers gives for image uint8 [1,H,W,3] and n ids, nothing padded.

    Logits [1,Q,n], boxes [1,Q,4], and the least difference between neighbours in the ranking of
    cells that become queries: where it is near nothing, rounding decides which query is which.
    """
    pixels = (image.permute(0, 3, 1, 2).float() / 255 - MEAN) / DEVIATION
    with torch.no_grad():
        out = model(pixel_values=pixels, input_ids=ids, attention_mask=torch.ones_like(ids))
    scores = out.enc_outputs_class.amax(-1)[0]
    usable = torch.isfinite(out.enc_outputs_coord_logits[0]).all(-1)
    # Cells at the border are all alike: one stands for them.
    ranked = torch.cat([scores[usable], scores[~usable][:1]]).sort(descending=True)[0]
    gaps = ranked[:-1] - ranked[1:]
    least = float(gaps[: model.config.num_queries].min())
    return out.logits[..., : ids.shape[1]], out.pred_boxes, least
