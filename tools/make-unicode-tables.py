#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Writes src/unicode-tables.h from what the Hugging Face tokenizer does.

Every code point is put through BertNormalizer and BertPreTokenizer of the
installed `tokenizers`, so the tables hold the reference's behaviour and not
that of one Unicode version. Run by hand when the reference changes:

    build/venv/bin/python tools/make-unicode-tables.py > src/unicode-tables.h
"""

from __future__ import annotations

import sys
import unicodedata

import tokenizers
from tokenizers import normalizers, pre_tokenizers

SURROGATES = range(0xD800, 0xE000)
CODE_POINTS = [c for c in range(0x110000) if c not in SURROGATES]

HEAD = """/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Made by tools/make-unicode-tables.py from Hugging Face tokenizers {version}:
 * edit that, not this. Ranges are inclusive and sorted. */
#pragma once

#include <glib.h>

typedef struct
{{
  guint32 first;
  guint32 last;
}} UnicodeRange;

/* Every step-th code point of first..last becomes code point + delta. */
typedef struct
{{
  guint32 first;
  guint32 last;
  guint32 step;
  gint32 delta;
}} UnicodeLower;

typedef struct
{{
  guint32 first;
  guint32 last;
  guint8 combining;
}} UnicodeClass;
"""


def normalizer(**on: bool) -> normalizers.BertNormalizer:
    """A BertNormalizer that does nothing but what is named."""
    options = dict.fromkeys(("clean_text", "handle_chinese_chars", "lowercase"), False)
    options["strip_accents"] = False
    return normalizers.BertNormalizer(**(options | on))


def ranges(points: list[int]) -> list[tuple[int, int]]:
    """Joins neighbouring code points; surrogates never stand between two."""
    out: list[list[int]] = []
    for point in points:
        if out and out[-1][1] == point - 1:
            out[-1][1] = point
        else:
            out.append([point, point])
    return [(first, last) for first, last in out]


def lower_rows(pairs: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Packs (upper, lower) pairs into (first, last, step, delta) rows."""
    rows: list[list[int]] = []
    for upper, lower in pairs:
        delta = lower - upper
        if rows:
            row = rows[-1]
            gap = upper - row[1]
            if delta == row[3] and gap <= 2 and (gap == row[2] or row[0] == row[1]):
                row[1], row[2] = upper, gap
                continue
        rows.append([upper, upper, 1, delta])
    return [tuple(row) for row in rows]


def print_rows(comment: str, declaration: str, rows: list[str]) -> None:
    """Prints one table, as many rows a line as fit."""
    print(f"\n/* {comment} */\nstatic const {declaration}[] = {{")
    line = " "
    for row in rows:
        if len(line) + len(row) > 78:
            print(line)
            line = " "
        line += f" {row},"
    print(line + "\n};")


def print_ranges(comment: str, name: str, points: list[int]) -> None:
    rows = [f"{{0x{first:04x}, 0x{last:04x}}}" for first, last in ranges(points)]
    print_rows(comment, f"UnicodeRange {name}", rows)


def main() -> int:
    clean = normalizer(clean_text=True)
    cjk = normalizer(handle_chinese_chars=True)
    strip = normalizer(strip_accents=True)
    lower = normalizer(lowercase=True)
    nfd = normalizers.NFD()
    split = pre_tokenizers.BertPreTokenizer()

    def parts(point: int) -> int:
        return len(split.pre_tokenize_str(f"a{chr(point)}b"))

    marks = [c for c in CODE_POINTS if strip.normalize_str(chr(c)) == ""]
    mark_set = set(marks)
    pairs = []
    for point in CODE_POINTS:
        small = lower.normalize_str(chr(point))
        if small != chr(point) and nfd.normalize_str(chr(point)) == chr(point):
            pairs.append((point, ord(small)))
    decomposed = [c for c in CODE_POINTS if c > 0xFFFF and nfd.normalize_str(chr(c)) != chr(c)]
    classes: list[tuple[int, int, int]] = []
    for point in CODE_POINTS:
        text = "a\u0345" + chr(point)
        other = "a" + chr(point) + "\u0334"
        moves = nfd.normalize_str(text) != text or nfd.normalize_str(other) != other
        if not moves or point in mark_set or nfd.normalize_str(chr(point)) != chr(point):
            continue
        value = unicodedata.combining(chr(point))
        if classes and classes[-1][1] == point - 1 and classes[-1][2] == value:
            classes[-1] = (classes[-1][0], point, value)
        else:
            classes.append((point, point, value))

    print(HEAD.format(version=tokenizers.__version__), end="")
    dropped = [c for c in CODE_POINTS if clean.normalize_str(chr(c)) == ""]
    print_ranges("Left out: controls, formats, private use, U+FFFD", "unicode_dropped", dropped)
    blank = [c for c in CODE_POINTS if clean.normalize_str(chr(c)) == " "]
    print_ranges("Blanks", "unicode_blank", blank)
    print_ranges("Words of their own: CJK ideographs", "unicode_cjk",
                 [c for c in CODE_POINTS if cjk.normalize_str(chr(c)) != chr(c)])
    print_ranges("Words of their own: punctuation", "unicode_punctuation",
                 [c for c in CODE_POINTS if parts(c) == 3])
    print_ranges("Left out once decomposed: nonspacing marks", "unicode_mark", marks)
    print_ranges("All that decompose above U+FFFF", "unicode_decomposed", decomposed)
    print_rows("Spacing marks, and marks too new for the table above, that canonical\n"
               " * order moves", "UnicodeClass unicode_combining",
               [f"{{0x{a:04x}, 0x{b:04x}, {k}}}" for a, b, k in classes])
    print_rows("Lower case", "UnicodeLower unicode_lower",
               [f"{{0x{a:04x}, 0x{b:04x}, {s}, {d}}}" for a, b, s, d in lower_rows(pairs)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
