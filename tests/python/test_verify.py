# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The comparison at the end of gdino-compile: which differences count."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from gdino import probe, verify
from gdino.network import GroundingDino
from gdino.prompt import encode_prompt
from gdino.tokenizer import Vocabulary

# A sigmoid may round differently where its value lies elsewhere in memory.
ROUNDING = 1e-6


@pytest.fixture(scope="module")
def inputs(network: GroundingDino, vocabulary: Vocabulary) -> list[Tensor]:
    prompt = encode_prompt(probe.PROMPT, vocabulary, 16)
    with torch.no_grad():
        text = network.encode_text(prompt.ids, prompt.positions, prompt.block_mask)
    return [probe.gradient(*network.canvas), *text, prompt.text_mask, prompt.block_mask]


def outputs(network: GroundingDino, inputs: list[Tensor]) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        logits, boxes = network.forward_frame(*inputs)
    return logits.clone(), boxes.clone()


def test_equal(network: GroundingDino, inputs: list[Tensor]) -> None:
    assert max(verify.compare_frame(network, inputs, outputs(network, inputs))) <= ROUNDING


def test_order_of_queries_does_not_count(network: GroundingDino, inputs: list[Tensor]) -> None:
    logits, boxes = outputs(network, inputs)
    order = torch.randperm(boxes.shape[1], generator=torch.Generator().manual_seed(1))
    assert (
        max(verify.compare_frame(network, inputs, (logits[:, order], boxes[:, order]))) <= ROUNDING
    )


def test_padding_columns_do_not_count(network: GroundingDino, inputs: list[Tensor]) -> None:
    logits, boxes = outputs(network, inputs)
    logits[..., ~inputs[3][0]] = 5.0
    assert max(verify.compare_frame(network, inputs, (logits, boxes))) <= ROUNDING


@pytest.mark.parametrize("value", [0.5, float("nan"), float("inf")])
def test_one_wrong_query_counts(network: GroundingDino, inputs: list[Tensor], value: float) -> None:
    logits, boxes = outputs(network, inputs)
    boxes[0, 4, 1] += value
    assert verify.compare_frame(network, inputs, (logits, boxes))[1] > verify.TOLERANCE


def test_a_repeated_query_counts(network: GroundingDino, inputs: list[Tensor]) -> None:
    logits, boxes = outputs(network, inputs)
    logits[0, 3], boxes[0, 3] = logits[0, 4], boxes[0, 4]
    assert max(verify.compare_frame(network, inputs, (logits, boxes))) > verify.TOLERANCE


def tied(network: GroundingDino, monkeypatch: pytest.MonkeyPatch, ranks: tuple[int, ...]) -> None:
    """Lift the score of some ranks to all but that of the rank before."""
    plain = network._score

    def score(*arguments: Tensor) -> tuple[Tensor, Tensor]:
        query, scores = plain(*arguments)
        best, order = scores[0].amax(-1).sort(descending=True, stable=True)
        for rank in ranks:
            change = best[rank - 1] - best[rank] - 1e-6
            scores[0, order[rank]] += change
        return query, scores

    monkeypatch.setattr(network, "_score", score)


@pytest.mark.parametrize("rank", [5, 20], ids=["inside", "at the last query"])
def test_ranks_traded_at_a_tie(
    network: GroundingDino, inputs: list[Tensor], monkeypatch: pytest.MonkeyPatch, rank: int
) -> None:
    tied(network, monkeypatch, (rank,))
    queries = network.config.num_queries
    with verify.Selection(network) as selection, torch.no_grad():
        network.forward_frame(*inputs)
        order = selection.best[0].argsort(descending=True, stable=True)
        order[[rank - 1, rank]] = order[[rank, rank - 1]]
        selection.chosen = order[:queries]
        traded = network.forward_frame(*inputs)
    plain = outputs(network, inputs)
    assert max(verify.match(traded, plain, inputs[3])) > verify.TOLERANCE
    assert max(verify.compare_frame(network, inputs, traded)) <= verify.TOLERANCE


def test_ranks_traded_without_a_tie_count(network: GroundingDino, inputs: list[Tensor]) -> None:
    queries = network.config.num_queries
    with verify.Selection(network) as selection, torch.no_grad():
        network.forward_frame(*inputs)
        order = selection.best[0].argsort(descending=True, stable=True)
        order[[2, 9]] = order[[9, 2]]
        selection.chosen = order[:queries]
        wrong = network.forward_frame(*inputs)
    assert max(verify.compare_frame(network, inputs, wrong)) > verify.TOLERANCE


def test_selection_restores_the_network(network: GroundingDino, inputs: list[Tensor]) -> None:
    with verify.Selection(network):
        assert "_select" in vars(network)
    assert "_select" not in vars(network)
