# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The files of the project, as the style and layer tests see them."""

import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Data are kept as their makers made them.
DATA_FOLDERS = ("demo/", "docs/images/", "models/", "tests/data/", "tests/fuzz/corpus/")
DATA_NAMES = ("COPYING",)


@functools.cache
def tracked() -> tuple[str, ...]:
    """Paths of all files, relative to the root: tracked, and new ones not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    return tuple(sorted(name for name in set(listing.split("\0")) if (ROOT / name).is_file()))


def is_data(name: str) -> bool:
    """Whether a file is data, not text that we write."""
    return name in DATA_NAMES or (
        name.startswith(DATA_FOLDERS) and pathlib.PurePath(name).suffix not in (".py", ".md")
    )


@functools.cache
def texts() -> tuple[str, ...]:
    """Paths of the files that people write and read."""
    return tuple(name for name in tracked() if not is_data(name))


def with_suffix(*suffixes: str) -> tuple[str, ...]:
    """Those of texts() that end in one of the suffixes."""
    return tuple(name for name in texts() if name.endswith(suffixes))


def python() -> tuple[str, ...]:
    """Those of texts() that are Python, by name or by first line."""
    return tuple(
        name
        for name in texts()
        if name.endswith(".py") or re.match(r"#!.*\bpython3?\n", read(name))
    )


@functools.cache
def read(name: str) -> str:
    """Content of a file of the tree."""
    return (ROOT / name).read_text(encoding="utf-8")
