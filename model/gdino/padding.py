# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Text of any length to one fixed length: phrases, token ids, or features of tokens."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from gdino.prompt import DELIMITERS, Phrase, Prompt, PromptError, encode_prompt, masks
from gdino.tokenizer import Vocabulary, tokenize

CUTS_SHOWN = 8


class TextCutWarning(UserWarning):
    """Text does not fit the fixed length; the message names what is left out."""


@dataclass(frozen=True)
class BertSpecials:
    """Special ids of bert-base-uncased, which every published Grounding DINO uses."""

    pad: int = 0
    cls: int = 101
    sep: int = 102
    period: int = 1012
    question: int = 1029


@dataclass(frozen=True)
class PaddedText:
    """B texts at the fixed length T; what was not given is None."""

    text_mask: Tensor
    """bool [B,T], true = token, false = padding"""
    input_ids: Tensor | None = None
    """int64 [B,T]"""
    position_ids: Tensor | None = None
    """int64 [B,T], from 0 in each phrase"""
    block_mask: Tensor | None = None
    """bool [B,T,T], true = may attend: tokens see their own phrase, padding sees itself"""
    queries: Tensor | None = None
    """float [B,T,D], zero where text_mask is false"""
    phrases: list[list[Phrase]] = field(default_factory=list)
    """of each text: the words and their token columns"""
    dropped: list[list[str]] = field(default_factory=list)
    """of each text: what did not fit"""

    @property
    def attention_mask(self) -> Tensor:
        """int64 [B,T], 1 = token: the mask as transformers wants it."""
        return self.text_mask.long()

    def row(self, index: int) -> PaddedText:
        """One of the texts, with B = 1."""

        def one(value: Tensor | None) -> Tensor | None:
            return None if value is None else value[index : index + 1]

        return PaddedText(
            self.text_mask[index : index + 1],
            one(self.input_ids),
            one(self.position_ids),
            one(self.block_mask),
            one(self.queries),
            self.phrases[index : index + 1],
            self.dropped[index : index + 1],
        )


def warn_cut(dropped: Sequence[str], length: int, stacklevel: int) -> None:
    """Warn once, naming what does not fit `length` tokens."""
    if not dropped:
        return
    shown = ", ".join(f"'{name[:60]}'" for name in dropped[:CUTS_SHOWN])
    rest = len(dropped) - CUTS_SHOWN
    shown += f" and {rest} more" if rest > 0 else ""
    warnings.warn(
        f"text does not fit {length} tokens; left out: {shown}", TextCutWarning, stacklevel
    )


def join_labels(labels: Sequence[str], vocabulary: Vocabulary) -> str:
    """One text of a list of labels; each must be one phrase with at least one token."""
    if not labels:
        raise PromptError("text is an empty list, wanted: at least one label")
    clean = []
    for index, label in enumerate(labels):
        if not isinstance(label, str):
            raise PromptError(f"label {index} is a {type(label).__name__}, wanted: a string")
        words = label.strip()
        if words and words[-1] in DELIMITERS:
            words = words[:-1].strip()
        if any(char in words for char in DELIMITERS):
            raise PromptError(f"label {index} is '{label[:80]}': '.' and '?' end a phrase")
        if not tokenize(words, vocabulary):
            raise PromptError(f"label {index} is '{label[:80]}', which holds no word")
        clean.append(words)
    return ". ".join(clean) + "."


def is_batch(text: object) -> bool:
    """Whether `text` is a list of lists of labels, one for each image."""
    return isinstance(text, (list, tuple)) and any(isinstance(t, (list, tuple)) for t in text)


def pad_text(text: object, vocabulary: Vocabulary, length: int, stacklevel: int = 2) -> PaddedText:
    """Pad free text.

    text: a string of phrases that end in periods, a list of labels, or a list of such lists, one
    for each image. Whole phrases that do not fit are dropped from the end, with a
    TextCutWarning. Raises PromptError where there is no phrase, or the first alone is too long.
    """
    prompts: list[Prompt] = []
    for one in text if is_batch(text) else [text]:
        if isinstance(one, (list, tuple)):
            one = join_labels(one, vocabulary)
        elif not isinstance(one, str):
            raise PromptError(
                f"text is a {type(one).__name__}, wanted: a string or a list of strings"
            )
        prompt = encode_prompt(one, vocabulary, length)
        if not prompt.phrases:
            raise PromptError(f"text '{one[:80]}' holds no phrase, wanted: 'a cat. a dog.'")
        warn_cut(prompt.dropped, length, stacklevel + 1)
        prompts.append(prompt)
    return PaddedText(
        text_mask=torch.cat([p.text_mask for p in prompts]),
        input_ids=torch.cat([p.ids for p in prompts]),
        position_ids=torch.cat([p.positions for p in prompts]),
        block_mask=torch.cat([p.block_mask for p in prompts]),
        phrases=[p.phrases for p in prompts],
        dropped=[p.dropped for p in prompts],
    )


def _row_lengths(mask: Tensor) -> list[int]:
    """Tokens of each row of a 0/1 mask [B,n]; they must stand at the left."""
    if mask.dtype is torch.bool:
        valid = mask
    elif mask.is_floating_point() or not ((mask == 0) | (mask == 1)).all():
        raise ValueError("attention_mask holds other values than 0 and 1, wanted: integers 0 or 1")
    else:
        valid = mask == 1
    lengths = valid.sum(1)
    left = torch.arange(mask.shape[1], device=mask.device)[None] < lengths[:, None]
    if not torch.equal(left, valid):
        raise ValueError("attention_mask has a 1 after a 0, wanted: the padding at the right")
    return lengths.tolist()


def _check_mask(mask: Tensor | None, shape: tuple[int, int], like: str) -> None:
    if mask is None:
        return
    if not isinstance(mask, Tensor) or tuple(mask.shape) != shape:
        found = list(mask.shape) if isinstance(mask, Tensor) else type(mask).__name__
        raise ValueError(f"attention_mask is {found}, wanted: {list(shape)} as {like}")


def check_queries(queries: object) -> Tensor:
    """Return `queries` if it is a finite float tensor [B,n,D] with nothing empty."""
    if not isinstance(queries, Tensor):
        raise TypeError(f"queries are a {type(queries).__name__}, wanted: a tensor [B,n,D]")
    if queries.dim() != 3 or 0 in queries.shape:
        raise ValueError(f"queries are {list(queries.shape)}, wanted: [B,n,D] with n at least 1")
    if not queries.is_floating_point():
        raise ValueError(f"queries are {queries.dtype}, wanted: a floating type")
    if not torch.isfinite(queries).all():
        raise ValueError("queries hold NaN or infinite values")
    return queries


def check_ids(ids: object) -> Tensor:
    """Return `ids` if it is an integer tensor [B,n] with nothing empty."""
    if not isinstance(ids, Tensor):
        raise TypeError(f"input_ids are a {type(ids).__name__}, wanted: a tensor [B,n]")
    if ids.dim() != 2 or 0 in ids.shape:
        raise ValueError(f"input_ids are {list(ids.shape)}, wanted: [B,n] with n at least 1")
    if ids.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"input_ids are {ids.dtype}, wanted: torch.int64")
    return ids.long()


def pad_queries(
    queries: Tensor, mask: Tensor | None, length: int, stacklevel: int = 2
) -> PaddedText:
    """Pad features of tokens, queries float [B,n,D] and mask [B,n], to `length` rows.

    Without token ids nobody knows where a phrase ends: rows from `length` on are cut, with a
    TextCutWarning that says which.
    """
    check_queries(queries)
    batch, count, width = queries.shape
    _check_mask(mask, (batch, count), "the queries")
    lengths = [count] * batch if mask is None else _row_lengths(mask)
    out = queries.new_zeros(batch, length, width)
    text_mask = torch.zeros(batch, length, dtype=torch.bool, device=queries.device)
    dropped: list[list[str]] = []
    for row, used in enumerate(lengths):
        if used == 0:
            raise ValueError(f"row {row} of attention_mask is all 0, wanted: at least one token")
        kept = min(used, length)
        out[row, :kept] = queries[row, :kept]
        text_mask[row, :kept] = True
        dropped.append([f"queries {length} to {used - 1} of {used}"] if used > length else [])
        warn_cut(dropped[-1], length, stacklevel + 1)
    return PaddedText(text_mask, queries=out, dropped=dropped)


def pad_ids(
    ids: Tensor,
    mask: Tensor | None,
    length: int,
    vocabulary: Vocabulary | None = None,
    queries: Tensor | None = None,
    stacklevel: int = 2,
) -> PaddedText:
    """Pad token ids int [B,n], their mask [B,n] and, if given, features float [B,n,D].

    Without a mask every id but [PAD] is a token. Each row is [CLS], phrases that end in '.' or
    '?', and [SEP]; block mask and positions are those of the row without its padding. Whole
    phrases that do not fit are dropped from the end, with a TextCutWarning.
    """
    ids = check_ids(ids)
    batch, count = ids.shape
    _check_mask(mask, (batch, count), "input_ids")
    specials = vocabulary or BertSpecials()
    lengths = _row_lengths(ids != specials.pad if mask is None else mask)
    limit = len(vocabulary) if vocabulary else 1 << 31
    if ids.min() < 0 or ids.max() >= limit:
        raise ValueError(f"input_ids run from {ids.min()} to {ids.max()}, wanted: 0 to {limit - 1}")
    if queries is not None and check_queries(queries).shape[:2] != ids.shape:
        raise ValueError(
            f"queries are {list(queries.shape)}, wanted: {[batch, count]} and D as input_ids"
        )
    out = torch.full((batch, length), specials.pad, dtype=torch.int64)
    block = torch.eye(length, dtype=torch.bool).repeat(batch, 1, 1)
    positions = torch.zeros(batch, length, dtype=torch.int64)
    text_mask = torch.zeros(batch, length, dtype=torch.bool)
    features = None if queries is None else queries.new_zeros(batch, length, queries.shape[2])
    phrases, dropped = [], []
    for row in range(batch):
        given = ids[row, : lengths[row]].tolist()
        columns, found, cut = _fit_row(given, row, length, specials, vocabulary)
        kept = [given[column] for column in columns]
        used = len(kept)
        out[row, :used] = torch.tensor(kept)
        block[row, :used, :used], positions[row, :used] = masks(kept, specials)
        text_mask[row, :used] = True
        if features is not None:
            features[row, :used] = queries[row, columns]
        phrases.append(found)
        dropped.append(cut)
        warn_cut(cut, length, stacklevel + 1)
    device = ids.device
    return PaddedText(
        text_mask.to(device),
        out.to(device),
        positions.to(device),
        block.to(device),
        features,
        phrases,
        dropped,
    )


def _fit_row(
    ids: list[int],
    row: int,
    length: int,
    specials: Vocabulary | BertSpecials,
    vocabulary: Vocabulary | None,
) -> tuple[list[int], list[Phrase], list[str]]:
    """Columns of `ids` that are kept, the phrases in them, and the words that are not."""
    if len(ids) < 2 or ids[0] != specials.cls or ids[-1] != specials.sep:
        raise ValueError(f"row {row} of input_ids does not start with [CLS] and end with [SEP]")
    ends = (specials.period, specials.question)
    found: list[Phrase] = []
    start = 1
    for column, token in enumerate(ids[1:], 1):
        if token in ends or column == len(ids) - 1:
            if column > start:
                words = _words(ids[start:column], vocabulary, len(found))
                found.append(Phrase(words, start, column))
            start = column + 1
    if not found:
        raise PromptError(f"row {row} of input_ids holds no phrase")
    if len(ids) <= length:
        return list(range(len(ids))), found, []
    # A phrase, its delimiter and [SEP] must fit.
    kept = [phrase for phrase in found if phrase.end + 2 <= length and ids[phrase.end] in ends]
    if not kept:
        tokens = found[0].end - found[0].start
        raise PromptError(
            f"phrase '{found[0].text[:80]}' has {tokens} tokens, the model holds {length - 3}"
        )
    columns = [*range(kept[-1].end + 1), len(ids) - 1]
    return columns, kept, [phrase.text for phrase in found[len(kept) :]]


def _words(ids: list[int], vocabulary: Vocabulary | None, index: int) -> str:
    if vocabulary is None:
        return f"phrase {index + 1} ({len(ids)} tokens)"
    return " ".join(vocabulary.pieces[token] for token in ids).replace(" ##", "")
