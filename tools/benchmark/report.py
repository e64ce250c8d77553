# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Writes what was measured: bench.json, table.md, table.txt."""

from __future__ import annotations

import json
from pathlib import Path

import numpy

from benchmark import targets
from benchmark.cases import Case
from benchmark.engines import ENGINES
from benchmark.measure import Row

HEAD = ("engine", "precision", "median ms", "p10", "p90", "x ours", "peak MiB", "own MiB")
HEAD += ("load s", "compile s", "boxes agree")
MIB = 1 << 20


def row_of(row: Row) -> dict[str, object]:
    """A row as bench.json holds it."""
    engine = ENGINES[row.engine]
    entry: dict[str, object] = {
        "engine": row.engine,
        "label": engine.label,
        "precision": engine.precision,
    }
    if row.failure or not row.seconds:
        return {**entry, "failure": row.failure or "not measured"}
    low, high = numpy.percentile(row.seconds, (10, 90))
    return {
        **entry,
        "median_ms": round(1e3 * row.median, 3),
        "p10_ms": round(1e3 * float(low), 3),
        "p90_ms": round(1e3 * float(high), 3),
        "runs": len(row.seconds),
        "relative": round(row.relative, 4),
        "group": row.group,
        "peak_mib": round(row.peak / MIB),
        "own_mib": round(row.own / MIB),
        "load_s": round(row.load, 2),
        "first_run_s": round(row.first, 3),
        "compile_s": round(row.compile, 1),
        "compile_peak_mib": round(row.compile_peak / MIB),
        "idle_share": round(row.idle, 4),
        "agreement": row.agreement,
        "seconds": [round(value, 6) for value in row.seconds],
    }


def case_of(case: Case, rows: list[Row]) -> dict[str, object]:
    """A case as bench.json holds it."""
    return {
        "title": case.title,
        "canvas": list(case.canvas),
        "text_tokens": case.tokens,
        "work": case.work,
        "prompt": case.prompt,
        "engines": [row_of(row) for row in rows],
    }


def agreement_text(entry: dict[str, object]) -> str:
    """The last column of the table."""
    found = entry.get("agreement")
    if not found:
        return "-"
    if not found["boxes"]:
        return "no boxes"
    share = 100 * found["matched"] / found["boxes"]
    return f"{share:.1f} % of {found['boxes']}, score {found['score']:.0e}"


def cells(entry: dict[str, object]) -> list[str]:
    """One line of the table."""
    if "failure" in entry:
        return [entry["label"], entry["precision"], entry["failure"]]
    return [
        entry["label"],
        entry["precision"],
        f"{entry['median_ms']:.1f}",
        f"{entry['p10_ms']:.1f}",
        f"{entry['p90_ms']:.1f}",
        f"{entry['relative']:.2f}",
        str(entry["peak_mib"]),
        str(entry["own_mib"]),
        f"{entry['load_s']:.1f}",
        f"{entry['compile_s']:.0f}" if entry["compile_s"] else "-",
        agreement_text(entry),
    ]


def in_order(case: dict[str, object]) -> list[dict[str, object]]:
    """Fastest first, failures last."""
    return sorted(case["engines"], key=lambda entry: entry.get("relative", float("inf")))


def machine_text(facts: dict[str, object]) -> str:
    """Two lines that name the machine."""
    versions = ", ".join(f"{k} {v}" for k, v in facts["versions"].items() if v)
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB, "
        f"{facts['threads']} threads used; {' '.join(facts['instructions'])}\n"
        f"{facts['system']}; {versions}; load before {facts['load_before']}"
    )


def text_table(result: dict[str, object]) -> str:
    """All cases as aligned text, with the native measurements."""
    parts = [machine_text(result["machine"])]
    for case in result["cases"].values():
        lines = [list(HEAD)] + [cells(entry) for entry in in_order(case)]
        full = [line for line in lines if len(line) == len(HEAD)]
        widths = [max(len(line[i]) for line in full) for i in range(len(HEAD))]
        shown = [case["title"]]
        for line in lines:
            if len(line) < len(HEAD):
                shown.append(f"  {line[0]:{widths[0]}}  {line[1]:{widths[1]}}  {line[2]}")
                continue
            words = [
                word.ljust(width) if index in (0, 1, len(HEAD) - 1) else word.rjust(width)
                for index, (word, width) in enumerate(zip(line, widths, strict=True))
            ]
            shown.append("  " + "  ".join(words).rstrip())
        parts.append("\n".join(shown))
    parts += native_lines(result)
    return "\n\n".join(parts) + "\n"


def markdown(result: dict[str, object]) -> str:
    """All cases as Markdown tables."""
    parts = [machine_text(result["machine"]).replace("\n", "  \n")]
    for case in result["cases"].values():
        lines = [f"{case['title']}:", "", f"| {' | '.join(HEAD)} |"]
        lines.append("|---|---|" + "---:|" * (len(HEAD) - 3) + "---|")
        for entry in in_order(case):
            row = cells(entry)
            row += [""] * (len(HEAD) - len(row))
            lines.append(f"| {' | '.join(word.replace('|', '/') for word in row)} |")
        parts.append("\n".join(lines))
    parts += native_lines(result)
    return "\n\n".join(parts) + "\n"


def native_lines(result: dict[str, object]) -> list[str]:
    """What the C measurements printed."""
    return [
        f"{name}:\n" + "\n".join(f"    {line}" for line in row["lines"])
        for name, row in (result.get("native") or {}).items()
    ]


def write(result: dict[str, object], folder: Path) -> None:
    """Write bench.json and both tables into `folder`."""
    (folder / "bench.json").write_text(json.dumps(result, indent=2) + "\n")
    (folder / "table.txt").write_text(text_table(result))
    (folder / "table.md").write_text(markdown(result))


def target_lines(result: dict[str, object]) -> str:
    """Each target with what was found."""
    return "\n".join(verdict.line() for verdict in targets.verdicts(result))
