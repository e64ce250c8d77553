# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Engines as processes: started, asked, watched, ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy

from benchmark import agreement
from benchmark.artefacts import Artefact, Cache, last_words, stop_group
from benchmark.cases import ROOT, Case, child_environment
from benchmark.engines import LIBRARY, Engine
from benchmark.machine import busy, memory

# Longest time an engine may take to answer, in seconds.
PATIENCE = 1200.0


class EngineError(RuntimeError):
    """An engine does not start or does not answer."""


class Child:
    """An engine in a process of its own. It waits for a line whenever it is not asked."""

    def __init__(self, engine: Engine, case: Case, cache: Cache, artefact: Artefact) -> None:
        self.engine = engine
        self.case = case
        self.artefact = artefact
        self.log = cache.folder / "log" / f"run-{case.name}-{engine.name}.log"
        self.inputs = cache.inputs(case)
        environment = child_environment(cache.threads, cache.folder)
        if engine.artefact == "inductor":
            environment["TORCHINDUCTOR_CACHE_DIR"] = str(artefact.folder / "inductor")
        start = time.perf_counter()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command(cache),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=ROOT,
                start_new_session=True,
            )
        self.buffer = b""
        try:
            self.load, self.first = self.opened(start)
        except BaseException:
            stop_group(self.process)
            raise

    def command(self, cache: Cache) -> list[str]:
        """Command line of the process."""
        return [
            sys.executable,
            "-m",
            "benchmark.worker",
            self.engine.name,
            self.case.name,
            str(cache.checkpoint(self.case)),
            str(self.inputs),
            str(self.artefact.folder),
            str(cache.threads),
        ]

    def opened(self, start: float) -> tuple[float, float]:
        """Seconds that opening and the first run took."""
        found = json.loads(self.answer())
        return found["load"], found["first"]

    def run(self, times: int) -> list[float]:
        """Seconds of each of so many runs."""
        return json.loads(self.ask(f"run {times}"))

    def save(self, path: Path) -> bool:
        """Let the engine write what it finds to `path`."""
        return json.loads(self.ask(f"save {path}"))

    def ask(self, line: str) -> str:
        """Send a line and wait for the answer."""
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended: the answer says why
        return self.answer()

    def answer(self) -> str:
        """The next line of the process; raises EngineError where none comes."""
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(left, 0.0))
            if not ready:
                stop_group(self.process)
                raise EngineError(f"no answer within {PATIENCE:.0f} s")
            block = os.read(self.process.stdout.fileno(), 1 << 16)
            if not block:
                status = self.process.wait()
                reason = f"signal {-status}" if status < 0 else f"status {status}"
                raise EngineError(f"ended with {reason}: {last_words(self.log)} ({self.log})")
            self.buffer += block
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode()

    def memory(self) -> dict[str, int]:
        """Bytes of memory, see machine.memory."""
        return memory(self.process.pid)

    def busy(self) -> float:
        """Seconds of processor time used so far."""
        return busy(self.process.pid)

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            pass
        # Also what it may have left behind.
        stop_group(self.process)
        self.process.stdout.close()


class LibraryChild(Child):
    """The C library, through tests/bench/bench-detector.c."""

    def command(self, cache: Cache) -> list[str]:
        package = self.artefact.folder / "package"
        return [str(LIBRARY), str(package), str(self.inputs / "canvas.rgb"), self.case.prompt]

    def opened(self, start: float) -> tuple[float, float]:
        (first,) = self.run(1)
        return time.perf_counter() - start - first, first

    def run(self, times: int) -> list[float]:
        word = "frame" if self.case.frame_only else "both"
        return [int(number) / 1e6 for number in self.ask(f"{word} {times}").split()]

    def save(self, path: Path) -> bool:
        # Of the pictures, the library has only the first.
        numbers = [float(word) for word in self.ask("boxes").split()]
        logits, boxes = agreement.from_list(numbers, self.case.tokens)
        numpy.savez(path, logits=logits, boxes=boxes)
        return True


def start(engine: Engine, case: Case, cache: Cache, artefact: Artefact) -> Child:
    """Start an engine's process; raises EngineError where it does not come up."""
    kind = LibraryChild if engine.native else Child
    return kind(engine, case, cache, artefact)
