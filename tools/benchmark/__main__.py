# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""make bench: measures Grounding DINO in every runtime people would use, on this machine.

Each engine runs in a process of its own. They take turns, so that whatever else the machine does
falls on all alike: read the ratios. Artefacts are made once and kept in build/bench/cache.
Results: table.txt, table.md, bench.json and bench.png in build/bench/.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import signal
import sys
from pathlib import Path

from benchmark import measure, native, report
from benchmark.artefacts import ArtefactError, Cache
from benchmark.cases import CASES, ROOT, USUAL
from benchmark.engines import ENGINES
from benchmark.machine import machine

ROUNDS = 10
QUICK_ROUNDS = 2


def names(text: str) -> list[str]:
    """Read a list with commas."""
    return [word for word in text.replace(",", " ").split() if word]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line; exits with status 2 where it is wrong."""
    parser = argparse.ArgumentParser(
        prog="tools/bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--cases",
        type=names,
        metavar="CASE,...",
        help=f"what to measure (default: {','.join(USUAL)})\n"
        + "\n".join(f"  {case.name:11} {case.title}" for case in CASES.values()),
    )
    parser.add_argument(
        "--engines",
        type=names,
        metavar="ENGINE,...",
        help="what to measure it with (default: all of each case)\n"
        + "\n".join(f"  {e.name:14} {e.label} ({e.precision})" for e in ENGINES.values()),
    )
    parser.add_argument("--rounds", type=int, help=f"rounds that count (default: {ROUNDS})")
    parser.add_argument(
        "--threads", type=int, default=0, help="threads of each engine (default: all cores)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a network of a few thousand weights, few rounds"
    )
    parser.add_argument("--fresh", action="store_true", help="make all artefacts again")
    parser.add_argument("--prepare", action="store_true", help="only make the artefacts")
    parser.add_argument(
        "--native",
        choices=("yes", "no", "only"),
        default="yes",
        help="measure the element and the decoding of results too (default: yes)",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="measure nothing; compare the last run with the targets",
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "bench", help="folder of the results"
    )
    parser.add_argument("--cache", type=Path, help="folder of the artefacts (default: in --output)")
    options = parser.parse_args(arguments)
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    options.threads = options.threads or os.cpu_count() or 1
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads: at least 1")
    if options.cases is None:
        options.cases = ["quick"] if options.quick else list(USUAL)
    for kind, known in (("cases", CASES), ("engines", ENGINES)):
        for name in getattr(options, kind) or []:
            if name not in known:
                parser.error(f"--{kind}: no {name}; there are {', '.join(known)}")
    options.output = options.output.resolve()
    options.cache = (options.cache or options.output / "cache").resolve()
    return options


def chosen(case: object, engines: list[str] | None) -> list[str]:
    """Engines of a case, in the case's order."""
    return [name for name in case.engines if engines is None or name in engines]


def prepare(options: argparse.Namespace, cache: Cache) -> int:
    """Make what the engines run from; the exit status says whether all could be made."""
    failed = 0
    for case in (CASES[name] for name in options.cases):
        for name in chosen(case, options.engines):
            reason = measure.missing(ENGINES[name])
            try:
                if not reason:
                    cache.artefact(ENGINES[name], case)
            except ArtefactError as error:
                reason = str(error)
            if reason:
                failed = 1
                print(f"{case.name}, {name}: {reason}")
    return failed


def run(options: argparse.Namespace) -> int:
    """Measure, write and print; 1 where no engine gave a number."""
    options.output.mkdir(parents=True, exist_ok=True)
    cache = Cache(options.cache, options.threads, options.fresh)
    if options.prepare:
        return prepare(options, cache)
    settings = measure.Settings(options.rounds, options.output)
    result: dict[str, object] = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(options.threads),
        "settings": {"rounds": options.rounds},
        "cases": {},
        "native": {},
    }
    for case in () if options.native == "only" else (CASES[name] for name in options.cases):
        case_names = chosen(case, options.engines)
        try:
            rows = measure.measure(case, case_names, cache, settings)
        except ArtefactError as error:
            rows = [measure.Row(name, str(error)) for name in case_names]
        result["cases"][case.name] = report.case_of(case, rows)
        report.write(result, options.output)
    if options.native != "no":
        result["native"] = native.measure(quick=options.quick)
    report.write(result, options.output)
    plotted = draw(result, options.output / "bench.png")
    print(report.text_table(result))
    if lines := report.target_lines(result):
        print(f"{lines}\n")
    for name in ["bench.json", "table.md", "table.txt", *(["bench.png"] if plotted else [])]:
        print(options.output / name)
    entries = [entry for case in result["cases"].values() for entry in case["engines"]]
    return 0 if result["native"] or any("median_ms" in entry for entry in entries) else 1


def draw(result: dict[str, object], path: Path) -> bool:
    """Draw the plot; false, with the reason said, where that cannot be."""
    try:
        from benchmark import plot

        plot.draw(result, path)
    except ImportError as error:
        print(f"no plot: {error}", file=sys.stderr)
        return False
    return path.exists()


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    options = parse(arguments)
    if not options.report:
        # Engines are ended whatever ends the bench.
        signal.signal(signal.SIGTERM, lambda *unused: sys.exit(143))
        try:
            return run(options)
        except KeyboardInterrupt:
            print("\ninterrupted", file=sys.stderr)
            return 130
    path = options.output / "bench.json"
    if not path.is_file():
        print(f"{path}: no such file; run tools/bench first", file=sys.stderr)
        return 1
    result = json.loads(path.read_text())
    print(report.text_table(result))
    print(report.target_lines(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
