# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Text, token ids and features at one fixed length; nothing is cut in silence."""

from __future__ import annotations

import warnings

import pytest
import torch

from gdino import CompilableGroundingDINO, TextCutWarning
from gdino.prompt import PromptError
from gdino.tokenizer import Vocabulary, VocabularyError

CLS, SEP, DOT, CAT, DOG = 101, 102, 1012, 4937, 3899


@pytest.fixture
def helper(vocabulary: Vocabulary) -> CompilableGroundingDINO:
    return CompilableGroundingDINO(16, tokenizer=vocabulary)


def ids_of(*rows: list[int]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def test_text_in_every_form(helper: CompilableGroundingDINO) -> None:
    text = helper.prepare("A cat. a remote control")
    assert text.input_ids.tolist() == [
        [101, 1037, 4937, 1012, 1037, 6556, 2491, 1012, 102] + [0] * 7
    ]
    assert text.position_ids.tolist() == [[0, 0, 1, 2, 0, 1, 2, 3, 0] + [0] * 7]
    assert text.attention_mask.tolist() == [[1] * 9 + [0] * 7]
    assert text.block_mask.shape == (1, 16, 16) and text.block_mask.dtype is torch.bool
    assert [p.text for p in text.phrases[0]] == ["A cat", "a remote control"]
    assert text.queries is None and text.dropped == [[]]
    labels = helper.prepare(["A cat", " a remote control. "])
    assert torch.equal(labels.input_ids, text.input_ids)
    assert labels.phrases == text.phrases
    batch = helper.prepare([["dog"], ["A cat", "a remote control"]])
    assert batch.input_ids.shape == (2, 16) and batch.block_mask.shape == (2, 16, 16)
    assert torch.equal(batch.row(1).input_ids, text.input_ids)
    assert torch.equal(batch.row(1).block_mask, text.block_mask)
    assert batch.row(1).phrases == text.phrases


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "text '' holds no phrase"),
        (" . ? ", "holds no phrase"),
        ([], "empty list"),
        ([["cat"], []], "empty list"),
        (["cat", "  "], "label 1 is '  ', which holds no word"),
        (["cat", 3], "label 1 is a int"),
        (["cat. dog"], r"label 0 is 'cat. dog': '.' and"),
        (3, "text is a int"),
        ("word " * 20, "has 20 tokens, the model holds 13"),
        (["\u200b"], "holds no word"),
    ],
)
def test_text_refused(helper: CompilableGroundingDINO, text: object, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        helper.prepare(text)


def test_long_text_loses_whole_phrases_and_says_so(helper: CompilableGroundingDINO) -> None:
    names = ["a cat", "remote control", "dog", "zebra crossing", "tree", "old man", "sea"]
    with pytest.warns(TextCutWarning, match="fit 16 tokens; left out: 'old man', 'sea'") as seen:
        text = helper.prepare(names)
    assert seen[0].filename == __file__
    assert text.dropped == [["old man", "sea"]]
    assert [p.text for p in text.phrases[0]] == names[:5]
    with warnings.catch_warnings():
        warnings.simplefilter("error", TextCutWarning)
        with pytest.raises(TextCutWarning):
            helper.prepare(names)
        helper.prepare(names[:5])
    with pytest.warns(TextCutWarning, match="'n11' and 12 more$"):
        helper.prepare([f"n{i}" for i in range(24)])


def test_ids_equal_text(helper: CompilableGroundingDINO) -> None:
    text = helper.prepare("a cat. a remote control.")
    natural = text.input_ids[:, :9]
    for given in (
        {"input_ids": natural},
        {"input_ids": natural.int()},
        {"input_ids": text.input_ids},
        {"input_ids": text.input_ids, "attention_mask": text.attention_mask},
        {"input_ids": text.input_ids, "attention_mask": text.text_mask},
    ):
        found = helper.prepare(**given)
        for name in ("input_ids", "position_ids", "block_mask", "text_mask"):
            assert torch.equal(getattr(found, name), getattr(text, name)), name
        assert found.phrases == text.phrases and found.dropped == [[]]
    bare = CompilableGroundingDINO(16).prepare(input_ids=natural)
    assert torch.equal(bare.block_mask, text.block_mask)
    assert [(p.start, p.end) for p in bare.phrases[0]] == [(1, 3), (4, 7)]


def test_masks_of_ids_are_the_reference_s_without_padding(helper: CompilableGroundingDINO) -> None:
    reference = pytest.importorskip("reference", reason="needs transformers 4.57")
    # The second has no final period: padded to more columns the reference would see it otherwise.
    rows = [[CLS, CAT, DOG, DOT, DOG, DOT, SEP], [CLS, CAT, DOG, SEP], [CLS, DOT, CAT, 1029, SEP]]
    found = helper.prepare(input_ids=ids_of(*rows))
    for index, row in enumerate(rows):
        block, positions = reference.masks(torch.tensor([row]))
        used = len(row)
        assert torch.equal(found.block_mask[index, :used, :used], block[0])
        assert torch.equal(found.position_ids[index, :used], positions[0])
        assert not found.position_ids[index, used:].any()
        assert torch.equal(found.block_mask[index, used:, used:], torch.eye(16 - used).bool())
        assert not found.block_mask[index, :used, used:].any()
        assert found.attention_mask[index].sum() == used


def test_long_ids_lose_whole_phrases(helper: CompilableGroundingDINO) -> None:
    long = [CLS] + [CAT, DOG, DOT] * 6 + [SEP]
    short = [CLS, CAT, DOT, SEP]
    features = torch.randn(2, len(long), 3)
    with pytest.warns(TextCutWarning, match="left out: 'cat dog', 'cat dog'$") as seen:
        found = helper.prepare(input_ids=ids_of(long, short), queries=features)
    assert len(seen) == 1 and seen[0].filename == __file__
    kept = [CLS] + [CAT, DOG, DOT] * 4 + [SEP]
    assert found.input_ids.tolist() == [kept + [0, 0], short + [0] * 12]
    assert found.dropped == [["cat dog"] * 2, []]
    # Features follow their tokens; the last kept is that of [SEP].
    assert torch.equal(found.queries[0, :13], features[0, :13])
    assert torch.equal(found.queries[0, 13], features[0, -1])
    assert torch.equal(found.queries[1, :4], features[1, :4])
    assert not found.queries[0, 14:].any() and not found.queries[1, 4:].any()
    with pytest.warns(TextCutWarning, match=r"'phrase 5 \(2 tokens\)'"):
        CompilableGroundingDINO(16).prepare(input_ids=ids_of(long))
    # Just fits.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        helper.prepare(input_ids=ids_of([CLS] + [CAT] * 13 + [DOT, SEP]))
        helper.prepare(input_ids=ids_of([CLS] + [CAT] * 14 + [SEP]))


def test_features_alone(helper: CompilableGroundingDINO) -> None:
    features = torch.randn(2, 5, 3)
    found = helper.prepare(queries=features)
    assert found.queries.shape == (2, 16, 3)
    assert torch.equal(found.queries[:, :5], features) and not found.queries[:, 5:].any()
    assert found.attention_mask.tolist() == [[1] * 5 + [0] * 11] * 2
    assert found.input_ids is None and found.block_mask is None
    masked = helper.prepare(
        queries=features, attention_mask=torch.tensor([[1] * 5, [1, 1, 0, 0, 0]])
    )
    assert masked.attention_mask.sum(1).tolist() == [5, 2]
    assert not masked.queries[1, 2:].any()
    with pytest.warns(TextCutWarning, match="left out: 'queries 16 to 19 of 20'"):
        cut = helper.prepare(queries=torch.ones(1, 20, 3, dtype=torch.float16))
    assert cut.queries.shape == (1, 16, 3) and cut.queries.dtype is torch.float16


GOOD = [[CLS, CAT, DOT, SEP]]


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({}, ValueError, "prepare got nothing"),
        ({"text": "cat.", "input_ids": torch.tensor(GOOD)}, ValueError, "text and tensors"),
        ({"input_ids": GOOD}, TypeError, "input_ids are a list"),
        ({"input_ids": torch.tensor(GOOD[0])}, ValueError, r"\[4\], wanted: \[B,n\]"),
        ({"input_ids": torch.zeros(1, 0, dtype=torch.int64)}, ValueError, r"\[1, 0\]"),
        ({"input_ids": torch.tensor(GOOD).float()}, ValueError, "torch.float32, wanted"),
        ({"input_ids": torch.tensor([[CLS, -1, SEP]])}, ValueError, "from -1 to 102"),
        ({"input_ids": torch.tensor([[CLS, 99999, SEP]])}, ValueError, "to 99999, wanted: 0 to"),
        ({"input_ids": torch.tensor([[CAT, DOT]])}, ValueError, "row 0 .*start with"),
        ({"input_ids": torch.tensor([[CLS, SEP]])}, PromptError, "row 0 .* no phrase"),
        ({"input_ids": torch.tensor([[CLS, DOT, SEP]])}, PromptError, "no phrase"),
        (
            {"input_ids": torch.tensor([[CLS] + [CAT] * 14 + [DOT, SEP]])},
            PromptError,
            "has 14 tokens, the model holds 13",
        ),
        (
            {"input_ids": torch.tensor(GOOD), "attention_mask": torch.ones(1, 3)},
            ValueError,
            r"attention_mask is \[1, 3\], wanted: \[1, 4\]",
        ),
        (
            {"input_ids": torch.tensor(GOOD), "attention_mask": torch.tensor([[0, 1, 1, 1]])},
            ValueError,
            "padding at the right",
        ),
        (
            {"input_ids": torch.tensor(GOOD), "attention_mask": torch.tensor([[2, 1, 1, 1]])},
            ValueError,
            "other values than 0 and 1",
        ),
        ({"queries": [[1.0]]}, TypeError, "queries are a list"),
        ({"queries": torch.zeros(5, 3)}, ValueError, r"\[5, 3\], wanted: \[B,n,D\]"),
        ({"queries": torch.zeros(1, 0, 3)}, ValueError, r"\[1, 0, 3\]"),
        ({"queries": torch.zeros(1, 2, 3).long()}, ValueError, "torch.int64"),
        ({"queries": torch.full((1, 2, 3), float("nan"))}, ValueError, "NaN"),
        (
            {"queries": torch.zeros(1, 2, 3), "attention_mask": torch.zeros(1, 2).long()},
            ValueError,
            "row 0 of attention_mask is all 0",
        ),
        (
            {"queries": torch.zeros(1, 3, 3), "input_ids": torch.tensor(GOOD)},
            ValueError,
            r"queries are \[1, 3, 3\], wanted: \[1, 4\]",
        ),
    ],
)
def test_tensors_refused(
    helper: CompilableGroundingDINO, given: dict, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        helper.prepare(**given)


def test_constructor_and_config(vocabulary: Vocabulary) -> None:
    helper = CompilableGroundingDINO()
    assert helper.max_queries == 256
    assert helper.compile_config() == {
        "dynamic": False,
        "fullgraph": True,
        "mode": "default",
        "backend": "inductor",
    }
    assert "256 text tokens" in repr(helper)
    for bad in (7, -1, 256.0, True, None):
        with pytest.raises(ValueError, match="max_queries is"):
            CompilableGroundingDINO(bad)
    with pytest.raises(ValueError, match="mode is 'fastest', wanted: default"):
        CompilableGroundingDINO(mode="fastest")
    with pytest.raises(ValueError, match="size is"):
        CompilableGroundingDINO(size=(640, 0))
    with pytest.raises(ValueError, match="needs a tokenizer"):
        helper.prepare("cat.")
    with pytest.raises(TypeError, match="tokenizer is a int"):
        CompilableGroundingDINO(tokenizer=3)
    with pytest.raises(VocabularyError, match="no such file"):
        CompilableGroundingDINO(tokenizer="nowhere.txt")
