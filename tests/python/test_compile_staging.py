# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The folder a package is made in: one owner, nothing left, and disks that are full."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gdino import compile as compiler
from gdino import failure, native, verify
from gdino.failure import CompileError
from gdino.staging import staging

HOLD = """
import sys, time
from pathlib import Path
from gdino.staging import staging
with staging(Path(sys.argv[1])) as folder:
    (folder / "half").mkdir()
    (folder / "half" / "written").write_text("x")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[subprocess.Popen]:
    """A process that is making the package `tmp_path`/out."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        text=True,
        env=verify.child_environment(),
    )
    assert child.stdout.readline() == "ready\n"
    yield child
    child.kill()
    child.wait()


def test_second_compiler_is_told_at_once(
    tmp_path: Path,
    owner: subprocess.Popen,
    tiny_checkpoint: Path,
    capsys: pytest.CaptureFixture,
) -> None:
    assert compiler.main([str(tiny_checkpoint), "-o", str(tmp_path / "out")]) == 1
    message = capsys.readouterr().err
    assert f"another gdino-compile (process {owner.pid}) is making this package" in message
    assert "exporting" not in message
    assert (tmp_path / ".out.partial" / "half" / "written").read_text() == "x"
    # Another name is free.
    with staging(tmp_path / "other"):
        pass


def test_what_a_killed_compiler_left_is_cleared(
    tmp_path: Path, owner: subprocess.Popen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert (tmp_path / ".out.partial" / "half").is_dir()
    with staging(tmp_path / "out") as folder:
        assert {path.name for path in folder.iterdir()} == {"process", "tmp", "cache"}
        assert (folder / "process").read_text() == f"{os.getpid()}\n"
    assert not list(tmp_path.iterdir())


def test_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").write_text("x")
    (tmp_path / ".out.partial").symlink_to("mine")
    with pytest.raises(CompileError, match="out.partial"), staging(tmp_path / "out"):
        pass
    assert (tmp_path / "mine" / "precious").read_text() == "x"


def test_temporary_files_lie_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/somewhere")
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    before = tempfile.tempdir
    with staging(tmp_path / "out") as folder:
        assert Path(tempfile.gettempdir()) == folder / "tmp"
        assert Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]) == folder / "cache"
    assert os.environ["TMPDIR"] == "/somewhere" and tempfile.tempdir == before
    assert "TORCHINDUCTOR_CACHE_DIR" not in os.environ
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/kept")
    with staging(tmp_path / "out"):
        assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == "/kept"


def failing(error: BaseException) -> object:
    def fail(*unused: object, **options: object) -> None:
        raise error

    return fail


COMPILER = (
    "C++ compile error\n/tmp/x.cpp:1: fatal error: error writing to /tmp/cc.s: "
    "No space left on device"
)
LINKER = "collect2: fatal error: ld terminated with signal 25 [File size limit exceeded]"


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "weights"),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), "weights"),
        OSError(errno.EFBIG, os.strerror(errno.EFBIG), "weights"),
        RuntimeError(COMPILER),
        RuntimeError(LINKER),
    ],
    ids=["full", "quota", "limit", "compiler", "linker"],
)
def test_full_disk_is_one_message(
    tiny_checkpoint: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    import torch

    monkeypatch.setattr(torch._inductor, "aot_compile", failing(error))
    assert compiler.main([str(tiny_checkpoint), "-o", str(tmp_path / "new" / "out")]) == 1
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith(f"gdino-compile: error: {tmp_path / 'new'}: no room while compiling")
    assert not list(tmp_path.iterdir())


def test_vague_error_counts_only_where_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = RuntimeError("PytorchStreamWriter failed writing file data/3: file write failed")
    monkeypatch.setattr(failure, "room", lambda folder: 1 << 30)
    assert not failure.out_of_space(error, tmp_path)
    monkeypatch.setattr(failure, "room", lambda folder: 4096)
    assert failure.out_of_space(error, tmp_path)
    assert not failure.out_of_space(RuntimeError("weights of wrong shape"), tmp_path)


def test_causes_are_looked_through(tmp_path: Path) -> None:
    error = RuntimeError("compiling failed")
    error.__cause__ = ValueError("inner")
    assert not failure.out_of_space(error, tmp_path)
    error.__cause__.__context__ = OSError(errno.ENOSPC, "full")
    assert failure.out_of_space(error, tmp_path)
    # A ring of causes has an end.
    error.__cause__.__context__ = error
    assert not failure.out_of_space(error, tmp_path)


def run(checkpoint: Path, output: Path, **options: object) -> subprocess.CompletedProcess:
    environment = verify.child_environment()
    environment.pop("TORCHINDUCTOR_CACHE_DIR", None)
    return subprocess.run(
        [sys.executable, "-m", "gdino.compile", str(checkpoint), "-o", str(output), "-q"],
        capture_output=True,
        text=True,
        env=environment,
        **options,
    )


def test_small_disk(tiny_checkpoint: Path, tmp_path: Path) -> None:
    """The real thing: the compiler and torch run out of room on a file system of 4 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(disk)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("may not mount a file system")
    try:
        done = run(tiny_checkpoint, disk / "out")
        left = list(disk.iterdir())
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert done.returncode == 1 and not left
    assert f"gdino-compile: error: {disk}: no room while compiling text graph" in done.stderr


def test_limit_on_file_size(tiny_checkpoint: Path, tmp_path: Path) -> None:
    limit = 1 << 20
    done = run(
        tiny_checkpoint,
        tmp_path / "out",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1 and not list(tmp_path.iterdir())
    assert f"gdino-compile: error: {tmp_path}: no room while compiling text graph" in done.stderr


def test_failed_compiler_says_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    error = RuntimeError("CppCompileError\n\nfoo.cpp:3:1: error: 'x' was not declared\nmore")
    monkeypatch.setattr(torch._inductor, "aot_compile", failing(error))

    class Program:
        graph = torch.fx.Graph()

        def module(self) -> None:
            pass

    with pytest.raises(CompileError, match="text graph failed: foo.cpp:3:1: error: 'x' was not"):
        native.compile_graph(Program(), (), "text", tmp_path / "text")
