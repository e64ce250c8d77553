# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""A package is made beside its place and moved there whole, by one process at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gdino.failure import CompileError, no_room, out_of_space

OWNER = "process"


def check_output(output: Path, force: bool) -> None:
    """Raise CompileError where the package cannot be put at `output`."""
    if output.is_symlink() or output.exists():
        if not force:
            raise CompileError(f"{output}: exists already; choose another name or give --force")
        if not (output.is_dir() and (output / "manifest.json").is_file()):
            raise CompileError(f"{output}: is not a model package, so --force leaves it alone")
    parent = output.absolute().parent
    if parent.exists() and not parent.is_dir():
        raise CompileError(f"{parent}: is not a folder")


@contextmanager
def staging(
    output: Path, doing: Callable[[], str | None] = lambda: None
) -> Iterator[Path]:
    """A hidden folder beside `output`, removed with all it holds when the block ends.

    Its name follows from that of `output`, and whoever works in it holds a lock on it that ends
    with the process: so a second process is told at once (CompileError), and what a killed one
    left is cleared away by the next. `doing` names the work under way, for the message of a
    disk that is full.
    """
    parent = output.absolute().parent
    made = [p for p in (parent, *parent.parents) if not p.exists()]
    folder = parent / f".{output.name}.partial"
    lock = None
    try:
        parent.mkdir(parents=True, exist_ok=True)
        lock = _claim(folder, output)
        with temporary_files(folder):
            yield folder
    except Exception as error:
        if out_of_space(error, parent):
            raise CompileError(no_room(parent, doing())) from error
        if isinstance(error, OSError):
            raise CompileError(f"{error.filename or parent}: {error.strerror or error}") from error
        raise
    finally:
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
        for path in made:
            # Folders made for a package that did not come about; full ones stay.
            try:
                path.rmdir()
            except OSError:
                break


def _claim(folder: Path, output: Path) -> int:
    """Make `folder`, or take over a dead process's, empty; returns the descriptor of its lock."""
    while True:
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            pass
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            # Its owner has just finished.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise CompileError(
                f"{output}: another gdino-compile{_owner(folder)} is making this package; wait "
                "for it, or choose another name"
            ) from None
        except OSError:
            # A file system without locks: two at once are not noticed, all else works.
            pass
        if _same(lock, folder):
            break
        os.close(lock)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    (folder / OWNER).write_text(f"{os.getpid()}\n")
    return lock


def _same(descriptor: int, folder: Path) -> bool:
    """Whether the open folder is still the one at that path."""
    try:
        there = os.stat(folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)


def _owner(folder: Path) -> str:
    try:
        number = (folder / OWNER).read_text().strip()
    except OSError:
        return ""
    return f" (process {number})" if number.isdigit() else ""


@contextmanager
def temporary_files(folder: Path) -> Iterator[None]:
    """Let torch and the C++ compiler keep what they write on the way inside `folder`.

    Hundreds of megabytes, which would otherwise stay in the system's temporary folder: torch
    never clears its cache there, and a killed compiler not its files. Who names a cache folder
    for torch keeps it.
    """
    places = {"TMPDIR": folder / "tmp"}
    if not os.environ.get("TORCHINDUCTOR_CACHE_DIR"):
        places["TORCHINDUCTOR_CACHE_DIR"] = folder / "cache"
    before = {name: os.environ.get(name) for name in places}
    python = tempfile.tempdir
    try:
        for name, path in places.items():
            path.mkdir()
            os.environ[name] = str(path)
        tempfile.tempdir = None
        yield
    finally:
        tempfile.tempdir = python
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        # torch 2.6 remembers the path of a header that is gone now.
        inductor = sys.modules.get("torch._inductor.utils")
        getattr(inductor, "clear_inductor_caches", lambda: None)()


def publish(package: Path, output: Path, scratch: Path) -> None:
    """Move the finished package to `output`; an old one steps aside for it."""
    old = scratch / "replaced"
    if output.exists():
        output.rename(old)
    try:
        package.rename(output)
    except OSError:
        if old.exists():
            old.rename(output)
        raise
