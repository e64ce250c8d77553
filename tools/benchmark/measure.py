# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Runs the engines of a case by turns and collects their times."""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmark import agreement
from benchmark.artefacts import Artefact, ArtefactError, Cache
from benchmark.cases import Case
from benchmark.children import Child, EngineError, start
from benchmark.engines import ENGINES, missing
from benchmark.machine import free_memory

# Bytes that the engines of a group may hold together.
MOST_MEMORY = 20 << 30
# A turn of quick engines takes about so many seconds.
TURN = 0.6
MOST_RUNS = 20
# Rest before each turn, for the threads of the one before to fall asleep.
REST = 0.1
# An idle engine that uses more of the processor than this share disturbs the others.
IDLE_LIMIT = 0.02


@dataclass
class Row:
    """What was found out about one engine in one case."""

    engine: str
    failure: str = ""
    seconds: list[float] = field(default_factory=list)
    group: int = 0
    load: float = 0.0
    first: float = 0.0
    compile: float = 0.0
    compile_peak: int = 0
    peak: int = 0
    own: int = 0
    idle: float = 0.0
    agreement: dict[str, object] | None = None
    relative: float = 0.0
    """Median as a multiple of the anchor's in the same group."""

    @property
    def median(self) -> float:
        """Median seconds."""
        return statistics.median(self.seconds)


@dataclass(frozen=True)
class Settings:
    """How to measure."""

    rounds: int
    folder: Path


def say(text: str) -> None:
    """A line for who waits."""
    print(text, file=sys.stderr, flush=True)


def measure(case: Case, names: list[str], cache: Cache, settings: Settings) -> list[Row]:
    """One row for each engine, in the case's order; the first that works is the anchor."""
    rows = {name: Row(name) for name in names}
    artefacts: dict[str, Artefact] = {}
    for name, row in rows.items():
        engine = ENGINES[name]
        row.failure = missing(engine)
        if row.failure:
            continue
        try:
            artefacts[name] = cache.artefact(engine, case)
            cache.inputs(case)
        except ArtefactError as error:
            row.failure = str(error)
            say(f"{name}: {error}")
        else:
            row.compile = artefacts[name].seconds
            row.compile_peak = artefacts[name].peak
    left = [name for name in names if not rows[name].failure]
    limit = min(MOST_MEMORY, int(0.85 * free_memory()))
    results = settings.folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    anchor: str | None = None
    number = 0
    while left:
        number += 1
        first = [anchor] if anchor else []
        group, left = open_group(case, first + left, rows, artefacts, cache, settings, limit)
        if not group:
            break
        try:
            say(f"{case.name}, group {number}: {', '.join(c.engine.name for c in group)}")
            times = run_rounds(group, settings.rounds, rows)
            running = [child.engine.name for child in group]
            if running and anchor not in running:
                anchor = running[0]
            for child in group:
                finish(child, rows[child.engine.name], times, anchor, number, results)
        finally:
            for child in group:
                child.close()
    compare(case, list(rows.values()), cache, results)
    return list(rows.values())


def open_group(
    case: Case,
    names: list[str],
    rows: dict[str, Row],
    artefacts: dict[str, Artefact],
    cache: Cache,
    settings: Settings,
    limit: int,
) -> tuple[list[Child], list[str]]:
    """Start engines until their memory reaches the limit; (running, left for later)."""
    group: list[Child] = []
    for index, name in enumerate(names):
        try:
            child = start(ENGINES[name], case, cache, artefacts[name])
        except EngineError as error:
            rows[name].failure = str(error)
            say(f"{name}: {error}")
            continue
        except BaseException:
            for member in group:
                member.close()
            raise
        row = rows[name]
        if not row.seconds:
            row.load, row.first = child.load, child.first
        group.append(child)
        if needed(group) > limit and len(group) > 2:
            group.pop().close()
            return group, names[index:]
    return group, []


def needed(group: list[Child]) -> int:
    """Bytes that a group takes: what each holds while it waits, and the most that one adds."""
    found = [child.memory() for child in group]
    waiting = sum(entry["resident"] for entry in found)
    return waiting + max(entry["peak"] - entry["resident"] for entry in found)


def run_rounds(group: list[Child], rounds: int, rows: dict[str, Row]) -> dict[str, list[float]]:
    """Seconds of every run that counts, by engine; takes engines that fail out of the group."""
    times: dict[str, list[float]] = {child.engine.name: [] for child in group}
    counts = {child.engine.name: 1 for child in group}
    idle_start = {child: child.busy() for child in group}
    own_turns = dict.fromkeys(group, 0.0)
    own_busy = dict.fromkeys(group, 0.0)
    begin = time.monotonic()
    for number in range(rounds + 1):
        for child in list(group):
            name = child.engine.name
            time.sleep(REST)
            before, busy = time.monotonic(), child.busy()
            try:
                seconds = child.run(counts[name])
            except EngineError as error:
                rows[name].failure = str(error)
                say(f"\n{name}: {error}")
                group.remove(child)
                child.close()
                continue
            time.sleep(REST)
            own_turns[child] += time.monotonic() - before
            own_busy[child] += child.busy() - busy
            if number == 0:
                # The round that warms up also says how many runs make a turn.
                counts[name] = max(1, min(MOST_RUNS, round(TURN / min(seconds))))
            else:
                # After others have run, the first of several only brings back the caches.
                times[name] += seconds[1:] if len(seconds) > 2 else seconds
        print(f"\rround {number} of {rounds} ", end="", file=sys.stderr, flush=True)
    say("")
    whole = time.monotonic() - begin
    for child in group:
        rest = whole - own_turns[child]
        if rest > 1.0:
            share = (child.busy() - idle_start[child] - own_busy[child]) / rest
            rows[child.engine.name].idle = share
            if share > IDLE_LIMIT:
                say(f"{child.engine.name}: uses {100 * share:.0f} % of a core while it should wait")
    return times


def finish(
    child: Child,
    row: Row,
    times: dict[str, list[float]],
    anchor: str,
    number: int,
    results: Path,
) -> None:
    """Fill in an engine's row at the end of its group."""
    name = child.engine.name
    row.relative = statistics.median(times[name]) / statistics.median(times[anchor])
    if row.seconds:
        return  # the anchor keeps what it had in the first group
    row.seconds = times[name]
    row.group = number
    found = child.memory()
    row.peak, row.own = found["peak"], found["own"]
    path = results / f"{child.case.name}-{name}.npz"
    path.unlink(missing_ok=True)
    try:
        child.save(path)
    except EngineError as error:
        say(f"{name}: {error}")


def compare(case: Case, rows: list[Row], cache: Cache, results: Path) -> None:
    """Compare what each engine found with the published code run eagerly, else our fp32."""
    found = {row.engine: results / f"{case.name}-{row.engine}.npz" for row in rows if row.seconds}
    found = {name: path for name, path in found.items() if path.exists()}
    references = [name for name in ("eager", "ours-fp32") if name in found]
    if not references:
        return
    reference = agreement.read(found[references[0]])
    mask = agreement.words(cache.inputs(case))
    for row in rows:
        if row.engine in found and row.engine != references[0]:
            other = agreement.read(found[row.engine])
            row.agreement = agreement.compare(reference, other, mask, case.threshold)
            row.agreement["reference"] = references[0]
