# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The published code, transformers' GroundingDinoForObjectDetection, for one frame or whole.

Its numerics and its operators stay as they are. What exporting needs changed is in `exportable`.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from types import SimpleNamespace

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from benchmark import networks  # noqa: F401  (imports transformers with care)
from benchmark.cases import Case
from gdino.config import EfficientNetLiteConfig, GroundingDinoConfig
from gdino.efficientnet import EfficientNetLite
from transformers import GroundingDinoConfig as PublishedConfig
from transformers import GroundingDinoForObjectDetection, SwinConfig
from transformers.models.grounding_dino import modeling_grounding_dino as modeling

MASKS = "generate_masks_with_special_tokens_and_transfer_map"
CHECK = "if (spatial_shapes[:, 0] * spatial_shapes[:, 1]).sum() != sequence_length:"


class Maps(EfficientNetLite):
    """The default model's backbone with the result that transformers wants."""

    def forward(self, pixels: Tensor) -> SimpleNamespace:
        return SimpleNamespace(feature_maps=tuple(super().forward(pixels)))


def load(folder: Path, case: Case) -> GroundingDinoForObjectDetection:
    """The published network with the weights of a checkpoint folder, in eval mode."""
    config = GroundingDinoConfig.from_folder(folder)
    if not isinstance(config.backbone_config, EfficientNetLiteConfig):
        return GroundingDinoForObjectDetection.from_pretrained(
            folder, max_text_len=case.tokens
        ).eval()
    # transformers has no such backbone: build it with another one, then exchange that.
    raw = json.loads((folder / "config.json").read_text())
    maps = len(config.backbone_config.out_indices)
    stand_in = SwinConfig(
        embed_dim=16, depths=[1] * maps, num_heads=[1] * maps, out_indices=list(range(1, maps + 1))
    )
    raw["backbone_config"] = stand_in.to_dict()
    raw["max_text_len"] = case.tokens
    model = GroundingDinoForObjectDetection(PublishedConfig.from_dict(raw))
    backbone = Maps(config.backbone_config, case.canvas)
    model.model.backbone.conv_encoder.model = backbone
    for level, channels in enumerate(backbone.channels):
        model.model.input_proj_vision[level][0] = nn.Conv2d(channels, config.d_model, 1)
    extra = model.model.input_proj_vision[len(backbone.channels)][0]
    model.model.input_proj_vision[len(backbone.channels)][0] = nn.Conv2d(
        backbone.channels[-1], config.d_model, extra.kernel_size, extra.stride, extra.padding
    )
    tensors: dict[str, Tensor] = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors.update({name: value.float() for name, value in load_file(file).items()})
    state = model.state_dict(keep_vars=True)
    given = {id(state[name]) for name in tensors if name in state}
    missing = [n for n, v in state.items() if id(v) not in given and "position_ids" not in n]
    result = model.load_state_dict(tensors, strict=False)
    if missing or result.unexpected_keys:
        raise ValueError(f"{folder}: not the published layout: {missing} {result.unexpected_keys}")
    return model.eval()


class Known(nn.Module):
    """In place of the text encoder: passes on features that are known already."""

    def forward(self, features: Tensor, *unused: object, **options: object) -> SimpleNamespace:
        return SimpleNamespace(last_hidden_state=features)


class Published(nn.Module):
    """uint8 picture [1,H,W,3] and text to logits [1,Q,T] and boxes [1,Q,4].

    `text` is features float [1,T,D] behind the text projection where `frame_only`, else ids int64
    [1,T]. With `own_masks` the published loop makes positions and block mask from the ids.
    """

    def __init__(
        self, folder: Path, case: Case, own_masks: bool = False, keep_text: bool = False
    ) -> None:
        super().__init__()
        self.net = load(folder, case)
        config = GroundingDinoConfig.from_folder(folder)
        self.register_buffer("mean", torch.tensor(config.image_mean).view(3, 1, 1) * 255)
        self.register_buffer("deviation", torch.tensor(config.image_std).view(3, 1, 1) * 255)
        if keep_text:
            self.text_encoder = (self.net.model.text_backbone, self.net.model.text_projection)
        if case.frame_only:
            self.net.model.text_backbone = Known()
            self.net.model.text_projection = nn.Identity()
        self.own_masks = own_masks and not case.frame_only
        if not self.own_masks:
            self.given = SimpleNamespace(masks=None)
            setattr(modeling, MASKS, lambda ids: self.given.masks)

    def encode_text(self, ids: Tensor, positions: Tensor, block_mask: Tensor) -> Tensor:
        """Text features [1,T,D] of ids; needs `keep_text`."""
        backbone, projection = self.text_encoder
        types = torch.zeros_like(ids)
        return projection(backbone(ids, block_mask, types, positions).last_hidden_state)

    def forward(
        self,
        image: Tensor,
        text: Tensor,
        positions: Tensor,
        block_mask: Tensor,
        text_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        pixels = (image.permute(0, 3, 1, 2).float() - self.mean) / self.deviation
        if not self.own_masks:
            self.given.masks = (block_mask, positions)
        found = self.net(
            pixel_values=pixels, input_ids=text, attention_mask=text_mask, return_dict=True
        )
        return found.logits, found.pred_boxes


def exportable(model: Published, inputs: tuple[Tensor, ...]) -> Published:
    """Make the published code exportable, and nothing else.

    The two loops over the maps' sizes get Python numbers, and the check that compares the sum of
    the sizes with the number of cells, which depends on data, is left out.
    """
    core = model.net.model
    shapes: list[tuple[int, int]] = []

    def note(module: nn.Module, arguments: tuple, options: dict) -> None:
        shapes[:] = [tuple(int(side) for side in shape) for shape in options["spatial_shapes_list"]]

    handle = core.encoder.register_forward_pre_hook(note, with_kwargs=True)
    with torch.no_grad():
        model(*inputs)
    handle.remove()

    points = type(core.encoder).get_reference_points
    proposals = core.generate_encoder_output_proposals
    core.encoder.get_reference_points = lambda spatial_shapes, valid_ratios, device: points(
        shapes, valid_ratios, device
    )
    core.generate_encoder_output_proposals = lambda output, mask, spatial_shapes: proposals(
        output, mask, shapes
    )

    kind = modeling.GroundingDinoMultiscaleDeformableAttention
    source = inspect.cleandoc("\n" + inspect.getsource(kind.forward))
    if CHECK not in source:
        raise ValueError("transformers' deformable attention lacks the check to be left out")
    space: dict[str, object] = {}
    exec(source.replace(CHECK, "if False:"), modeling.__dict__, space)
    kind.forward = space["forward"]
    return model


def without_logit() -> None:
    """Write torch.special.logit in plain operators, for converters that do not know it."""

    def logit(x: Tensor, eps: float | None = None) -> Tensor:
        x = x if eps is None else x.clamp(eps, 1.0 - eps)
        return torch.log(x / (1.0 - x))

    torch.special.logit = logit
