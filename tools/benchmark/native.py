# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Runs the measurements written in C: the element around the graph, and decoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from benchmark.cases import ROOT

FOLDER = ROOT / "build" / "meson" / "tests" / "bench"
PROGRAMS = {"element": "bench-element", "decode": "bench-decode"}
# Longest time a program may take, in seconds.
PATIENCE = 600


def measure(quick: bool) -> dict[str, dict[str, object]]:
    """Lines and targets that each program prints; a failure is a line too.

    A line of JSON {"text", "found", "limit"} states a target; every other line is for people.
    """
    found = {}
    for name, program in PROGRAMS.items():
        path = FOLDER / program
        if not path.exists():
            found[name] = {"lines": [f"not built: {program} (make build)"], "targets": []}
            continue
        print(f"running {program}", file=sys.stderr, flush=True)
        try:
            done = subprocess.run(
                [path, *(["--quick"] if quick else [])],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                timeout=PATIENCE,
                env={**os.environ, "GST_PLUGIN_PATH": str(ROOT / "build" / "meson" / "gst")},
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            found[name] = {"lines": [f"{program}: {error}"], "targets": []}
            continue
        found[name] = read(done.stdout)
        if done.returncode != 0:
            words = (done.stderr.strip().splitlines() or [""])[-1]
            found[name]["lines"].append(f"{program} ended with {done.returncode}: {words}")
    return found


def read(text: str) -> dict[str, object]:
    """Sort a program's lines."""
    lines, targets = [], []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            value = None
        if isinstance(value, dict) and {"text", "found", "limit"} <= value.keys():
            targets.append(value)
        elif line.strip():
            lines.append(line.rstrip())
    return {"lines": lines, "targets": targets}
