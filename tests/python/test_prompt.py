# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The Python prompt rules: ids, blocks, positions, spans."""

from __future__ import annotations

import random

import pytest
import torch

from gdino.prompt import PromptError, encode_prompt
from gdino.tokenizer import Vocabulary, VocabularyError, tokenize

CASES = [
    ("cat.", [101, 4937, 1012, 102], [0, 0, 1, 0], ["cat"]),
    ("cat", [101, 4937, 1012, 102], [0, 0, 1, 0], ["cat"]),
    (" cat . ", [101, 4937, 1012, 102], [0, 0, 1, 0], ["cat"]),
    ("red car", [101, 2417, 2482, 1012, 102], [0, 0, 1, 2, 0], ["red car"]),
    (
        "a cat. remote control.",
        [101, 1037, 4937, 1012, 6556, 2491, 1012, 102],
        [0, 0, 1, 2, 0, 1, 2, 0],
        ["a cat", "remote control"],
    ),
    (
        "people; astronaut.",
        [101, 2111, 1025, 19748, 1012, 102],
        [0, 0, 1, 2, 3, 0],
        ["people; astronaut"],
    ),
    ("Person . DOG .", [101, 2711, 1012, 3899, 1012, 102], [0, 0, 1, 0, 1, 0], ["Person", "DOG"]),
    ("caf\u00e8.", [101, 7668, 1012, 102], [0, 0, 1, 0], ["caf\u00e8"]),
    (
        "This is[SEP]a test",
        [101, 2023, 2003, 1031, 19802, 1033, 1037, 3231, 1012, 102],
        [0, 0, 1, 2, 3, 4, 5, 6, 7, 0],
        ["This is[SEP]a test"],
    ),
    (
        "shoe? aglet.",
        [101, 10818, 1029, 12943, 7485, 1012, 102],
        [0, 0, 1, 0, 1, 2, 0],
        ["shoe", "aglet"],
    ),
    (".", [101, 1012, 102], [0, 0, 0], []),
    ("", [101, 1012, 102], [0, 0, 0], []),
    ("   ", [101, 1012, 102], [0, 0, 0], []),
    ("cat?", [101, 4937, 1029, 1012, 102], [0, 0, 1, 0, 0], ["cat"]),
    (
        "cat. dog. CAT.",
        [101, 4937, 1012, 3899, 1012, 4937, 1012, 102],
        [0, 0, 1, 0, 1, 0, 1, 0],
        ["cat", "dog"],
    ),
    ("cat\u3002dog\u3002", [101, 4937, 1636, 3899, 1636, 1012, 102], [0, 0, 1, 2, 3, 4, 0], None),
]


@pytest.mark.parametrize("text,ids,positions,phrases", CASES)
@pytest.mark.parametrize("length", [None, 32])
def test_ids_and_positions(
    vocabulary: Vocabulary,
    text: str,
    ids: list[int],
    positions: list[int],
    phrases: list[str] | None,
    length: int | None,
) -> None:
    prompt = encode_prompt(text, vocabulary, length)
    pad = 0 if length is None else length - len(ids)
    assert prompt.ids.tolist() == [ids + [0] * pad]
    assert prompt.positions.tolist() == [positions + [0] * pad]
    assert prompt.text_mask.tolist() == [[True] * len(ids) + [False] * pad]
    if phrases is not None:
        assert [phrase.text for phrase in prompt.phrases] == phrases
    for phrase in prompt.phrases:
        span = prompt.ids[0, phrase.start : phrase.end].tolist()
        assert span == tokenize(phrase.text, vocabulary)


def test_pads_see_only_themselves(vocabulary: Vocabulary) -> None:
    prompt = encode_prompt("a cat. dog.", vocabulary, 16)
    used = prompt.tokens
    pads = prompt.block_mask[0, used:]
    assert torch.equal(pads, torch.eye(16, dtype=torch.bool)[used:])
    assert not prompt.block_mask[0, :used, used:].any()
    assert prompt.block_mask[0, 0].nonzero().flatten().tolist() == [0]


def test_whole_phrases_are_dropped_from_the_end(vocabulary: Vocabulary) -> None:
    full = encode_prompt("person. " * 7, vocabulary, 16)
    assert full.tokens == 16 and not full.dropped
    names = ["cat", "dog", "red car", "horse", "a big bird", "cow"]
    prompt = encode_prompt(". ".join(names), vocabulary, 12)
    assert [p.text for p in prompt.phrases] == names[:4]
    assert prompt.dropped == names[4:]
    assert prompt.ids[0, prompt.tokens - 1] == vocabulary.sep


def test_first_phrase_too_long(vocabulary: Vocabulary) -> None:
    with pytest.raises(PromptError, match="9 tokens, the model holds 6"):
        encode_prompt("a b c d e f g h i. cat.", vocabulary, 9)


def test_masks_equal_the_reference(vocabulary: Vocabulary) -> None:
    reference = pytest.importorskip(
        "reference", reason="needs transformers 4.57 (model/requirements-test.txt)"
    )
    chance = random.Random(3)
    words = ["cat", "dog", "red car", "unbelievable", "?", ".", "", "a", "zebra crossing"]
    for _ in range(60):
        text = chance.choice((". ", "? ", " ")).join(chance.choices(words, k=chance.randint(0, 6)))
        prompt = encode_prompt(text, vocabulary, 48)
        mask, positions = reference.masks(prompt.ids)
        assert torch.equal(mask, prompt.block_mask), text
        assert torch.equal(positions, prompt.positions), text


def test_tokenizer_equals_tokenizers(vocabulary: Vocabulary, vocabulary_file) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    reference = tokenizers.BertWordPieceTokenizer(str(vocabulary_file), lowercase=True)
    chance = random.Random(5)
    alphabet = (
        "abcdefghijklmnopqrstuvwxyz ABC 0123 .,;:!?-_'\"()[]{}@#$%^&*+=<>/|~`"
        "\u00e9\u00c8\u00f1\u00df\u0130\u03a3\u03c3\u4e2d\u6587\u3002\u2013\u00a0\t\n"
        "\U0001f600\u0301\u0000\ufffd\u200b\u0416\u05d0\u0627\u0e01\uac00"
    )
    for _ in range(1500):
        text = "".join(chance.choices(alphabet, k=chance.randint(0, 40)))
        wanted = reference.encode(text, add_special_tokens=False).ids
        assert tokenize(text, vocabulary) == wanted, repr(text)


def test_bad_vocabulary(tmp_path) -> None:
    with pytest.raises(VocabularyError, match="vocab.txt: no such file"):
        Vocabulary.from_file(tmp_path / "vocab.txt")
    (tmp_path / "vocab.txt").write_bytes(b"[PAD]\n\xff\xfe\n")
    with pytest.raises(VocabularyError, match="UTF-8"):
        Vocabulary.from_file(tmp_path / "vocab.txt")
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n")
    with pytest.raises(VocabularyError, match=r"no line '\[CLS\]'"):
        Vocabulary.from_file(tmp_path / "vocab.txt")
