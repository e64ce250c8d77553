# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What engines run from: made once, kept in build/bench/cache, made again when a cause changes."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from benchmark.build import BUILDERS, build_ours
from benchmark.cases import ROOT, Case, child_environment
from benchmark.engines import Engine, version
from benchmark.machine import flags, memory

HERE = Path(__file__).resolve().parent
MODEL = ROOT / "model" / "gdino"
# Sources that decide what the published code becomes.
PUBLISHED = ("networks.py", "published.py", "inputs.py")
# Longest time one artefact may take, in seconds.
PATIENCE = 3600.0


class ArtefactError(RuntimeError):
    """An artefact cannot be made; the message says why."""


@dataclass(frozen=True)
class Artefact:
    """A folder in the cache, and what making it took."""

    folder: Path
    seconds: float
    """Seconds of the conversion or compilation alone."""
    peak: int
    """Largest resident memory of the process that made it, in bytes."""


def digest(*parts: object) -> str:
    """Short digest of values, and of the contents of files and folders given as paths."""
    total = hashlib.sha256()
    for part in parts:
        if not isinstance(part, Path):
            total.update(f"{part}\0".encode())
            continue
        files = sorted(part.rglob("*")) if part.is_dir() else [part]
        for file in files:
            if file.is_file() and "training" not in file.parts and file.suffix != ".pyc":
                total.update(f"{file.name}\0".encode())
                with file.open("rb") as stream:
                    while block := stream.read(1 << 20):
                        total.update(block)
    return total.hexdigest()[:16]


class Cache:
    """Makes artefacts and finds them again. `fresh` makes each once more."""

    def __init__(self, folder: Path, threads: int, fresh: bool = False) -> None:
        self.folder = folder
        self.threads = threads
        self.fresh = fresh
        self.made: dict[Path, Artefact] = {}
        self.failed: dict[Path, ArtefactError] = {}
        self.keys: dict[tuple[str, ...], str] = {}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "log").mkdir(exist_ok=True)

    def checkpoint(self, case: Case) -> Path:
        """Folder of the case's checkpoint."""
        tree = ROOT / case.checkpoint
        if "/" in case.checkpoint:
            return tree
        key = digest(version("torch"), version("transformers"), HERE / "networks.py")
        return self._make("checkpoint", case, case.checkpoint, key).folder

    def inputs(self, case: Case) -> Path:
        """Folder of the case's inputs."""
        return self._make("inputs", case, f"{case.name}-inputs", self._key(case)).folder

    def artefact(self, engine: Engine, case: Case) -> Artefact:
        """What the engine runs from; eager runs from the checkpoint itself."""
        if not engine.artefact:
            return Artefact(self.checkpoint(case), 0.0, 0)
        # Read once: sources that change while the bench runs would give a mixture.
        known = (case.name, engine.artefact)
        if known not in self.keys:
            versions = [f"{name} {version(name)}" for name in engine.packages]
            builder = BUILDERS.get(engine.artefact, build_ours)
            own = [inspect.getsource(builder), *([MODEL] if engine.ours else [])]
            self.keys[known] = digest(self._key(case), *versions, *flags(), self.threads, *own)
        key = self.keys[known]
        return self._make(engine.artefact, case, f"{case.name}-{engine.artefact}", key)

    def _key(self, case: Case) -> str:
        if (case.name,) not in self.keys:
            parts = [HERE / name for name in PUBLISHED] + self._given(case)
            parts += [version("torch"), version("transformers"), case.canvas, case.tokens]
            self.keys[case.name,] = digest(*parts, case.prompt, case.work)
        return self.keys[case.name,]

    def _given(self, case: Case) -> list[object]:
        if "/" not in case.checkpoint:
            return [case.checkpoint]
        return [ROOT / case.checkpoint, *([ROOT / case.pictures] if case.pictures else [])]

    def _make(self, kind: str, case: Case, name: str, key: str) -> Artefact:
        folder = self.folder / f"{name}-{key}"
        if folder in self.made:
            return self.made[folder]
        if folder in self.failed:
            raise self.failed[folder]
        record = folder / "artefact.json"
        if self.fresh or not record.is_file():
            self._forget(name)
            try:
                self._build(kind, case, name, folder)
            except ArtefactError as error:
                self.failed[folder] = error
                raise
        made = json.loads(record.read_text())
        self.made[folder] = Artefact(folder, made["seconds"], made["peak"])
        return self.made[folder]

    def _forget(self, name: str) -> None:
        """Remove what an earlier state of the sources left; these are large."""
        for old in self.folder.glob(f"{name}-*"):
            if len(old.name) == len(name) + 17:
                shutil.rmtree(old, ignore_errors=True)

    def _build(self, kind: str, case: Case, name: str, folder: Path) -> None:
        checkpoint = inputs = ""
        if kind != "checkpoint":
            checkpoint = str(self.checkpoint(case))
            inputs = "" if kind == "inputs" else str(self.inputs(case))
        print(f"making {name} ... ", end="", file=sys.stderr, flush=True)
        log = self.folder / "log" / f"{name}.log"
        command = [sys.executable, "-m", "benchmark.build", kind, case.name, checkpoint, inputs]
        command += [str(folder), str(self.threads)]
        environment = child_environment(self.threads, self.folder)
        if kind == "inductor":
            # A cache of its own, or the time would depend on what ran before.
            environment["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
        start = time.monotonic()
        with log.open("w") as file:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env=environment,
                cwd=ROOT,
                start_new_session=True,
            )
            with Watch(process.pid) as watch:
                try:
                    status = process.wait(PATIENCE)
                except BaseException as error:
                    stop_group(process)
                    shutil.rmtree(folder, ignore_errors=True)
                    if isinstance(error, subprocess.TimeoutExpired):
                        raise ArtefactError(f"{name}: not done in {PATIENCE:.0f} s") from None
                    raise
        print(f"{time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        seconds = folder / "seconds.json"
        if status != 0 or not seconds.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            raise ArtefactError(f"{last_words(log) or f'status {status}'} ({log})")
        made = {"seconds": json.loads(seconds.read_text()), "peak": watch.peak}
        (folder / "artefact.json").write_text(json.dumps(made) + "\n")


class Watch:
    """Follows the resident memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.peak = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._follow, daemon=True)

    def _follow(self) -> None:
        while not self.stop.wait(0.5):
            self.peak = max(self.peak, sum(memory(pid)["resident"] for pid in family(self.pid)))

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.stop.set()
        self.thread.join()


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for number in found:
        for path in Path(f"/proc/{number}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += [int(word) for word in path.read_text().split()]
    return found


def stop_group(process: subprocess.Popen) -> None:
    """End a process that leads a group, with all of the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


def last_words(log: Path) -> str:
    """The line of a log that says what went wrong."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line or "error:" in line]
    return (errors or lines or [""])[-1][:300]
