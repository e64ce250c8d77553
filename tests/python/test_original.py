# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Checkpoints of the original code: our network against that code itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from torch import Tensor

from gdino import original
from gdino.checkpoint import build_network
from gdino.config import ConfigError, SwinConfig
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.source import Original, open_checkpoint
from gdino.tokenizer import Vocabulary
from gdino.weights import CheckpointError

pytest.importorskip("groundingdino", reason="needs rf-groundingdino (tools/setup check)")
original_code = pytest.importorskip("original_code", reason="needs transformers 4.57")

LOGITS = 1e-3
BOXES = 1e-4
TEXT = {
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 96,
}
SWIN = {"embed_dim": 24, "depths": [1, 2, 2, 1], "num_heads": [1, 2, 3, 6], "window_size": 7}
# Two layers of each kind, as the encoder's and decoder's first and last differ in what they see.
SMALL = {"enc_layers": 2, "dec_layers": 2, "dim_feedforward": 256, "num_queries": 40}
# Sides that no window and no merging divides, and a letterbox shape.
SIZES = ((152, 120), (256, 96))
PROMPTS = (
    "cat.",
    "a cat. remote control.",
    "dog? zebra crossing. the unbelievable umbrella. person.",
)


def small_network(vocabulary_file: Path, window: int) -> torch.nn.Module:
    """The original network with small layers and windows of 7 or 12."""
    swin = {**SWIN, "window_size": window}
    config = "swin_t" if window == 7 else "swin_b"
    torch.manual_seed(5)
    return original_code.randomise(
        original_code.build(vocabulary_file, config, TEXT, swin, **SMALL), 5
    )


def write(model: torch.nn.Module, path: Path) -> Path:
    """A checkpoint as published: under `model`, names of a distributed run, a few left-overs."""
    state = {f"module.{name}": value for name, value in model.state_dict().items()}
    state["module.label_enc.weight"] = torch.zeros(3, 256)
    state["module.bert.embeddings.position_ids"] = torch.arange(512)[None]
    torch.save({"model": state, "epoch": 3}, path)
    return path


@pytest.fixture(scope="module", params=[7, 12], ids=["window 7", "window 12"])
def both(
    request: pytest.FixtureRequest, vocabulary_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[torch.nn.Module, Path]:
    """A network and its checkpoint, for each window."""
    model = small_network(vocabulary_file, request.param)
    return model, write(model, tmp_path_factory.mktemp("original") / "network.pth")


@pytest.fixture(scope="module")
def theirs(vocabulary_file: Path) -> torch.nn.Module:
    """The network with windows of 7."""
    return small_network(vocabulary_file, 7)


@pytest.fixture(scope="module")
def file(theirs: torch.nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its checkpoint."""
    return write(theirs, tmp_path_factory.mktemp("original") / "network.pth")


def pixels(size: tuple[int, int], seed: int) -> Tensor:
    """A picture uint8 [1,H,W,3] with structure of several sizes."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.rand(1, 3, 6, 8, generator=generator)
    smooth = torch.nn.functional.interpolate(coarse, size[::-1], mode="bilinear")
    noise = torch.rand(smooth.shape, generator=generator)
    return ((0.8 * smooth + 0.2 * noise) * 255).to(torch.uint8).permute(0, 2, 3, 1).contiguous()


def compare(
    model: torch.nn.Module,
    network: GroundingDino,
    vocabulary: Vocabulary,
    detect: Callable,
    text: str,
    length: int,
) -> tuple[float, float]:
    """Largest differences of logits and boxes; asserts that the numbers say something."""
    image = pixels(network.canvas, len(text))
    prompt = encode_prompt(text, vocabulary, length)
    logits, boxes = detect(network, image, prompt)
    wanted, places = original_code.detect(model, network.normalise(image).contiguous(), text)
    used = prompt.tokens
    assert wanted[:, :used].std() > 0.5 and (places.std(0) / places.mean(0)).min() > 0.05
    assert torch.isneginf(wanted[:, used:]).all() and torch.isneginf(logits[0, :, used:]).all()
    return (
        (logits[0, :, :used] - wanted[:, :used]).abs().max().item(),
        (boxes[0] - places).abs().max().item(),
    )


@pytest.mark.parametrize("size", SIZES)
def test_same_numbers(
    both: tuple[torch.nn.Module, Path],
    vocabulary: Vocabulary,
    detect: Callable,
    size: tuple[int, int],
) -> None:
    theirs, file = both
    checkpoint = open_checkpoint(str(file))
    assert isinstance(checkpoint, Original) and checkpoint.origin == "network.pth"
    network = build_network(
        GroundingDino, checkpoint.config(), size, checkpoint.tensors(), checkpoint.name
    )
    for text in PROMPTS:
        logits, boxes = compare(theirs, network, vocabulary, detect, text, 32)
        assert logits <= LOGITS and boxes <= BOXES, (text, logits, boxes)


def test_full_prompt(
    theirs: torch.nn.Module, file: Path, vocabulary: Vocabulary, detect: Callable
) -> None:
    """Padded to the 256 tokens of the published checkpoints."""
    checkpoint = open_checkpoint(str(file))
    config = checkpoint.config()
    assert config.max_text_len == 256
    network = build_network(GroundingDino, config, SIZES[0], checkpoint.tensors(), "file")
    logits, boxes = compare(theirs, network, vocabulary, detect, PROMPTS[1], 256)
    assert logits <= LOGITS and boxes <= BOXES


def test_configuration(both: tuple[torch.nn.Module, Path]) -> None:
    """What is read off the shapes is what the network was made with."""
    theirs, file = both
    config = open_checkpoint(str(file)).config()
    window = theirs.backbone[0].layers[0].window_size
    assert config.backbone_config == SwinConfig(
        image_size=384 if window == 12 else 224,
        embed_dim=24,
        depths=(1, 2, 2, 1),
        num_heads=(1, 2, 3, 6),
        window_size=window,
    )
    assert (config.encoder_layers, config.decoder_layers) == (2, 2)
    assert (config.encoder_ffn_dim, config.decoder_ffn_dim) == (256, 256)
    assert (config.encoder_n_points, config.decoder_n_points) == (4, 4)
    assert (config.encoder_attention_heads, config.decoder_attention_heads) == (8, 8)
    assert config.num_queries == 40 and config.d_model == 256 and config.num_feature_levels == 4
    assert config.decoder_bbox_embed_share
    for name, value in TEXT.items():
        assert getattr(config.text_config, name) == value
    assert config.text_config.vocab_size == 30522


def test_box_heads_of_their_own(
    vocabulary_file: Path, vocabulary: Vocabulary, detect: Callable, tmp_path: Path
) -> None:
    """Training scripts built on the original code know this setting; shapes do not show it."""
    changes = {"dec_pred_bbox_embed_share": False, "two_stage_class_embed_share": False, **SMALL}
    model = original_code.build(vocabulary_file, "swin_t", TEXT, SWIN, **changes)
    original_code.randomise(model, 8)
    path = tmp_path / "own.pth"
    torch.save(model.state_dict(), path)
    checkpoint = open_checkpoint(str(path))
    assert not checkpoint.config().decoder_bbox_embed_share
    network = build_network(
        GroundingDino, checkpoint.config(), SIZES[0], checkpoint.tensors(), "file"
    )
    logits, boxes = compare(model, network, vocabulary, detect, PROMPTS[1], 32)
    assert logits <= LOGITS and boxes <= BOXES


@pytest.mark.parametrize(
    "one,other",
    [
        ("encoder.layers.1.blocks.0.attention.self.query", "key"),
        ("model.encoder.layers.0.text_enhancer_layer.self_attn.key", "value"),
        ("model.encoder.layers.0.deformable_layer.self_attn_layer_norm", "final_layer_norm"),
        ("model.encoder.layers.1.fusion_layer.vision_param", "text_param"),
        ("model.decoder.layers.1.encoder_attn_layer_norm", "self_attn_layer_norm"),
        ("model.decoder.layers.0.encoder_attn_text_layer_norm", "final_layer_norm"),
    ],
)
def test_the_comparison_notices(
    theirs: torch.nn.Module,
    file: Path,
    vocabulary: Vocabulary,
    detect: Callable,
    one: str,
    other: str,
) -> None:
    """Two tensors of one shape change places: the kind of mistake that loading cannot see."""
    checkpoint = open_checkpoint(str(file))
    tensors = checkpoint.tensors()
    names = [name for name in tensors if one in name]
    assert names
    for name in names:
        twin = name.replace(one, one.rpartition(".")[0] + "." + other)
        tensors[name], tensors[twin] = tensors[twin], tensors[name]
    network = build_network(GroundingDino, checkpoint.config(), SIZES[0], tensors, "file")
    logits, boxes = compare(theirs, network, vocabulary, detect, PROMPTS[1], 32)
    assert logits > LOGITS or boxes > BOXES


def spoil(file: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """A copy of the checkpoint after `change` worked on its state dict."""
    state = torch.load(file, weights_only=True)["model"]
    state = {name.removeprefix("module."): value for name, value in state.items()}
    content = change(state)
    path = tmp_path / "spoiled.pth"
    torch.save(state if content is None else content, path)
    return path


def rename(state: dict[str, Any], old: str, new: str) -> None:
    for name in [name for name in state if name.startswith(old)]:
        state[new + name.removeprefix(old)] = state.pop(name)


def drop(state: dict[str, Any], start: str) -> None:
    for name in [name for name in state if name.startswith(start)]:
        del state[name]


@pytest.mark.parametrize(
    "change,message",
    [
        (lambda s: drop(s, "feat_map"), "is no Grounding DINO of the original code.*feat_map"),
        (lambda s: rename(s, "backbone.0.", "backbone.0.body."), "has a ResNet backbone"),
        (lambda s: {"language_model.x": torch.ones(1)}, "has mmdetection's names"),
        (lambda s: {"model.text_backbone.x": torch.ones(1)}, "has Hugging Face's names"),
        (lambda s: {"fc.weight": torch.ones(1)}, r"no weights in transformer\.,.*fc\.weight"),
        (lambda s: s.pop("transformer.level_embed"), "missing weights: transformer.level_embed"),
        (lambda s: s.pop("transformer.tgt_embed.weight"), "missing.*transformer.tgt_embed.weight"),
        (lambda s: s.pop("bbox_embed.1.layers.0.weight"), "missing.*bbox_embed.1.layers.0.weight"),
        (
            lambda s: s.update({"transformer.level_embed": torch.ones(4)}),
            r"transformer.level_embed is \[4\], wanted 2 dimensions",
        ),
        (
            lambda s: s.update({"bert.embeddings.token_type_embeddings.weight": torch.ones(1, 128)}),
            "1 token types; supported: BERT",
        ),
        (
            lambda s: s.update(
                {
                    "backbone.0.layers.0.blocks.0.attn.relative_position_bias_table": torch.ones(
                        100, 1
                    )
                }
            ),
            "relative_position_bias_table has 100 rows",
        ),
        (
            lambda s: s.update(
                {
                    "transformer.encoder.layers.0.self_attn.attention_weights.weight": torch.ones(
                        100, 256
                    )
                }
            ),
            "attention_weights.weight has 100 rows, wanted: a multiple of 8 heads x 4 levels",
        ),
    ],
)
def test_not_the_original(
    file: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    def work(state: dict[str, Any]) -> Any:
        content = change(state)
        return content if isinstance(content, dict) else None

    path = spoil(file, tmp_path, work)
    with pytest.raises(CheckpointError, match=message) as caught:
        open_checkpoint(str(path))
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "change,message",
    [
        (
            lambda s: s.pop("transformer.encoder.fusion_layers.1.gamma_l"),
            "1 missing weights: model.encoder.layers.1.fusion_layer.text_param",
        ),
        (
            lambda s: s.update({"transformer.surprise.weight": torch.ones(2)}),
            "1 unknown weights: model.surprise.weight",
        ),
        (
            lambda s: s.update({"transformer.decoder.layers.1.ca_text.in_proj_bias": torch.ones(9)}),
            r"encoder_attn_text.key.bias is \[3\], wanted \[256\]",
        ),
        (
            lambda s: s.update({"transformer.enc_output.bias": torch.full((256,), float("nan"))}),
            "model.enc_output.bias holds values that are not finite",
        ),
    ],
)
def test_spoiled_weights(
    file: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    def work(state: dict[str, Any]) -> None:
        change(state)

    path = spoil(file, tmp_path, work)
    checkpoint = open_checkpoint(str(path))
    with pytest.raises(CheckpointError, match=message) as caught:
        build_network(
            GroundingDino, checkpoint.config(), SIZES[0], checkpoint.tensors(), str(path)
        )
    assert str(path) in str(caught.value)


def test_unsupported_sizes(file: Path, tmp_path: Path) -> None:
    """What the configuration refuses, it refuses here too, with the file's name."""
    path = spoil(
        file, tmp_path, lambda s: s.update({"transformer.tgt_embed.weight": torch.ones(2**21, 1)})
    )
    with pytest.raises(ConfigError, match="spoiled.pth: config field 'num_queries'"):
        open_checkpoint(str(path))


def test_known_names() -> None:
    """The published name says the licence; nothing else in such a file does."""
    from gdino import zoo

    assert zoo.licence("groundingdino_swint_ogc.pth") == "apache-2.0"
    assert zoo.licence("network.pth") is None


@pytest.mark.parametrize(
    "config,millions,swin",
    [
        ("swin_t", 172.2, SwinConfig()),
        (
            "swin_b",
            232.3,
            SwinConfig(
                image_size=384,
                embed_dim=128,
                depths=(2, 2, 18, 2),
                num_heads=(4, 8, 16, 32),
                window_size=12,
            ),
        ),
    ],
)
def test_published_structure(
    vocabulary_file: Path, config: str, millions: float, swin: SwinConfig
) -> None:
    """Every name and shape of the full-size networks finds its place, and none is left over."""
    # The backbone asks for single numbers of a line, which nothing on `meta` has.
    line = functools.partial(torch.linspace, device="cpu")
    with torch.device("meta"), mock.patch("torch.linspace", line):
        model = original_code.build(vocabulary_file, config)
    state = {name: torch.empty_like(v, device="meta") for name, v in model.state_dict().items()}
    # Box heads are compared by value.
    for name in state:
        if name.startswith("bbox_embed"):
            state[name] = torch.zeros(state[name].shape)
    found = original.deduce(state, "published")
    assert found.backbone_config == swin
    assert replace(found, backbone_config=SwinConfig(), box_eps=1e-5, dropout=0.1) == replace(
        original.GroundingDinoConfig(), backbone_config=SwinConfig()
    )
    with torch.device("meta"):
        network = GroundingDino(found, (960, 544))
    wanted = {
        name: value.shape
        for name, value in network.state_dict().items()
        if not name.endswith("relative_position_index")
    }
    assert {name: value.shape for name, value in original.convert(state).items()} == wanted
    assert round(sum(v.numel() for v in network.parameters()) / 1e6, 1) == millions
