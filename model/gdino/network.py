# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The static Grounding DINO network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from gdino.attention import DeformableAttention
from gdino.bert import Bert
from gdino.config import ConfigError, EfficientNetLiteConfig, GroundingDinoConfig
from gdino.decoder import ContrastiveHead, Decoder, PredictionHead
from gdino.efficientnet import EfficientNetLite
from gdino.encoder import Encoder
from gdino.geometry import map_position, proposals, reference_points, sine_features

SMALLEST_CANVAS = 32
LARGEST_CANVAS = 8192


def check_canvas(config: GroundingDinoConfig, canvas: tuple[int, int]) -> None:
    """Raise ConfigError where width or height do not suit the backbone."""
    width, height = canvas
    step = 32
    if not isinstance(config.backbone_config, EfficientNetLiteConfig):
        step = config.backbone_config.patch_size
    for name, value in (("width", width), ("height", height)):
        if not SMALLEST_CANVAS <= value <= LARGEST_CANVAS or value % step:
            raise ConfigError(
                f"canvas {width}x{height}: {name} is {value}, wanted: a multiple of {step} "
                f"from {SMALLEST_CANVAS} to {LARGEST_CANVAS}"
            )


class ConvEncoder(nn.Module):
    """Holds the backbone under Hugging Face's name."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model


class Backbone(nn.Module):
    """Holds the conv encoder under Hugging Face's name."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.conv_encoder = ConvEncoder(model)


def build_backbone(config: GroundingDinoConfig, canvas: tuple[int, int]) -> nn.Module:
    """Make the image backbone the configuration names; it has `channels` and `shapes`."""
    if isinstance(config.backbone_config, EfficientNetLiteConfig):
        return EfficientNetLite(config.backbone_config, canvas)
    from gdino.swin import Swin

    return Swin(config.backbone_config, canvas)


class GroundingDinoModel(nn.Module):
    """Everything below the heads, with Hugging Face's parameter names."""

    def __init__(self, config: GroundingDinoConfig, canvas: tuple[int, int]) -> None:
        super().__init__()
        model = build_backbone(config, canvas)
        self.backbone = Backbone(model)
        shapes = list(model.shapes)
        projections = [
            nn.Sequential(nn.Conv2d(channels, config.d_model, 1), nn.GroupNorm(32, config.d_model))
            for channels in model.channels
        ]
        channels = model.channels[-1]
        for _ in range(config.num_feature_levels - len(model.channels)):
            projections.append(
                nn.Sequential(
                    nn.Conv2d(channels, config.d_model, 3, stride=2, padding=1),
                    nn.GroupNorm(32, config.d_model),
                )
            )
            shapes.append(((shapes[-1][0] + 1) // 2, (shapes[-1][1] + 1) // 2))
            channels = config.d_model
        self.shapes = shapes
        self.input_proj_vision = nn.ModuleList(projections)
        self.text_backbone = Bert(config.text_config)
        self.text_projection = nn.Linear(config.text_config.hidden_size, config.d_model)
        self.query_position_embeddings = nn.Embedding(config.num_queries, config.d_model)
        self.encoder = Encoder(config, shapes)
        self.decoder = Decoder(config, shapes)
        self.level_embed = nn.Parameter(torch.empty(config.num_feature_levels, config.d_model))
        self.enc_output = nn.Linear(config.d_model, config.d_model)
        self.enc_output_norm = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.encoder_output_bbox_embed = PredictionHead(config.d_model, config.d_model, 4, 3)
        self.encoder_output_class_embed = ContrastiveHead(config)

    def vision_maps(self, pixels: Tensor) -> Tensor:
        """Normalised pixels float [B,3,H,W] -> [B,N,D], the projected maps one after another."""
        maps = self.backbone.conv_encoder.model(pixels)
        source = maps[-1]
        rows = []
        for level, projection in enumerate(self.input_proj_vision):
            x = projection(maps[level] if level < len(maps) else source)
            if level >= len(maps):
                source = x
            rows.append(x.flatten(2).transpose(1, 2))
        return torch.cat(rows, dim=1)


class GroundingDino(nn.Module):
    """Grounding DINO for one canvas size (width, height); prompts differ only in values."""

    def __init__(self, config: GroundingDinoConfig, canvas: tuple[int, int]) -> None:
        super().__init__()
        check_canvas(config, canvas)
        self.config = config
        self.canvas = (int(canvas[0]), int(canvas[1]))
        self.model = GroundingDinoModel(config, self.canvas)
        self.bbox_embed = self.model.decoder.bbox_embed
        self.class_embed = self.model.decoder.class_embed
        shapes = self.model.shapes
        self.cells = sum(h * w for h, w in shapes)
        if config.num_queries > self.cells:
            raise ConfigError(
                f"canvas {canvas[0]}x{canvas[1]} has {self.cells} cells, fewer than the "
                f"checkpoint's {config.num_queries} queries; wanted: a larger canvas"
            )
        self._constant("mean", torch.tensor(config.image_mean).view(3, 1, 1) * 255)
        self._constant("deviation", torch.tensor(config.image_std).view(3, 1, 1) * 255)
        temperature = config.positional_embedding_temperature
        self._constant(
            "position",
            torch.cat([map_position(h, w, config.d_model, temperature) for h, w in shapes]),
        )
        self._constant("reference", reference_points(shapes)[None])
        boxes, valid = proposals(shapes)
        self._constant("proposals", boxes)
        self._constant("usable", valid)
        levels = [torch.full((h * w,), i) for i, (h, w) in enumerate(shapes)]
        self._constant("level", torch.cat(levels))
        self.register_buffer("folded_position", None, persistent=False)

    def _constant(self, name: str, value: Tensor) -> None:
        self.register_buffer(name, value.contiguous(), persistent=False)

    def fold(self) -> None:
        """Work out for inference what depends on weights only; not to be trained or saved after."""
        backbone = self.model.backbone.conv_encoder.model
        if isinstance(backbone, EfficientNetLite):
            backbone.fold()
        for module in self.modules():
            if isinstance(module, DeformableAttention):
                module.fold()
        self._constant("folded_position", self._vision_position().detach())

    def _vision_position(self) -> Tensor:
        if self.folded_position is not None:
            return self.folded_position
        return self.position + self.model.level_embed[self.level]

    def encode_text(
        self, input_ids: Tensor, position_ids: Tensor, block_mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Encode a prompt.

        input_ids and position_ids int64 [B,T], block_mask bool [B,T,T] (true = may attend) ->
        text_features float [B,T,D], text_position float32 [B,T,D].
        """
        features = self.model.text_backbone(input_ids, position_ids, block_mask)
        features = self.model.text_projection(features)
        position = sine_features(position_ids[..., None].float(), self.config.d_model, 10000.0)
        return features, position

    def forward_frame(
        self,
        image: Tensor,
        text_features: Tensor,
        text_position: Tensor,
        text_mask: Tensor,
        block_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Detect in frames.

        image uint8 [B,H,W,3] RGB, text_features and text_position float32 [B,T,D], text_mask bool
        [B,T] (true = token), block_mask bool [B,T,T] -> logits float32 [B,Q,T] (-inf where
        text_mask is false), boxes float32 [B,Q,4] as centre and size in 0..1 of the canvas.
        """
        pixels = self.normalise(image)
        vision, text = self._encode(pixels, text_features, text_position, text_mask, block_mask)
        object_query, scores = self._score(vision, text, text_mask)
        chosen = self._select(scores)
        # Only the chosen rows need boxes here; training wants them all.
        picked = object_query.gather(1, chosen.expand(-1, -1, object_query.shape[-1]))
        start = self._boxes(picked) + self.proposals[chosen.squeeze(-1)]
        queries = self._queries(len(image))
        layers = self.model.decoder(queries, start.sigmoid(), vision, text, text_mask)
        hidden, boxes = layers[-1]
        return self.class_embed[-1](hidden, text, text_mask), boxes

    def forward_train(
        self,
        pixels: Tensor,
        text_features: Tensor,
        text_position: Tensor,
        text_mask: Tensor,
        block_mask: Tensor,
    ) -> dict[str, Any]:
        """Differentiable forward with all intermediate results.

        pixels float [B,3,H,W] normalised, the rest as in `forward_frame`. Returns enc_logits
        [B,N,T], enc_boxes [B,N,4], and lists over decoder layers: logits [B,Q,T], boxes [B,Q,4].
        Logits are -inf where text_mask is false; boxes are float32.
        """
        pixels = pixels.contiguous(memory_format=torch.channels_last)
        vision, text = self._encode(pixels, text_features, text_position, text_mask, block_mask)
        object_query, scores = self._score(vision, text, text_mask)
        before = self._boxes(object_query) + self.proposals
        chosen = self._select(scores)
        start = before.detach().gather(1, chosen.expand(-1, -1, 4)).sigmoid()
        queries = self._queries(len(pixels))
        layers = self.model.decoder(queries, start, vision, text, text_mask)
        return {
            "enc_logits": scores,
            "enc_boxes": before.sigmoid(),
            "logits": [
                head(hidden, text, text_mask)
                for head, (hidden, _) in zip(self.class_embed, layers, strict=True)
            ],
            "boxes": [boxes for _, boxes in layers],
        }

    def normalise(self, image: Tensor) -> Tensor:
        """uint8 [B,H,W,3] -> float32 [B,3,H,W], channels last in memory."""
        return (image.permute(0, 3, 1, 2).float() - self.mean) / self.deviation

    def _encode(
        self,
        pixels: Tensor,
        text: Tensor,
        text_position: Tensor,
        text_mask: Tensor,
        block_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        vision = self.model.vision_maps(pixels)
        return self.model.encoder(
            vision,
            self._vision_position(),
            self.reference,
            text,
            text_position,
            text_mask,
            block_mask,
        )

    def _score(self, vision: Tensor, text: Tensor, text_mask: Tensor) -> tuple[Tensor, Tensor]:
        query = vision.masked_fill(~self.usable, 0.0)
        query = self.model.enc_output_norm(self.model.enc_output(query))
        return query, self.model.encoder_output_class_embed(query, text, text_mask)

    def _select(self, scores: Tensor) -> Tensor:
        """Indices int64 [B,Q,1] of the cells that look most like a token."""
        best = scores.detach().amax(-1)
        return torch.topk(best, self.config.num_queries, dim=1)[1][..., None]

    def _boxes(self, queries: Tensor) -> Tensor:
        return self.model.encoder_output_bbox_embed(queries).float()

    def _queries(self, batch: int) -> Tensor:
        return self.model.query_position_embeddings.weight[None].expand(batch, -1, -1)

    @classmethod
    def from_folder(
        cls,
        path: str | Path,
        canvas: tuple[int, int],
        progress: Callable[[str], None] | None = None,
    ) -> GroundingDino:
        """Load a Hugging Face folder (config.json and safetensors) in float32, in eval mode."""
        from gdino.checkpoint import load_folder

        return load_folder(cls, path, canvas, progress)

    def save_folder(self, path: str | Path, dtype: torch.dtype = torch.float16) -> None:
        """Write config.json, preprocessor_config.json and model.safetensors into `path`."""
        from gdino.checkpoint import save_folder

        save_folder(self, path, dtype)
