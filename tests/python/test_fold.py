# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Work done once before compiling changes no number, and sampling is grid_sample's."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from gdino.attention import DeformableAttention
from gdino.efficientnet import EfficientNetLite
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

SHAPES = [(6, 8), (3, 4), (2, 2)]


@pytest.mark.parametrize("backbone", ["efficientnet-lite", "swin"])
def test_folded_network(
    backbone: str,
    networks: Callable[[str], GroundingDino],
    vocabulary: Vocabulary,
    picture: torch.Tensor,
    detect: Callable,
) -> None:
    network = copy.deepcopy(networks(backbone))
    prompt = encode_prompt("a cat. dog.", vocabulary, 16)
    wanted = detect(network, picture, prompt)
    for _ in range(2):  # again makes no difference
        network.fold()
        found = detect(network, picture, prompt)
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-5)


def test_folded_backbone(networks: Callable[[str], GroundingDino]) -> None:
    """Strided kernels of 3 and of 5, each of which gets a row and a column more."""
    backbone = copy.deepcopy(networks("efficientnet-lite").model.backbone.conv_encoder.model)
    assert isinstance(backbone, EfficientNetLite)
    image = torch.randn(1, 3, 64, 96, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        wanted = backbone(image)
        backbone.fold()
        found = backbone(image)
    kernels = {block._depthwise_conv.kernel_size[0] for block in backbone._blocks}
    assert {3, 4, 5, 6} <= kernels
    for one, other in zip(found, wanted, strict=True):
        assert other.std() > 1e-3
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@pytest.fixture
def attention() -> DeformableAttention:
    torch.manual_seed(5)
    module = DeformableAttention(SimpleNamespace(d_model=32), 4, 3, SHAPES)
    module.reset()
    torch.nn.init.normal_(module.sampling_offsets.weight, std=0.3)
    torch.nn.init.normal_(module.attention_weights.weight, std=0.3)
    return module.eval()


def sampled(module: DeformableAttention, queries, values, reference) -> torch.Tensor:
    """What the paper says, level by level, with torch's own sampling."""
    batch, count, width = queries.shape
    heads, points, levels = module.heads, module.points, module.levels
    value = module.value_proj(values).view(batch, -1, heads, width // heads)
    offsets = module.sampling_offsets(queries).view(batch, count, heads, levels, points, 2)
    weights = module.attention_weights(queries).view(batch, count, heads, -1).softmax(-1)
    weights = weights.view(batch, count, heads, levels, points)
    out = 0
    start = 0
    for level, (height, across) in enumerate(SHAPES):
        part = value[:, start : start + height * across].permute(0, 2, 3, 1)
        start += height * across
        part = part.reshape(batch * heads, -1, height, across)
        place = reference[:, :, None, None, :2]
        if reference.shape[-1] == 4:
            place = place + offsets[..., level, :, :] / points * reference[:, :, None, None, 2:] / 2
        else:
            place = place + offsets[..., level, :, :] / torch.tensor([across, height])
        grid = (2 * place - 1).transpose(1, 2).reshape(batch * heads, count, points, 2)
        found = F.grid_sample(part, grid, align_corners=False)
        share = weights[..., level, :].transpose(1, 2).reshape(batch * heads, 1, count, points)
        out = out + (found * share).sum(-1)
    return module.output_proj(out.view(batch, width, count).transpose(1, 2))


@pytest.mark.parametrize("numbers", [2, 4], ids=["points", "boxes"])
@pytest.mark.parametrize("folded", [False, True], ids=["as published", "folded"])
def test_sampling(attention: DeformableAttention, numbers: int, folded: bool) -> None:
    queries, values = torch.randn(2, 7, 32), torch.randn(2, attention.cells, 32)
    # Some lie outside, as do some of their samples.
    reference = torch.rand(2, 7, numbers) * 1.4 - 0.2
    with torch.no_grad():
        wanted = sampled(attention, queries, values, reference)
        if folded:
            attention.fold()
        found = attention(queries, values, reference)
    assert wanted.std() > 0.01
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("place", [float("nan"), float("inf"), -float("inf"), 1e30, -1e30])
def test_no_place_leads_out_of_memory(attention: DeformableAttention, place: float) -> None:
    places = torch.full((1, 2, 4, 9), place)
    index, weight = attention._corners(places, places, torch.ones(1, 2, 4, 9))
    assert index.dtype == torch.int32
    assert 0 <= index.min() <= index.max() < attention.cells * attention.heads
    assert (weight == 0).all()
