# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""bfloat16: what computes in it, and that people see the same boxes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps
from torch import Tensor, nn

from gdino import agreement, precision, verify
from gdino import compile as compiler
from gdino.attention import DeformableAttention, MultiheadAttention
from gdino.bert import Bert
from gdino.decoder import PredictionHead
from gdino.encoder import TextEnhancerLayer
from gdino.network import GroundingDino
from gdino.precision import Bf16Linear
from gdino.prompt import Prompt, encode_prompt
from gdino.tokenizer import Vocabulary

TREE = Path(__file__).resolve().parents[2]
PROMPTS = ("cat. dog. sheep. cow. horse. bear.", "owl. chicken. duck. pig. koala. giraffe. cup.")


def rounded(values: Tensor) -> np.ndarray:
    """Nearest bfloat16, ties to even, by the bits of float32."""
    bits = values.detach().numpy().astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_linear(narrow: bool, bias: bool) -> None:
    torch.manual_seed(5)
    layer = nn.Linear(48, 20, bias=bias)
    x = torch.randn(2, 7, 48)
    found = Bf16Linear(layer, narrow)(x)
    assert found.dtype == (torch.bfloat16 if narrow else torch.float32)
    wanted = rounded(x) @ rounded(layer.weight).T
    if bias:
        wanted = wanted + (rounded(layer.bias) if narrow else layer.bias.detach().numpy())
    # Half a step of the result, and of the product where the bias comes after.
    np.testing.assert_allclose(found.detach().float(), wanted, rtol=2**-8, atol=2**-8)


def test_float32_is_the_network_itself(network: GroundingDino) -> None:
    assert precision.apply(network, "fp32") is network
    with pytest.raises(precision.PrecisionError, match="'fp16', supported: fp32, bf16"):
        precision.apply(network, "fp16")


@pytest.mark.parametrize("backbone", ["efficientnet-lite", "swin"])
def test_what_is_narrow(
    networks: Callable[[str], GroundingDino], backbone: str
) -> None:
    network = networks(backbone)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    twin = precision.apply(network, "bf16")
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    kinds = (Bert, PredictionHead, DeformableAttention, MultiheadAttention, TextEnhancerLayer)
    exact = [m for m in twin.modules() if isinstance(m, kinds)]
    exact += [twin.model.enc_output, twin.model.text_projection]
    for module in exact:
        assert all(value.dtype == torch.float32 for value in module.parameters())
        assert not any(isinstance(m, Bf16Linear) for m in module.modules())
    kept = {id(value) for value in network.parameters()}
    for name, value in twin.named_parameters():
        # What stays exact is shared, not copied.
        assert (value.dtype == torch.float32) == (id(value) in kept), name
    layer = twin.model.encoder.layers[0].deformable_layer
    assert isinstance(layer.fc1, Bf16Linear) and isinstance(layer.fc2, Bf16Linear)
    assert all(isinstance(m[0], nn.Conv2d) for m in twin.model.input_proj_vision)
    if backbone == "swin":
        block = twin.model.backbone.conv_encoder.model.encoder.layers[0].blocks[0]
        assert isinstance(block.attention.self.query, Bf16Linear)
        assert isinstance(block.intermediate.dense, Bf16Linear)
    assert twin.bbox_embed is twin.model.decoder.bbox_embed


def pictures() -> list[Tensor]:
    """Photographs of the tree, every second one mirrored, letterboxed: uint8 [1,256,448,3]."""
    paths = [*sorted((TREE / "tests/data/photos").glob("*.jpg")), TREE / "tests/data/still.jpg"]
    made = []
    for i, path in enumerate(paths):
        image = ImageOps.pad(Image.open(path).convert("RGB"), (448, 256), color=(127, 127, 127))
        image = ImageOps.mirror(image) if i % 2 else image
        made.append(torch.from_numpy(np.array(image))[None])
    return made


def test_default_model_shows_the_same_boxes() -> None:
    """At least 99 of 100 boxes above the threshold agree, on photographs."""
    folder = TREE / "models" / "default"
    vocabulary = Vocabulary.from_file(folder / "vocab.txt")
    network = GroundingDino.from_folder(folder, (448, 256))
    network.fold()
    twin = precision.apply(network, "bf16")
    total = agreement.Agreement()
    with torch.no_grad():
        for text in PROMPTS:
            prompt: Prompt = encode_prompt(text, vocabulary, 64)
            words = network.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
            rest = (*words, prompt.text_mask, prompt.block_mask)
            for picture in pictures():
                one, other = (
                    tuple(value[0] for value in each.forward_frame(picture, *rest))
                    for each in (twin, network)
                )
                assert one[0].dtype == one[1].dtype == torch.float32
                total += agreement.compare(one, other, prompt.phrases, 0.3)
    assert total.detections >= 40 and total.matched >= 0.99 * total.detections, total


def test_package(tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A bfloat16 package, really compiled: smaller, and of the network's kind of numbers."""
    output = tmp_path / "out"
    arguments = ["-o", str(output), "--precision", "bf16", "--text-tokens", "8", "--threads", "1"]
    assert compiler.main([str(tiny_checkpoint), *arguments]) == 0, capsys.readouterr().err
    manifest = json.loads((output / "manifest.json").read_text())
    assert manifest["precision"] == "bf16" and manifest["text_tokens"] == 8
    frame = manifest["graphs"]["frame"]
    assert {item["dtype"] for item in frame["outputs"]} == {"float32"}
    assert "distributions of scores and boxes differ by" in capsys.readouterr().out
    assert json.loads((output / "probe.json").read_text())["prompt"] == "a cat. dog."


def test_bfloat16_that_is_wrong_is_noticed(
    network: GroundingDino, vocabulary: Vocabulary
) -> None:
    prompt = encode_prompt("a cat. dog.", vocabulary, 16)
    picture = verify.pictures(*network.canvas, 1)
    judge = verify.Judge(precision="bf16")
    assert not judge.exact
    with torch.no_grad():
        words = network.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
        inputs = [picture, *words, prompt.text_mask, prompt.block_mask]
        logits, boxes = network.forward_frame(*inputs)
    for wrong in ((logits, boxes * 0.8), (logits - 6, boxes)):
        with pytest.raises(verify.VerifyError, match="bf16 on cpu"):
            verify._as_sets(network, [inputs], [wrong], [prompt.phrases], judge)
    order = torch.randperm(boxes.shape[1], generator=torch.Generator().manual_seed(1))
    good = (logits[:, order], boxes[:, order])
    assert verify._as_sets(network, [inputs], [good], [prompt.phrases], judge).good
