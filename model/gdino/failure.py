# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Errors of gdino-compile, and what to say where several tools fail for one reason."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What the compiler, the assembler, the linker and torch say of the same.
FULL_TEXTS = (*(os.strerror(number) for number in FULL), "File size limit exceeded")
# torch's writer and some linkers only say that writing failed.
VAGUE_TEXTS = (
    "failed writing",
    "file write failed",
    "error writing",
    "iostream error",
    "truncated",
)
# With less than this left, an error without a reason is put down to it.
CRUMBS = 1 << 20


class CompileError(RuntimeError):
    """A package cannot be made; the message says why."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """`error`, what caused it, what caused that, and so on."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def out_of_space(error: BaseException, folder: Path) -> bool:
    """Whether `error` comes from a disk that is full, a quota, or a limit on file sizes.

    `folder` is where the files were being written.
    """
    for cause in causes(error):
        if isinstance(cause, OSError) and cause.errno in FULL:
            return True
        text = str(cause)
        if any(words in text for words in FULL_TEXTS):
            return True
        if any(words in text for words in VAGUE_TEXTS) and room(folder) < CRUMBS:
            return True
    return False


def room(folder: Path) -> int:
    """Bytes free where `folder` is, or its nearest parent that exists."""
    for path in (folder, *folder.absolute().parents):
        try:
            return shutil.disk_usage(path).free
        except OSError:
            continue
    return 0


def no_room(folder: Path, doing: str | None) -> str:
    """What to say when `out_of_space` is true; to be asked before anything is cleared away."""
    stage = f" while {doing}" if doing else ""
    return (
        f"{folder}: no room{stage} ({room(folder) >> 20} MB free, or a limit on the size of "
        "files); compiling needs about twice the size of the package there"
    )
