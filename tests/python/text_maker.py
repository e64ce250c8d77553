# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Texts for comparing tokenizers: all scripts, marks, controls, emoji, words."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
SAMPLES = (DATA / "text-samples.txt").read_text(encoding="utf-8").split("\n")[:-1]


class Texts:
    """Makes texts of every kind a tokenizer may stumble over."""

    RANGES = [
        (0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F),
        (0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x5FF), (0x600, 0x6FF), (0x700, 0x8FF),
        (0x900, 0xDFF), (0xE00, 0xFFF), (0x1000, 0x11FF), (0x1200, 0x17FF), (0x1800, 0x1CFF),
        (0x1D00, 0x1DFF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x2BFF), (0x2C00, 0x2FFF),
        (0x3000, 0x30FF), (0x3100, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7A3),
        (0xE000, 0xF8FF), (0xF900, 0xFAFF), (0xFB00, 0xFEFF), (0xFF00, 0xFFFF),
        (0x10000, 0x10FFF), (0x11000, 0x12FFF), (0x13000, 0x16FFF), (0x1B000, 0x1D1FF),
        (0x1D200, 0x1EFFF), (0x1F000, 0x1FAFF), (0x20000, 0x2FFFF), (0x30000, 0x33FFF),
        (0xE0000, 0xE01EF), (0xF0000, 0x10FFFF),
    ]
    CONTROLS = (
        "\t\n\r\v\f\x00\x01\x07\x1b\x1c\x1f\x7f\x85\xa0\xad\u200b\u200c\u200d"
        "\u200e\u2028\u2029\u2060\ufeff\ufffd\u3000"
    )
    MARKS = [chr(c) for c in range(0x300, 0x370)] + list("\u0bd7\u1dfb\u302e\U0001d165\u1b44")
    COUNTS = [0, 1, 2, 3, 5, 8, 13]
    CASES = [str, str.upper, str.title, str.swapcase]

    def __init__(self, words: list[str], seed: int) -> None:
        self.random = random.Random(seed)
        self.words = [word.removeprefix("##") for word in words if not word.startswith("[")]
        some_sample = lambda: self.choice(SAMPLES)  # noqa: E731
        self.kinds = [
            *(self.word, self.word, self.word, self.accented, self.script, self.char, self.long),
            *(some_sample, some_sample),
            lambda: self.choice(self.CONTROLS),
            lambda: self.choice(".?,;!-'\"#[]()"),
        ]

    def choice(self, options):
        return self.random.choice(options)

    def char(self) -> str:
        return chr(self.random.randint(*self.choice(self.RANGES)))

    def script(self) -> str:
        """Some characters of one script, or at least of one block."""
        block = self.choice(self.RANGES)
        count = self.random.randint(1, 12)
        return "".join(chr(self.random.randint(*block)) for _ in range(count))

    def word(self) -> str:
        """Words of the vocabulary glued together."""
        word = "".join(self.choice(self.words) for _ in range(self.choice([1, 1, 1, 2, 3])))
        return self.choice(self.CASES)(word)

    def accented(self) -> str:
        out = ""
        for char in self.word()[:12]:
            out += char + "".join(self.choice(self.MARKS) for _ in range(self.choice([0, 0, 1, 3])))
        return unicodedata.normalize(self.choice(["NFC", "NFD", "NFKC"]), out)

    def long(self) -> str:
        """Words about and beyond the length at which they become unknown."""
        return self.choice("ae\u00e9\u4f60\u00df1") * self.choice([98, 99, 100, 101, 102, 500])

    def text(self) -> str:
        joint = self.choice(["", " ", " ", "  ", ". ", "\u3000", "\u0301"])
        return joint.join(self.choice(self.kinds)() for _ in range(self.choice(self.COUNTS)))
