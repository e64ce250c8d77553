# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Reading and writing checkpoints: what is refused, and how the message names it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from gdino.checkpoint import CheckpointError
from gdino.config import (
    BertConfig,
    ConfigError,
    EfficientNetLiteConfig,
    GroundingDinoConfig,
    SwinConfig,
)
from gdino.defaults import default_config
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

CANVAS = (128, 96)


@pytest.fixture
def folder(tiny_checkpoint: Path, tmp_path: Path) -> Path:
    """A copy of the tiny checkpoint, to be spoiled."""
    return Path(shutil.copytree(tiny_checkpoint, tmp_path / "copy"))


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    raw = json.loads(path.read_text())
    for name, value in changes.items():
        place = raw
        *way, last = name.split("__")
        for step in way:
            place = place[step]
        place[last] = value
    path.write_text(json.dumps(raw))


def change_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, metadata={"format": "pt"})


def test_round_trip(
    folder: Path, tmp_path: Path, vocabulary: Vocabulary, picture: torch.Tensor, detect: Callable
) -> None:
    network = GroundingDino.from_folder(folder, CANVAS)
    assert all(v.dtype == torch.float32 for v in network.parameters())
    prompt = encode_prompt("a cat. dog.", vocabulary, 16)
    wanted = detect(network, picture, prompt)
    network.save_folder(tmp_path / "again", dtype=torch.float32)
    again = GroundingDino.from_folder(tmp_path / "again", CANVAS)
    assert again.config == network.config
    found = detect(again, picture, prompt)
    assert torch.equal(found[0], wanted[0]) and torch.equal(found[1], wanted[1])
    stored = load_file(folder / "model.safetensors")
    assert stored["model.text_projection.weight"].dtype == torch.float16
    assert stored["model.text_projection.bias"].dtype == torch.float32


def test_other_canvas(folder: Path) -> None:
    assert GroundingDino.from_folder(folder, (256, 160)).canvas == (256, 160)


def test_sharded(folder: Path) -> None:
    wanted = GroundingDino.from_folder(folder, CANVAS).state_dict()
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    table = {}
    for number, part in enumerate((names[::2], names[1::2]), 1):
        file = f"model-0000{number}-of-00002.safetensors"
        save_file({name: tensors[name] for name in part}, folder / file)
        table.update({name: file for name in part})
    (folder / "model.safetensors").unlink()
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": table}))
    found = GroundingDino.from_folder(folder, CANVAS).state_dict()
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(CheckpointError, match="model-00002-of-00002.safetensors: no such file"):
        GroundingDino.from_folder(folder, CANVAS)


def test_pickled(folder: Path) -> None:
    """The older layout: pytorch_model.bin, whole or in shards."""
    wanted = GroundingDino.from_folder(folder, CANVAS).state_dict()
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    found = GroundingDino.from_folder(folder, CANVAS).state_dict()
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    (folder / "pytorch_model.bin").unlink()
    table = {}
    for number, name in enumerate(sorted(tensors)):
        table[name] = f"pytorch_model-0000{number % 2 + 1}-of-00002.bin"
    for file in set(table.values()):
        torch.save({n: tensors[n] for n in tensors if table[n] == file}, folder / file)
    index = folder / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": table}))
    found = GroundingDino.from_folder(folder, CANVAS).state_dict()
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("table", [None, [], {}, {"a": 1}, {"a": "../model.safetensors"}])
def test_broken_index(folder: Path, table: object) -> None:
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": table}))
    with pytest.raises(CheckpointError, match="weight_map|index.json names it"):
        GroundingDino.from_folder(folder, CANVAS)


def test_unused_weights_are_ignored(folder: Path) -> None:
    """What other writers store beside the network's own."""
    change_weights(
        folder,
        lambda t: t.update(
            {
                "model.text_backbone.pooler.dense.weight": torch.zeros(2, 2),
                "model.text_backbone.embeddings.position_ids": torch.zeros(1, 4),
            }
        ),
    )
    GroundingDino.from_folder(folder, CANVAS)


def test_unknown_weight(folder: Path) -> None:
    change_weights(folder, lambda t: t.update({"model.surprise.weight": torch.zeros(2)}))
    with pytest.raises(CheckpointError, match="1 unknown weights: model.surprise.weight"):
        GroundingDino.from_folder(folder, CANVAS)


def test_missing_weight(folder: Path) -> None:
    change_weights(folder, lambda t: t.pop("model.enc_output.bias"))
    with pytest.raises(CheckpointError, match="1 missing weights: model.enc_output.bias"):
        GroundingDino.from_folder(folder, CANVAS)


def test_many_missing_weights_are_counted(folder: Path) -> None:
    change_weights(
        folder,
        lambda t: [t.pop(name) for name in list(t) if name.startswith("model.text_backbone")],
    )
    with pytest.raises(CheckpointError, match=r"\d\d missing weights: .* and \d+ more$"):
        GroundingDino.from_folder(folder, CANVAS)


def test_misshaped_weight(folder: Path) -> None:
    change_weights(folder, lambda t: t.update({"model.enc_output.bias": torch.zeros(5)}))
    with pytest.raises(CheckpointError, match=r"model.enc_output.bias is \[5\], wanted \[32\]"):
        GroundingDino.from_folder(folder, CANVAS)


def test_weight_that_is_not_finite(folder: Path) -> None:
    change_weights(
        folder, lambda t: t.update({"model.enc_output.bias": torch.full((32,), float("nan"))})
    )
    with pytest.raises(CheckpointError, match="model.enc_output.bias holds values that are not"):
        GroundingDino.from_folder(folder, CANVAS)


def test_weight_of_wrong_type(folder: Path) -> None:
    change_weights(
        folder, lambda t: t.update({"model.enc_output.bias": torch.zeros(32, dtype=torch.int64)})
    )
    with pytest.raises(CheckpointError, match="model.enc_output.bias is torch.int64"):
        GroundingDino.from_folder(folder, CANVAS)


@pytest.mark.parametrize("size", [0, 7, 5000, -1])
def test_truncated_weights(folder: Path, size: int) -> None:
    path = folder / "model.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[:size])
    with pytest.raises(CheckpointError, match="model.safetensors: not a whole safetensors file"):
        GroundingDino.from_folder(folder, CANVAS)


def test_missing_files(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="nowhere: not a folder"):
        GroundingDino.from_folder(tmp_path / "nowhere", CANVAS)
    with pytest.raises(CheckpointError, match="not a folder"):
        GroundingDino.from_folder(folder / "config.json", CANVAS)
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    with pytest.raises(
        CheckpointError, match=r"model.safetensors: no such file.*found other.safetensors: give it"
    ):
        GroundingDino.from_folder(folder, CANVAS)
    (folder / "other.safetensors").rename(folder / "model.safetensors")
    (folder / "config.json").unlink()
    with pytest.raises(ConfigError, match="config.json: no such file"):
        GroundingDino.from_folder(folder, CANVAS)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"model_type": "bert"}', "\udcff"])
def test_broken_config(folder: Path, content: str) -> None:
    (folder / "config.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match="config.json"):
        GroundingDino.from_folder(folder, CANVAS)


@pytest.mark.parametrize(
    "name,value",
    [
        ("two_stage", False),
        ("embedding_init_target", False),
        ("position_embedding_type", "learned"),
        ("query_dim", 2),
        ("activation_function", "mish"),
        ("d_model", 40),
        ("d_model", "wide"),
        ("d_model", -32),
        ("num_queries", 0),
        ("num_queries", True),
        ("num_feature_levels", 1),
        ("encoder_attention_heads", 3),
        ("decoder_attention_heads", 5),
        ("encoder_layers", 10**9),
        ("use_timm_backbone", True),
        ("backbone", "resnet50"),
        ("backbone_config__model_type", "resnet"),
        ("backbone_config__variant", "lite9"),
        ("backbone_config__out_indices", [8, 5]),
        ("text_config__model_type", "roberta"),
        ("text_config__position_embedding_type", "relative_key"),
        ("text_config__hidden_act", "tanh"),
        ("text_config__num_attention_heads", 5),
    ],
)
def test_unsupported_values_name_their_field(folder: Path, name: str, value: object) -> None:
    change_config(folder, **{name: value})
    with pytest.raises(ConfigError, match=name.replace("__", ".")) as caught:
        GroundingDino.from_folder(folder, CANVAS)
    assert "config.json" in str(caught.value) and "supported" in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"depths": [2, 2], "num_heads": [2]},
        {"num_heads": [5, 6, 12, 24]},
        {"window_size": 0},
        {"use_absolute_embeddings": True},
        {"num_channels": 1},
        {"out_indices": [0, 1]},
        {"out_features": ["stage9"], "out_indices": None},
    ],
)
def test_unsupported_swin(changes: dict[str, object]) -> None:
    name = next(key for key in ("num_heads", *changes) if key in changes)
    with pytest.raises(ConfigError, match=f"backbone_config.{name}"):
        SwinConfig.from_dict(changes)


def test_swin_defaults_are_those_of_the_published_model() -> None:
    config = GroundingDinoConfig.from_dict({"model_type": "grounding-dino"})
    assert config.backbone_config == SwinConfig() and config.text_config == BertConfig()
    assert config.backbone_config.channels == (192, 384, 768)
    assert SwinConfig.from_dict({"out_features": ["stage2"]}).out_indices == (2,)


@pytest.mark.parametrize("canvas", [(130, 96), (128, 97), (0, 96), (16, 96), (128, 16384)])
def test_canvas(canvas: tuple[int, int]) -> None:
    with pytest.raises(ConfigError, match=f"canvas {canvas[0]}x{canvas[1]}.*multiple of 32"):
        GroundingDino(default_config(), canvas)


def test_canvas_too_small_for_the_queries() -> None:
    with pytest.raises(ConfigError, match="fewer than the checkpoint's 100 queries"):
        GroundingDino(
            default_config(text_config=BertConfig(vocab_size=10, num_hidden_layers=0)), (64, 64)
        )


def test_mean_and_deviation(folder: Path) -> None:
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps({"image_mean": [0.5, 0.5, 0.5], "image_std": [1, 1, 1]}))
    network = GroundingDino.from_folder(folder, CANVAS)
    white = torch.full((1, 96, 128, 3), 255, dtype=torch.uint8)
    torch.testing.assert_close(network.normalise(white).unique(), torch.tensor([0.5]))
    path.write_text(json.dumps({"image_std": [1, 0, 1]}))
    with pytest.raises(ConfigError, match="image_std"):
        GroundingDino.from_folder(folder, CANVAS)


def test_default_config_survives_json(tmp_path: Path) -> None:
    config = default_config()
    (tmp_path / "config.json").write_text(json.dumps(config.to_dict()))
    assert GroundingDinoConfig.from_folder(tmp_path) == config
    assert isinstance(config.backbone_config, EfficientNetLiteConfig)
    assert replace(config, d_model=64).d_model == 64


@pytest.mark.parametrize(
    "backbone,millions",
    [
        ({"out_features": ["stage2", "stage3", "stage4"]}, 172.2),
        (
            {
                "embed_dim": 128,
                "depths": [2, 2, 18, 2],
                "num_heads": [4, 8, 16, 32],
                "window_size": 12,
                "out_indices": [2, 3, 4],
            },
            232.3,
        ),
    ],
    ids=["grounding-dino-tiny", "grounding-dino-base"],
)
def test_published_sizes(backbone: dict[str, object], millions: float) -> None:
    raw = {"model_type": "grounding-dino", "text_config": {"model_type": "bert"}}
    raw["backbone_config"] = {"model_type": "swin", **backbone}
    config = GroundingDinoConfig.from_dict(raw)
    with torch.device("meta"):
        network = GroundingDino(config, (960, 544))
    weights = sum(value.numel() for value in network.parameters())
    assert round(weights / 1e6, 1) == millions
    assert network.cells == 10845
