# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Configuration of a Grounding DINO checkpoint, in Hugging Face's config.json form."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

ACTIVATIONS = ("relu", "gelu", "silu")
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
# model_type of config.json, and the name of transformers' class for it.
FAMILIES = {
    "grounding-dino": "GroundingDinoForObjectDetection",
    "mm-grounding-dino": "MMGroundingDinoForObjectDetection",
}
# Entries that would change the network's numbers, and what they must be if they are there.
FIXED = {
    "": {
        "use_timm_backbone": False,
        "backbone": None,
        "backbone_kwargs": None,
        "pruned_heads": None,
        "quantization_config": None,
    },
    "text_config": {"is_decoder": False, "add_cross_attention": False, "pruned_heads": None},
    "backbone_config": {"pruned_heads": None},
}


class ConfigError(ValueError):
    """A checkpoint's configuration cannot be used; the message names the field."""


def _want(condition: bool, name: str, found: Any, wanted: str) -> None:
    if not condition:
        raise ConfigError(f"config field '{name}' is {found!r}, supported: {wanted}")


def _take(cls: type, raw: Any, where: str) -> dict[str, Any]:
    """Return the entries of `raw` that are fields of `cls`, with their types checked."""
    if not isinstance(raw, dict):
        raise ConfigError(f"config field '{where}' is {raw!r}, wanted: an object")
    prefix = f"{where}." if where else ""
    for name, wanted in FIXED.get(where, {}).items():
        # An empty table or list says as little as null does.
        _want(not raw.get(name), prefix + name, raw.get(name), json.dumps(wanted))
    taken: dict[str, Any] = {}
    for item in fields(cls):
        if item.name not in raw or raw[item.name] is None:
            continue
        value = raw[item.name]
        kind = str(item.type)
        if kind == "int":
            ok = isinstance(value, int) and not isinstance(value, bool)
        elif kind == "float":
            ok = isinstance(value, (int, float)) and not isinstance(value, bool)
            value = float(value) if ok else value
        elif kind == "bool":
            ok = isinstance(value, bool)
        elif kind == "str":
            ok = isinstance(value, str)
        elif kind == "tuple[int, ...]":
            ok = isinstance(value, list) and all(
                isinstance(v, int) and not isinstance(v, bool) for v in value
            )
            value = tuple(value) if ok else value
        else:
            continue
        _want(ok, prefix + item.name, value, f"a value of type {kind}")
        if kind == "int" or kind == "tuple[int, ...]":
            numbers = (value,) if kind == "int" else value
            _want(all(0 <= v <= 1 << 20 for v in numbers), prefix + item.name, value, "0 to 2^20")
        taken[item.name] = value
    return taken


@dataclass(frozen=True)
class BertConfig:
    """Text encoder; field names and defaults as in Hugging Face's BertConfig."""

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"
    pad_token_id: int = 0
    position_embedding_type: str = "absolute"
    model_type: str = "bert"

    @classmethod
    def from_dict(cls, raw: dict[str, Any], where: str = "text_config") -> BertConfig:
        config = cls(**_take(cls, raw, where))
        _want(config.model_type == "bert", f"{where}.model_type", config.model_type, "'bert'")
        _want(
            config.position_embedding_type == "absolute",
            f"{where}.position_embedding_type",
            config.position_embedding_type,
            "'absolute'",
        )
        _want(
            config.hidden_act in ACTIVATIONS,
            f"{where}.hidden_act",
            config.hidden_act,
            ", ".join(ACTIVATIONS),
        )
        for name in ("vocab_size", "hidden_size", "num_attention_heads", "intermediate_size"):
            _want(getattr(config, name) > 0, f"{where}.{name}", getattr(config, name), "> 0")
        _want(
            config.hidden_size % config.num_attention_heads == 0,
            f"{where}.num_attention_heads",
            config.num_attention_heads,
            f"a divisor of hidden_size {config.hidden_size}",
        )
        return config


@dataclass(frozen=True)
class SwinConfig:
    """Swin backbone; field names and defaults as in Hugging Face's SwinConfig."""

    image_size: int = 224
    patch_size: int = 4
    num_channels: int = 3
    embed_dim: int = 96
    depths: tuple[int, ...] = (2, 2, 6, 2)
    num_heads: tuple[int, ...] = (3, 6, 12, 24)
    window_size: int = 7
    mlp_ratio: float = 4.0
    qkv_bias: bool = True
    hidden_act: str = "gelu"
    use_absolute_embeddings: bool = False
    layer_norm_eps: float = 1e-5
    out_indices: tuple[int, ...] = (2, 3, 4)
    model_type: str = "swin"

    @classmethod
    def from_dict(cls, raw: dict[str, Any], where: str = "backbone_config") -> SwinConfig:
        raw = dict(raw)
        if raw.get("out_indices") is None and raw.get("out_features") is not None:
            names = ["stem"] + [f"stage{i + 1}" for i in range(len(raw.get("depths", (0,) * 4)))]
            for name in raw["out_features"]:
                _want(name in names, f"{where}.out_features", name, ", ".join(names))
            raw["out_indices"] = [names.index(name) for name in raw["out_features"]]
        if raw.get("out_indices") is None:
            # Hugging Face's own default: the last stage only.
            raw["out_indices"] = [len(raw.get("depths", (0,) * 4))]
        config = cls(**_take(cls, raw, where))
        _want(not config.use_absolute_embeddings, f"{where}.use_absolute_embeddings", True, "false")
        _want(config.num_channels == 3, f"{where}.num_channels", config.num_channels, "3")
        _want(
            config.hidden_act in ACTIVATIONS,
            f"{where}.hidden_act",
            config.hidden_act,
            ", ".join(ACTIVATIONS),
        )
        for name in ("patch_size", "embed_dim", "window_size"):
            _want(getattr(config, name) > 0, f"{where}.{name}", getattr(config, name), "> 0")
        stages = len(config.depths)
        _want(
            0 < stages == len(config.num_heads),
            f"{where}.num_heads",
            config.num_heads,
            f"one number for each of the {stages} entries of depths",
        )
        for i, heads in enumerate(config.num_heads):
            dim = config.embed_dim << i
            _want(
                heads > 0 and dim % heads == 0,
                f"{where}.num_heads",
                config.num_heads,
                f"divisors of the stage widths (stage {i + 1} is {dim} wide)",
            )
        _want(
            len(config.out_indices) > 0
            and list(config.out_indices) == sorted(set(config.out_indices))
            and all(1 <= i <= stages for i in config.out_indices),
            f"{where}.out_indices",
            config.out_indices,
            f"rising numbers from 1 to {stages}",
        )
        return config

    @property
    def channels(self) -> tuple[int, ...]:
        """Widths of the maps handed to the detector."""
        return tuple(self.embed_dim << (i - 1) for i in self.out_indices)


@dataclass(frozen=True)
class EfficientNetLiteConfig:
    """EfficientNet-Lite backbone; `out_indices` are block stages 1 to 7 or 8 for the head."""

    variant: str = "lite0"
    out_indices: tuple[int, ...] = (5, 8)
    model_type: str = "efficientnet-lite"

    @classmethod
    def from_dict(
        cls, raw: dict[str, Any], where: str = "backbone_config"
    ) -> EfficientNetLiteConfig:
        config = cls(**_take(cls, raw, where))
        variants = sorted(LITE_SCALES)
        _want(config.variant in variants, f"{where}.variant", config.variant, ", ".join(variants))
        _want(
            len(config.out_indices) > 0
            and list(config.out_indices) == sorted(set(config.out_indices))
            and all(2 <= i <= 8 for i in config.out_indices),
            f"{where}.out_indices",
            config.out_indices,
            "rising numbers from 2 to 8",
        )
        return config


# Width and depth multipliers of the EfficientNet-Lite family; "nano" is ours, for tests.
LITE_SCALES = {
    "lite0": (1.0, 1.0),
    "lite1": (1.0, 1.1),
    "lite2": (1.1, 1.2),
    "lite3": (1.2, 1.4),
    "lite4": (1.4, 1.8),
    "nano": (0.25, 0.34),
}

BackboneConfig = SwinConfig | EfficientNetLiteConfig


@dataclass(frozen=True)
class GroundingDinoConfig:
    """All sizes of a checkpoint; field names and defaults as in Hugging Face's classes.

    `model_type` is one of FAMILIES. MM-Grounding-DINO (LLMDet too) scales its scores, adds a
    learned bias to them and never shares box heads, whatever the two fields for that say.
    """

    model_type: str = "grounding-dino"
    d_model: int = 256
    num_queries: int = 900
    num_feature_levels: int = 4
    encoder_layers: int = 6
    encoder_ffn_dim: int = 2048
    encoder_attention_heads: int = 8
    encoder_n_points: int = 4
    decoder_layers: int = 6
    decoder_ffn_dim: int = 2048
    decoder_attention_heads: int = 8
    decoder_n_points: int = 4
    activation_function: str = "relu"
    max_text_len: int = 256
    query_dim: int = 4
    two_stage: bool = True
    embedding_init_target: bool = True
    decoder_bbox_embed_share: bool = True
    two_stage_bbox_embed_share: bool = False
    position_embedding_type: str = "sine"
    positional_embedding_temperature: float = 20.0
    layer_norm_eps: float = 1e-5
    box_eps: float = 1e-5
    """Least distance of a box from 0 and 1 where it is refined; the original code has 1e-3."""
    init_std: float = 0.02
    dropout: float = 0.1
    fusion_droppath: float = 0.1
    text_config: BertConfig = field(default_factory=BertConfig)
    backbone_config: BackboneConfig = field(default_factory=SwinConfig)
    image_mean: tuple[float, ...] = IMAGENET_MEAN
    image_std: tuple[float, ...] = IMAGENET_STD

    def __post_init__(self) -> None:
        families = ", ".join(repr(name) for name in FAMILIES)
        _want(self.model_type in FAMILIES, "model_type", self.model_type, families)
        positive = (
            "d_model",
            "num_queries",
            "num_feature_levels",
            "encoder_layers",
            "encoder_ffn_dim",
            "encoder_attention_heads",
            "encoder_n_points",
            "decoder_layers",
            "decoder_ffn_dim",
            "decoder_attention_heads",
            "decoder_n_points",
            "max_text_len",
        )
        for name in positive:
            _want(getattr(self, name) > 0, name, getattr(self, name), "> 0")
        _want(self.two_stage, "two_stage", self.two_stage, "true")
        _want(
            self.embedding_init_target,
            "embedding_init_target",
            self.embedding_init_target,
            "true",
        )
        _want(self.query_dim == 4, "query_dim", self.query_dim, "4")
        _want(
            self.position_embedding_type == "sine",
            "position_embedding_type",
            self.position_embedding_type,
            "'sine'",
        )
        _want(
            self.activation_function in ACTIVATIONS,
            "activation_function",
            self.activation_function,
            ", ".join(ACTIVATIONS),
        )
        # Hugging Face's group norm of the projected maps has 32 groups.
        _want(self.d_model % 32 == 0, "d_model", self.d_model, "a multiple of 32")
        half = self.encoder_attention_heads // 2
        _want(
            self.encoder_attention_heads % 2 == 0
            and self.d_model % self.encoder_attention_heads == 0
            and (self.encoder_ffn_dim // 2) % half == 0,
            "encoder_attention_heads",
            self.encoder_attention_heads,
            "an even divisor of d_model whose half divides encoder_ffn_dim / 2",
        )
        _want(
            self.d_model % self.decoder_attention_heads == 0,
            "decoder_attention_heads",
            self.decoder_attention_heads,
            f"a divisor of d_model {self.d_model}",
        )
        maps = len(self.backbone_config.out_indices)
        _want(
            2 <= self.num_feature_levels and maps <= self.num_feature_levels,
            "num_feature_levels",
            self.num_feature_levels,
            f"at least 2 and at least the backbone's {maps} maps",
        )

    @property
    def scaled_scores(self) -> bool:
        """Whether scores are divided by sqrt(d_model) and have a learned bias."""
        return self.model_type == "mm-grounding-dino"

    @property
    def shared_box_heads(self) -> bool:
        """Whether all decoder layers move boxes with one head."""
        return self.decoder_bbox_embed_share and self.model_type == "grounding-dino"

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> GroundingDinoConfig:
        """Read the content of a config.json; every unsupported value is a ConfigError."""
        families = ", ".join(repr(name) for name in FAMILIES)
        found = raw.get("model_type")
        _want(isinstance(found, str) and found in FAMILIES, "model_type", found, families)
        values = _take(cls, raw, "")
        values["text_config"] = BertConfig.from_dict(raw.get("text_config") or {})
        backbone = raw.get("backbone_config")
        if backbone is None:
            values["backbone_config"] = SwinConfig()
        else:
            kind = backbone.get("model_type") if isinstance(backbone, dict) else backbone
            readers = {"swin": SwinConfig, "efficientnet-lite": EfficientNetLiteConfig}
            _want(kind in readers, "backbone_config.model_type", kind, ", ".join(readers))
            values["backbone_config"] = readers[kind].from_dict(backbone)
        return cls(**values)

    @classmethod
    def from_folder(cls, folder: str | Path) -> GroundingDinoConfig:
        """Read config.json, and the mean and deviation of preprocessor_config.json if there."""
        path = Path(folder) / "config.json"
        raw = read_json(path)
        preprocessor = Path(folder) / "preprocessor_config.json"
        try:
            config = cls.from_dict(raw)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None
        if preprocessor.is_file():
            extra = read_json(preprocessor)
            changes = {}
            for name in ("image_mean", "image_std"):
                value = extra.get(name)
                if value is None:
                    continue
                if not (
                    isinstance(value, list)
                    and len(value) == 3
                    and all(isinstance(v, (int, float)) for v in value)
                    and (name == "image_mean" or all(v > 0 for v in value))
                ):
                    raise ConfigError(f"{preprocessor}: '{name}' is {value!r}, wanted: 3 numbers")
                changes[name] = tuple(float(v) for v in value)
            config = cls(**{**_shallow(config), **changes})
        return config

    def to_dict(self) -> dict[str, Any]:
        """Return the content of config.json for this configuration."""
        raw = asdict(self)
        del raw["image_mean"], raw["image_std"]
        if self.model_type != "grounding-dino":
            # Only the first family knows them.
            del raw["decoder_bbox_embed_share"], raw["two_stage_bbox_embed_share"]
        return {"architectures": [FAMILIES[self.model_type]], **raw}


def _shallow(config: GroundingDinoConfig) -> dict[str, Any]:
    return {item.name: getattr(config, item.name) for item in fields(config)}


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from `path`; errors name the file."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such file; wanted a Hugging Face checkpoint folder"
        ) from None
    except NotADirectoryError:
        raise ConfigError(f"{path.parent}: not a folder; wanted a checkpoint folder") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: found {type(raw).__name__}, wanted a JSON object")
    return raw


def write_json(path: Path, value: object) -> None:
    """Write `value` as indented JSON with a final newline."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
