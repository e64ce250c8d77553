# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Checkpoints of the original code (IDEA-Research/GroundingDINO, .pth): names and sizes.

The original code stores weights only. `convert` gives them Hugging Face's names; `deduce` reads the
configuration off their shapes.
"""

from __future__ import annotations

import math
import re
from typing import Any

import torch
from torch import Tensor

from gdino.config import ConfigError, GroundingDinoConfig
from gdino.weights import CheckpointError

# Shapes do not tell how many heads share them; these are the original code's.
HEADS = 8
TEXT_HEAD_WIDTH = 64
LONGEST_TEXT = 256
# Hugging Face took 1e-5 into its own code.
BOX_EPS = 1e-3

SWIN = "model.backbone.conv_encoder.model"
PARTS = ("query", "key", "value")
# Not for inference (noise of training, the unused pooler), or worked out from sizes.
DROPPED = re.compile(
    r"label_enc\.weight|bert\.(pooler\..*|embeddings\.position_ids)|.*\.relative_position_index"
)
# Each rule: how a name begins, what stands there instead, and new names for what follows. `*` makes
# three tensors (query, key, value) of one. What no rule names keeps its name.
RULES: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        r"backbone\.0\.layers\.(\d+)\.blocks\.(\d+)\.",
        SWIN + r".encoder.layers.\1.blocks.\2.",
        {
            "norm1": "layernorm_before",
            "norm2": "layernorm_after",
            "attn": "attention.self",
            "attn.qkv": "attention.self.*",
            "attn.proj": "attention.output.dense",
            "mlp.fc1": "intermediate.dense",
            "mlp.fc2": "output.dense",
        },
    ),
    (r"backbone\.0\.(layers\.\d+\.downsample)\.", SWIN + r".encoder.\1.", {}),
    (
        r"backbone\.0\.",
        SWIN + ".",
        {
            "patch_embed.proj": "embeddings.patch_embeddings.projection",
            "patch_embed.norm": "embeddings.norm",
            **{f"norm{i}": f"hidden_states_norms.stage{i + 1}" for i in range(8)},
        },
    ),
    (r"bert\.", "model.text_backbone.", {}),
    (r"feat_map\.", "model.text_projection.", {}),
    (r"input_proj\.", "model.input_proj_vision.", {}),
    (
        r"transformer\.encoder\.layers\.(\d+)\.",
        r"model.encoder.layers.\1.deformable_layer.",
        {
            "norm1": "self_attn_layer_norm",
            "norm2": "final_layer_norm",
            "linear1": "fc1",
            "linear2": "fc2",
        },
    ),
    (
        r"transformer\.encoder\.text_layers\.(\d+)\.",
        r"model.encoder.layers.\1.text_enhancer_layer.",
        {
            "self_attn.in_proj": "self_attn.*",
            "norm1": "layer_norm_before",
            "norm2": "layer_norm_after",
            "linear1": "fc1",
            "linear2": "fc2",
        },
    ),
    (
        r"transformer\.encoder\.fusion_layers\.(\d+)\.",
        r"model.encoder.layers.\1.fusion_layer.",
        {
            "gamma_v": "vision_param",
            "gamma_l": "text_param",
            "layer_norm_v": "layer_norm_vision",
            "layer_norm_l": "layer_norm_text",
            "attn.v_proj": "attn.vision_proj",
            "attn.l_proj": "attn.text_proj",
            "attn.values_v_proj": "attn.values_vision_proj",
            "attn.values_l_proj": "attn.values_text_proj",
            "attn.out_v_proj": "attn.out_vision_proj",
            "attn.out_l_proj": "attn.out_text_proj",
        },
    ),
    (
        r"transformer\.decoder\.layers\.(\d+)\.",
        r"model.decoder.layers.\1.",
        {
            "self_attn.in_proj": "self_attn.*",
            "norm2": "self_attn_layer_norm",
            "ca_text": "encoder_attn_text",
            "ca_text.in_proj": "encoder_attn_text.*",
            "catext_norm": "encoder_attn_text_layer_norm",
            "cross_attn": "encoder_attn",
            "norm1": "encoder_attn_layer_norm",
            "linear1": "fc1",
            "linear2": "fc2",
            "norm3": "final_layer_norm",
        },
    ),
    (
        r"transformer\.decoder\.",
        "model.decoder.",
        {"norm": "layer_norm", "ref_point_head": "reference_points_head"},
    ),
    (
        r"transformer\.",
        "model.",
        {
            "tgt_embed": "query_position_embeddings",
            "enc_out_bbox_embed": "encoder_output_bbox_embed",
        },
    ),
)
# How the checkpoints of related projects begin their names, and what to do with them.
STRANGERS = (
    (
        ("language_model.", "backbone.stages."),
        "mmdetection's names; take its checkpoints in Hugging Face's layout "
        "(openmmlab-community/mm_grounding_dino_... or iSEE-Laboratory/llmdet_...)",
    ),
    (
        ("model.backbone.conv_encoder.", "model.text_backbone."),
        "Hugging Face's names; give the folder that also holds config.json",
    ),
    (("backbone.0.body.",), "a ResNet backbone; supported: Swin"),
)


def rename(name: str) -> str:
    """Hugging Face's name of the original's `name`; `*` in it stands for query, key and value."""
    name = name.replace("in_proj_", "in_proj.")
    for start, instead, parts in RULES:
        found = re.match(start, name)
        if found is None:
            continue
        rest = name[found.end() :]
        words = rest.split(".")
        for count in range(len(words), 0, -1):
            part = parts.get(".".join(words[:count]))
            if part is not None:
                rest = ".".join([part, *words[count:]])
                break
        return found.expand(instead) + rest
    return name


def convert(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the original's weights under Hugging Face's names; stacked ones become views."""
    converted = {}
    for old, tensor in tensors.items():
        if DROPPED.fullmatch(old):
            continue
        new = rename(old)
        if "*" not in new:
            converted[new] = tensor
            continue
        for part, rows in zip(PARTS, tensor.chunk(len(PARTS)), strict=False):
            converted[new.replace("*", part)] = rows
    return converted


class Shapes:
    """The shapes in a state dict; errors name file and tensor."""

    def __init__(self, tensors: dict[str, Tensor], source: str) -> None:
        self.tensors = tensors
        self.source = source

    def of(self, name: str, rank: int) -> tuple[int, ...]:
        """Shape of a tensor that must be there and have `rank` dimensions."""
        tensor = self.tensors.get(name)
        if tensor is None:
            raise CheckpointError(f"{self.source}: 1 missing weights: {name}")
        if tensor.dim() != rank or 0 in tensor.shape:
            raise CheckpointError(
                f"{self.source}: {name} is {list(tensor.shape)}, wanted {rank} dimensions"
            )
        return tuple(tensor.shape)

    def count(self, pattern: str) -> int:
        """How many different numbers the one group of `pattern` takes in the names."""
        found = (re.match(pattern, name) for name in self.tensors)
        return len({match.group(1) for match in found if match})

    def points(self, name: str, levels: int) -> int:
        """Sampling points per head and level of a deformable attention."""
        rows = self.of(f"{name}.attention_weights.weight", 2)[0]
        if rows % (HEADS * levels):
            raise CheckpointError(
                f"{self.source}: {name}.attention_weights.weight has {rows} rows, wanted: a "
                f"multiple of {HEADS} heads x {levels} levels"
            )
        return rows // (HEADS * levels)


def check_kind(tensors: dict[str, Tensor], source: str) -> None:
    """Raise CheckpointError unless these look like the weights of the original code."""
    for starts, advice in STRANGERS:
        if any(name.startswith(starts) for name in tensors):
            raise CheckpointError(f"{source}: has {advice}")
    wanted = ("transformer.", "backbone.0.", "bert.", "feat_map.")
    missing = [start for start in wanted if not any(name.startswith(start) for name in tensors)]
    if missing:
        names = ", ".join(list(tensors)[:4])
        raise CheckpointError(
            f"{source}: is no Grounding DINO of the original code: no weights in "
            f"{', '.join(missing)} (found {len(tensors)} weights: {names}, ...)"
        )


def deduce(tensors: dict[str, Tensor], source: str) -> GroundingDinoConfig:
    """The configuration that a state dict with the original's names was made with.

    Raises CheckpointError where the weights are not those of a Grounding DINO, and ConfigError for
    sizes that this network does not support.
    """
    check_kind(tensors, source)
    shapes = Shapes(tensors, source)
    levels, width = shapes.of("transformer.level_embed", 2)
    decoder = shapes.count(r"transformer\.decoder\.layers\.(\d+)\.")
    boxes = [f"bbox_embed.{i}.layers.0.weight" for i in range(decoder)]
    for name in boxes:
        shapes.of(name, 2)
    raw = {
        "model_type": "grounding-dino",
        "d_model": width,
        "num_queries": shapes.of("transformer.tgt_embed.weight", 2)[0],
        "num_feature_levels": levels,
        "encoder_layers": shapes.count(r"transformer\.encoder\.layers\.(\d+)\."),
        "encoder_ffn_dim": shapes.of("transformer.encoder.layers.0.linear1.weight", 2)[0],
        "encoder_attention_heads": HEADS,
        "encoder_n_points": shapes.points("transformer.encoder.layers.0.self_attn", levels),
        "decoder_layers": decoder,
        "decoder_ffn_dim": shapes.of("transformer.decoder.layers.0.linear1.weight", 2)[0],
        "decoder_attention_heads": HEADS,
        "decoder_n_points": shapes.points("transformer.decoder.layers.0.cross_attn", levels),
        "decoder_bbox_embed_share": all(
            torch.equal(tensors[boxes[0]], tensors[name]) for name in boxes[1:]
        ),
        "text_config": _text_config(shapes),
        "backbone_config": _swin_config(shapes),
    }
    raw["box_eps"] = BOX_EPS
    raw["max_text_len"] = min(LONGEST_TEXT, raw["text_config"]["max_position_embeddings"])
    try:
        return GroundingDinoConfig.from_dict(raw)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _text_config(shapes: Shapes) -> dict[str, Any]:
    words, width = shapes.of("bert.embeddings.word_embeddings.weight", 2)
    kinds = shapes.of("bert.embeddings.token_type_embeddings.weight", 2)[0]
    if kinds != 2 or width % TEXT_HEAD_WIDTH:
        raise CheckpointError(
            f"{shapes.source}: its text encoder knows {words} words, is {width} wide and has "
            f"{kinds} token types; supported: BERT, a multiple of {TEXT_HEAD_WIDTH} wide, with 2 "
            "(RoBERTa has 1)"
        )
    return {
        "model_type": "bert",
        "vocab_size": words,
        "hidden_size": width,
        "num_hidden_layers": shapes.count(r"bert\.encoder\.layer\.(\d+)\."),
        "num_attention_heads": width // TEXT_HEAD_WIDTH,
        "intermediate_size": shapes.of("bert.encoder.layer.0.intermediate.dense.weight", 2)[0],
        "max_position_embeddings": shapes.of("bert.embeddings.position_embeddings.weight", 2)[0],
        "type_vocab_size": kinds,
    }


def _swin_config(shapes: Shapes) -> dict[str, Any]:
    width, channels, patch, _ = shapes.of("backbone.0.patch_embed.proj.weight", 4)
    stages = shapes.count(r"backbone\.0\.layers\.(\d+)\.")
    tables = [
        shapes.of(f"backbone.0.layers.{i}.blocks.0.attn.relative_position_bias_table", 2)
        for i in range(stages)
    ]
    if not tables:
        raise CheckpointError(f"{shapes.source}: no weights in backbone.0.layers, wanted: Swin")
    window = (math.isqrt(tables[0][0]) + 1) // 2
    if (2 * window - 1) ** 2 != tables[0][0]:
        raise CheckpointError(
            f"{shapes.source}: the backbone's relative_position_bias_table has {tables[0][0]} "
            "rows, wanted: an odd square (169 for windows of 7, 529 for 12)"
        )
    hidden = shapes.of("backbone.0.layers.0.blocks.0.mlp.fc1.weight", 2)[0]
    return {
        "model_type": "swin",
        "embed_dim": width,
        "num_channels": channels,
        "patch_size": patch,
        "depths": [shapes.count(rf"backbone\.0\.layers\.{i}\.blocks\.(\d+)\.") for i in range(stages)],
        "num_heads": [heads for _, heads in tables],
        "window_size": window,
        "mlp_ratio": hidden / width,
        "out_indices": [
            i + 1 for i in range(stages) if f"backbone.0.norm{i}.weight" in shapes.tensors
        ],
        "image_size": 384 if window == 12 else 224,
    }
