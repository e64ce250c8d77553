# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""BERT's uncased WordPiece tokenizer, small and without special tokens in user text."""

from __future__ import annotations

import unicodedata
from pathlib import Path

SPECIALS = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]"}
LONGEST_WORD = 100
CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class VocabularyError(ValueError):
    """A vocabulary file cannot be used; the message names the file."""


class Vocabulary:
    """Word pieces and their ids."""

    def __init__(self, pieces: list[str], source: str = "vocabulary") -> None:
        self.pieces = pieces
        self.ids = {piece: index for index, piece in enumerate(pieces)}
        for name, piece in (*SPECIALS.items(), ("period", "."), ("question", "?")):
            if piece not in self.ids:
                raise VocabularyError(f"{source}: no line '{piece}', wanted BERT's vocabulary")
            setattr(self, name, self.ids[piece])

    def __len__(self) -> int:
        return len(self.pieces)

    @classmethod
    def from_file(cls, path: str | Path) -> Vocabulary:
        """Read vocab.txt: one piece per line, its number is its id."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise VocabularyError(f"{path}: no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise VocabularyError(f"{path}: cannot be read as UTF-8 text: {error}") from None
        lines = text.split("\n")
        if lines and lines[-1] == "":
            lines.pop()
        return cls([line.rstrip("\r") for line in lines], str(path))


def _is_cjk(char: str) -> bool:
    code = ord(char)
    return any(low <= code <= high for low, high in CJK)


def _is_punctuation(char: str) -> bool:
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(char).startswith("P")


def normalise(text: str) -> str:
    """Clean, space out CJK, strip accents, lower-case: in the order of `tokenizers`."""
    cleaned = []
    for char in text:
        if char in "\t\n\r":
            cleaned.append(" ")
        elif char in "\0\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co", "Cs"):
            continue
        elif char.isspace():
            cleaned.append(" ")
        elif _is_cjk(char):
            cleaned.append(f" {char} ")
        else:
            cleaned.append(char)
    decomposed = unicodedata.normalize("NFD", "".join(cleaned))
    # Character by character: a whole-string lower() would treat a final sigma specially.
    return "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")


def split_words(text: str) -> list[str]:
    """Split normalised text at blanks, each punctuation character on its own."""
    words = []
    for chunk in text.split():
        word = ""
        for char in chunk:
            if _is_punctuation(char):
                if word:
                    words.append(word)
                words.append(char)
                word = ""
            else:
                word += char
        if word:
            words.append(word)
    return words


def word_pieces(word: str, vocabulary: Vocabulary) -> list[int]:
    """Ids of the longest pieces from the left; one unknown id where none fits."""
    if len(word) > LONGEST_WORD:
        return [vocabulary.unk]
    ids = []
    start = 0
    while start < len(word):
        end = len(word)
        while end > start:
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary.ids:
                break
            end -= 1
        if end == start:
            return [vocabulary.unk]
        ids.append(vocabulary.ids[piece])
        start = end
    return ids


def tokenize(text: str, vocabulary: Vocabulary) -> list[int]:
    """Ids of `text` without [CLS] and [SEP]; "[SEP]" in text is three ordinary tokens."""
    return [i for word in split_words(normalise(text)) for i in word_pieces(word, vocabulary)]
