# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""BERT text encoder, with Hugging Face's parameter names."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from gdino.config import BertConfig

ACTIVATION = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}


class BertEmbeddings(nn.Module):
    """Sum of word, position and token type embeddings, then a layer norm."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(
            config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id
        )
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, input_ids: Tensor, position_ids: Tensor) -> Tensor:
        words = self.word_embeddings(input_ids)
        # Every token is of type 0 in a prompt.
        words = words + self.token_type_embeddings.weight[0]
        return self.LayerNorm(words + self.position_embeddings(position_ids))


class BertSelfAttention(nn.Module):
    """Query, key and value of one layer."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        shape = (batch, tokens, self.heads, width // self.heads)
        query = self.query(x).view(shape).transpose(1, 2)
        key = self.key(x).view(shape).transpose(1, 2)
        value = self.value(x).view(shape).transpose(1, 2)
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return out.transpose(1, 2).reshape(batch, tokens, width)


class BertResidual(nn.Module):
    """Dense layer, residual and layer norm, as `output` modules of BERT."""

    def __init__(self, width_in: int, width_out: int, eps: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width_in, width_out)
        self.LayerNorm = nn.LayerNorm(width_out, eps=eps)

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(x) + residual)


class BertAttention(nn.Module):
    """Self attention with its output."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.self = BertSelfAttention(config)
        self.output = BertResidual(config.hidden_size, config.hidden_size, config.layer_norm_eps)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.output(self.self(x, mask), x)


class BertIntermediate(nn.Module):
    """First half of the feed-forward network."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACTIVATION[config.hidden_act]

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.dense(x))


class BertLayer(nn.Module):
    """One transformer layer."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = BertAttention(config)
        self.intermediate = BertIntermediate(config)
        self.output = BertResidual(
            config.intermediate_size, config.hidden_size, config.layer_norm_eps
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.attention(x, mask)
        return self.output(self.intermediate(x), x)


class BertEncoder(nn.Module):
    """All layers."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layer:
            x = layer(x, mask)
        return x


class Bert(nn.Module):
    """BERT without pooler: ids and positions int64 [B,T], mask bool [B,T,T] -> [B,T,hidden]."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)

    def forward(self, input_ids: Tensor, position_ids: Tensor, block_mask: Tensor) -> Tensor:
        x = self.embeddings(input_ids, position_ids)
        return self.encoder(x, block_mask[:, None])
