# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The bench as a whole, on a network of a few thousand weights."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmark.artefacts import Artefact, Cache
from benchmark.cases import CASES, ROOT
from benchmark.children import EngineError, start
from benchmark.engines import ENGINES, LIBRARY, missing

MEASURED = ("ours-fp32", "ours-fp32-c", "eager")


def bench(*arguments: object) -> subprocess.CompletedProcess:
    """Run tools/bench with this Python."""
    command = [sys.executable, "-m", "benchmark", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT / "tools", capture_output=True, text=True, check=False, timeout=900
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """A quick run: its folder and its bench.json."""
    folder = tmp_path_factory.mktemp("bench")
    engines = ",".join((*MEASURED, "onnxruntime", "openvino-f32"))
    done = bench("--quick", "--native", "no", "--engines", engines, "--output", folder)
    assert done.returncode == 0, done.stderr
    return folder, json.loads((folder / "bench.json").read_text())


def rows_of(result: dict) -> dict[str, dict]:
    return {row["engine"]: row for row in result["cases"]["quick"]["engines"]}


@pytest.mark.parametrize("name", MEASURED)
def test_engine_is_measured(finished, name):
    if name == "ours-fp32-c" and not LIBRARY.exists():
        pytest.skip(f"{LIBRARY.name} is not built")
    row = rows_of(finished[1])[name]
    assert "failure" not in row, row
    assert 0 < row["p10_ms"] <= row["median_ms"] <= row["p90_ms"]
    assert row["runs"] >= 2 and row["peak_mib"] > 20 and row["load_s"] > 0
    assert (row["compile_s"] > 0) == (name != "eager")


@pytest.mark.parametrize("name", ["ours-fp32", "ours-fp32-c", "onnxruntime", "openvino-f32"])
def test_engine_finds_what_the_published_code_finds(finished, name):
    reason = missing(ENGINES[name])
    row = rows_of(finished[1])[name]
    if reason:
        assert row["failure"] == reason
        pytest.skip(reason)
    agreement = row["agreement"]
    assert agreement["reference"] == "eager"
    assert agreement["boxes"] == 60 and agreement["share"] >= 0.95
    assert agreement["score"] < 1e-3


def test_results_are_complete(finished):
    folder, result = finished
    for name in ("table.md", "table.txt", "bench.png"):
        assert (folder / name).stat().st_size > 100
    assert result["machine"]["processor"] and result["machine"]["versions"]["torch"]
    assert result["settings"] == {"rounds": 2}


def test_artefacts_are_found_again(finished):
    folder, _ = finished
    done = bench("--quick", "--prepare", "--engines", "ours-fp32,eager", "--output", folder)
    assert done.returncode == 0 and "making" not in done.stderr


def test_report_reads_the_last_run(finished):
    folder, _ = finished
    done = bench("--report", "--output", folder)
    assert done.returncode == 0 and "transformers, eager" in done.stdout


def test_report_without_a_run(tmp_path):
    done = bench("--report", "--output", tmp_path)
    assert done.returncode == 1 and "bench.json" in done.stderr


def test_unknown_engine_is_refused():
    done = bench("--engines", "ours-fp16")
    assert done.returncode == 2 and "ours-fp16" in done.stderr


def test_engine_that_does_not_open_is_told(finished, tmp_path):
    folder, _ = finished
    cache = Cache(folder / "cache", 1)
    with pytest.raises(EngineError, match="frame.so"):
        start(ENGINES["ours-fp32"], CASES["quick"], cache, Artefact(tmp_path, 0.0, 0))
