# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The probe of a package: its picture, what it lists, and what it lets pass."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from gdino import probe
from gdino.network import GroundingDino
from gdino.prompt import Prompt, encode_prompt
from gdino.tokenizer import Vocabulary


def pixel(x: int, y: int, width: int, height: int) -> tuple[int, int, int]:
    """The formula of docs/model-package.md, word for word."""
    red = 255 * x // max(width - 1, 1)
    green = 255 * y // max(height - 1, 1)
    blue = 160 * ((x // 16 + y // 16) % 2) + (7 * x + 13 * y) % 64
    u, v = width // 5, height // 4
    if u <= x < 2 * u and v <= y < 3 * v:
        red, green, blue = 210, 60, 40
    if 3 * u <= x < 4 * u and 2 * v <= y < 3 * v:
        red, green, blue = 30, 90, 200
    return red, green, blue


@pytest.mark.parametrize("size", [(128, 96), (32, 32), (160, 64), (3, 2), (1, 1)])
def test_picture_is_the_documented_one(size: tuple[int, int]) -> None:
    width, height = size
    wanted = [[pixel(x, y, width, height) for x in range(width)] for y in range(height)]
    found = probe.gradient(width, height)
    assert found.dtype == torch.uint8 and found.shape == (1, height, width, 3)
    assert np.array_equal(found[0].numpy(), np.array(wanted, np.uint8))


@pytest.fixture(scope="module")
def prompt(vocabulary: Vocabulary) -> Prompt:
    return encode_prompt(probe.PROMPT, vocabulary, 16)


@pytest.fixture(scope="module")
def result(
    network: GroundingDino, prompt: Prompt, detect: Callable[..., tuple[Tensor, Tensor]]
) -> tuple[Tensor, Tensor]:
    logits, boxes = detect(network, probe.gradient(*network.canvas), prompt)
    # Random weights are sure of what they see; scores near 1 would leave no room above.
    return logits[0] / logits[0][:, :8].abs().max(), boxes[0]


@pytest.fixture(scope="module")
def content(result: tuple[Tensor, Tensor], prompt: Prompt) -> dict:
    return probe.make(*result, prompt, probe.EXACT)


def test_content(content: dict, result: tuple[Tensor, Tensor], prompt: Prompt) -> None:
    logits, boxes = (value.numpy().astype(np.float64) for value in result)
    assert content["prompt"] == "a cat. dog. remote control."
    assert content["image"] == {"generator": "gradient-1"}
    assert content["tolerance"] == {"score": 1e-3, "box": 1e-3, "share": 0.9}
    # Columns of the prompt: [CLS] a cat . dog . remote control . [SEP]
    spans = {"a cat": (1, 3), "dog": (4, 5), "remote control": (6, 8)}
    scores = {
        name: 1 / (1 + np.exp(-logits[:, start:end].max(1))) for name, (start, end) in spans.items()
    }
    best = np.max(list(scores.values()), axis=0)
    order = np.argsort(-best)[:20]
    assert len(content["detections"]) == 20
    for query, entry in zip(order, content["detections"], strict=True):
        assert entry["score"] == pytest.approx(best[query], abs=1e-6)
        assert scores[entry["phrase"]][query] == best[query]
        assert entry["box"] == pytest.approx(boxes[query], abs=1e-6)


def test_file(content: dict, tmp_path: Path) -> None:
    probe.write(content, tmp_path)
    text = (tmp_path / "probe.json").read_text()
    assert json.loads(text) == content and text.endswith("}\n")


def test_prompt_that_fits(vocabulary: Vocabulary) -> None:
    short = encode_prompt(probe.PROMPT, vocabulary, 8)
    assert short.dropped == ["remote control"]
    again = encode_prompt(probe.fitting(short), vocabulary, 8)
    assert not again.dropped and again.phrases == short.phrases
    assert torch.equal(again.ids, short.ids)


def test_same_result_passes(
    content: dict, result: tuple[Tensor, Tensor], prompt: Prompt
) -> None:
    logits, boxes = result
    order = torch.randperm(len(boxes), generator=torch.Generator().manual_seed(3))
    for rows in (torch.arange(len(boxes)), order):
        assert probe.check(content, logits[rows], boxes[rows], prompt) is None
    assert probe.check(content, logits, boxes + 0.0009, prompt) is None


@pytest.mark.parametrize(
    "count,message", [(0, None), (2, None), (3, "17 of 20 detections found, wanted: 90%")]
)
@pytest.mark.parametrize("side", range(4))
def test_moved_boxes(
    content: dict,
    result: tuple[Tensor, Tensor],
    prompt: Prompt,
    count: int,
    message: str | None,
    side: int,
) -> None:
    logits, boxes = result[0], result[1].clone()
    boxes[:count, side] += 0.3
    found = probe.check(content, logits, boxes, prompt)
    assert found == message if message is None else message in found


def test_all_scores_lower(
    content: dict, result: tuple[Tensor, Tensor], prompt: Prompt
) -> None:
    found = probe.check(content, result[0] - 1.0, result[1], prompt)
    assert "0 of 20 detections found" in found


def test_one_score_too_high(
    content: dict, result: tuple[Tensor, Tensor], prompt: Prompt
) -> None:
    logits = result[0].clone()
    logits[7, 4] = 9.0
    assert "a query scores 0.9999" in probe.check(content, logits, result[1], prompt)
    # No phrase's token: [CLS] and padding count for nothing.
    logits = result[0].clone()
    logits[7, 0] = 9.0
    logits[7, 12] = 9.0
    assert probe.check(content, logits, result[1], prompt) is None


@pytest.mark.parametrize("which", [0, 1])
def test_not_a_number(
    content: dict, result: tuple[Tensor, Tensor], prompt: Prompt, which: int
) -> None:
    values = [value.clone() for value in result]
    values[which][5, 2] = float("nan")
    assert probe.check(content, *values, prompt) == "a result is not a number"


def test_share_is_one_where_it_is_not_said(
    content: dict, result: tuple[Tensor, Tensor], prompt: Prompt
) -> None:
    strict = copy.deepcopy(content)
    del strict["tolerance"]["share"]
    assert probe.check(strict, *result, prompt) is None
    boxes = result[1].clone()
    boxes[0] += 0.3
    assert "19 of 20 detections found, wanted: 100%" in probe.check(
        strict, result[0], boxes, prompt
    )
