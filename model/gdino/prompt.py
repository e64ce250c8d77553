# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The prompt rules: text to padded ids, positions, masks and phrase spans."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import torch
from torch import Tensor

from gdino.tokenizer import Vocabulary, normalise, tokenize

DELIMITERS = ".?"
SHORTEST_TEXT = 8


class PromptError(ValueError):
    """A prompt cannot be used."""


@dataclass(frozen=True)
class Phrase:
    """One phrase: the user's own words and its token columns start..end (end exclusive)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Prompt:
    """A prompt as the graphs want it."""

    ids: Tensor
    """int64 [1,T]"""
    positions: Tensor
    """int64 [1,T]"""
    block_mask: Tensor
    """bool [1,T,T], true = may attend"""
    text_mask: Tensor
    """bool [1,T], true = token, false = padding"""
    phrases: list[Phrase]
    """in order; a phrase that came before is not repeated"""
    dropped: list[str] = field(default_factory=list)
    """phrases that did not fit"""

    @property
    def tokens(self) -> int:
        """Number of tokens without padding."""
        return int(self.text_mask.sum())


def split_phrases(text: str) -> list[tuple[str, str]]:
    """Split at '.' and '?': (phrase with blanks stripped, its delimiter).

    As in the original, a '.' is added unless the text ends in one.
    """
    parts = re.split(r"([.?])", text)
    pairs = [(parts[i].strip(), parts[i + 1]) for i in range(0, len(parts) - 1, 2)]
    rest = parts[-1].strip()
    if rest or not text.strip().endswith("."):
        pairs.append((rest, "."))
    return pairs


def masks(ids: list[int], vocabulary: Vocabulary) -> tuple[Tensor, Tensor]:
    """Block mask bool [T,T] and positions int64 [T] of ids, as the original loop makes them.

    Walk over the special tokens with the column of the one before: the columns after it up to
    and with this one form a block, numbered from 0. A special token in the first or last column
    stands alone. All else (padding) sees only itself.
    """
    count = len(ids)
    mask = torch.eye(count, dtype=torch.bool)
    positions = torch.zeros(count, dtype=torch.int64)
    special = {vocabulary.cls, vocabulary.sep, vocabulary.period, vocabulary.question}
    before = 0
    for column, token in enumerate(ids):
        if token not in special:
            continue
        if column not in (0, count - 1):
            mask[before + 1 : column + 1, before + 1 : column + 1] = True
            positions[before + 1 : column + 1] = torch.arange(column - before)
        before = column
    return mask, positions


def encode_prompt(text: str, vocabulary: Vocabulary, length: int | None = None) -> Prompt:
    """Encode `text` for `length` text tokens, or for just as many as it has (None).

    Whole phrases that do not fit are dropped from the end. A prompt without any phrase has an
    empty `phrases`. Raises PromptError where the first phrase alone is too long.
    """
    ids = [vocabulary.cls]
    phrases: list[Phrase] = []
    dropped: list[str] = []
    known: set[str] = set()
    room = (length if length is not None else 1 << 30) - 1
    for words, delimiter in split_phrases(text):
        tokens = tokenize(words, vocabulary)
        if dropped or len(ids) + len(tokens) + 1 > room:
            if tokens and not phrases:
                raise PromptError(
                    f"phrase '{words[:80]}' has {len(tokens)} tokens, the model holds "
                    f"{max(room - 2, 0)}"
                )
            if tokens:
                dropped.append(words)
            continue
        key = " ".join(normalise(words).split())
        if tokens and key not in known:
            known.add(key)
            phrases.append(Phrase(words, len(ids), len(ids) + len(tokens)))
        ids += tokens
        ids.append(vocabulary.period if delimiter == "." else vocabulary.question)
    ids.append(vocabulary.sep)
    used = len(ids)
    if length is not None:
        ids += [vocabulary.pad] * (length - used)
    mask, positions = masks(ids, vocabulary)
    return Prompt(
        ids=torch.tensor([ids], dtype=torch.int64),
        positions=positions[None],
        block_mask=mask[None],
        text_mask=(torch.arange(len(ids)) < used)[None],
        phrases=phrases,
        dropped=dropped,
    )
