# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Work in pieces gives what work in one go gives, and fusion what its published formula gives."""

import math

import pytest
import torch

from gdino import chunks
from gdino.attention import BiMultiHeadAttention
from gdino.config import GroundingDinoConfig


@pytest.mark.parametrize("count", [1, 7, 64, 65, 1000])
def test_pieces_cover_all_rows_in_order(monkeypatch, count):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 64 * 8 * 4)
    rows = torch.arange(count * 3.0).view(count, 3)
    pieces = chunks.chunks(rows, 8)
    assert torch.equal(torch.cat(pieces), rows)
    assert len(pieces) == math.ceil(count / 64)
    assert all(len(piece) <= 64 for piece in pieces)


def test_a_layer_by_pieces_keeps_the_shape(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 10 * 16 * 4)
    layer = torch.nn.Linear(5, 16)
    x = torch.randn(2, 3, 7, 5)
    torch.testing.assert_close(chunks.by_chunks(layer, x, 16), layer(x))


def published(attention, vision, text, text_mask):
    """Fusion as in the paper's code: project all, one score matrix, a softmax each way."""

    def split(x):
        return x.view(*x.shape[:2], attention.heads, -1).transpose(1, 2)

    query = split(attention.vision_proj(vision))
    key = split(attention.text_proj(text))
    score = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    to_text = score.transpose(-1, -2).softmax(-1)
    to_vision = score.masked_fill(~text_mask[:, None, None], float("-inf")).softmax(-1)
    seen = to_text @ split(attention.values_vision_proj(vision))
    told = to_vision @ split(attention.values_text_proj(text))

    def join(x):
        return x.transpose(1, 2).flatten(2)

    return attention.out_vision_proj(join(told)), attention.out_text_proj(join(seen))


@pytest.mark.parametrize("limit", [1 << 30, 37 * 4 * 12 * 4], ids=["whole", "pieces"])
def test_fusion_equals_the_published_formula(monkeypatch, limit):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", limit)
    torch.manual_seed(0)
    config = GroundingDinoConfig(
        d_model=32, encoder_ffn_dim=128, encoder_attention_heads=8, num_queries=20
    )
    attention = BiMultiHeadAttention(config).double()
    with torch.no_grad():
        for value in attention.parameters():
            value.copy_(torch.randn_like(value) * 0.5)
    vision = torch.randn(2, 150, 32, dtype=torch.float64)
    text = torch.randn(2, 12, 32, dtype=torch.float64)
    mask = torch.arange(12)[None] < torch.tensor([[12], [5]])
    with torch.no_grad():
        found = attention(vision, text, mask)
        wanted = published(attention, vision, text, mask)
    # The score matrix must say something, or the softmaxes would be means.
    assert wanted[0].std() > 0.1
    torch.testing.assert_close(found[0], wanted[0])
    # Padding tokens may differ, nothing looks at them; they must stay finite.
    torch.testing.assert_close(found[1][mask], wanted[1][mask])
    assert found[1].isfinite().all()
