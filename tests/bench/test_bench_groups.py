# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""How the bench takes turns: groups that fit into memory, engines that fail, ratios."""

import types

import pytest
from benchmark import measure
from benchmark.artefacts import Artefact, ArtefactError
from benchmark.cases import CASES
from benchmark.children import EngineError

GIB = 1 << 30
CASE = CASES["quick"]


class FakeChild:
    """An engine whose runs take a fixed time on a clock of its own."""

    running: list[str] = []
    asked: list[str] = []

    def __init__(self, engine, seconds: float, held: int, fails_at: int | None) -> None:
        self.engine, self.seconds, self.held = engine, seconds, held
        self.load, self.first = 1.0, seconds
        self.turns, self.fails_at = 0, fails_at
        self.case = CASE
        FakeChild.running.append(engine.name)

    def run(self, times: int) -> list[float]:
        FakeChild.asked.append(self.engine.name)
        self.turns += 1
        if self.turns == self.fails_at:
            raise EngineError("ended with signal 11")
        return [self.seconds] * times

    def memory(self) -> dict[str, int]:
        return {"peak": self.held, "resident": self.held, "own": self.held}

    def busy(self) -> float:
        return 0.0

    def save(self, path) -> bool:
        return True

    def close(self) -> None:
        FakeChild.running.remove(self.engine.name)


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """Measures with fake engines: (plan by engine name, limit in GiB) -> rows by name."""
    monkeypatch.setattr(measure, "missing", lambda engine: "")
    monkeypatch.setattr(measure, "REST", 0.0)
    FakeChild.running, FakeChild.asked = [], []

    def run(plan: dict[str, dict], limit: float = 100.0, rounds: int = 3) -> dict:
        def start(engine, case, cache, artefact):
            entry = plan[engine.name]
            if entry.get("start"):
                raise EngineError(entry["start"])
            held = int(entry.get("held", 1) * GIB)
            return FakeChild(engine, entry.get("seconds", 1.0), held, entry.get("fails_at"))

        def artefact(engine, case):
            if plan[engine.name].get("artefact"):
                raise ArtefactError(plan[engine.name]["artefact"])
            return Artefact(tmp_path, 12.0, GIB)

        monkeypatch.setattr(measure, "start", start)
        monkeypatch.setattr(measure, "MOST_MEMORY", int(limit * GIB))
        monkeypatch.setattr(measure, "free_memory", lambda: 200 * GIB)
        cache = types.SimpleNamespace(artefact=artefact, inputs=lambda case: tmp_path)
        settings = measure.Settings(rounds, tmp_path)
        rows = measure.measure(CASE, list(plan), cache, settings)
        assert FakeChild.running == []
        return {row.engine: row for row in rows}

    return run


def test_engines_take_turns(bench):
    rows = bench({"ours-fp32": {"seconds": 1.0}, "eager": {"seconds": 3.0}})
    assert FakeChild.asked == ["ours-fp32", "eager"] * 4
    assert len(rows["eager"].seconds) == 3
    assert rows["eager"].relative == pytest.approx(3.0)
    assert rows["ours-fp32"].relative == pytest.approx(1.0)


def test_quick_engines_run_more_often_and_drop_the_first(bench):
    rows = bench({"ours-fp32": {"seconds": 0.1}, "eager": {"seconds": 0.2}})
    assert len(rows["ours-fp32"].seconds) == 3 * (6 - 1)
    assert len(rows["eager"].seconds) == 3 * (3 - 1)


def test_groups_fit_into_memory_and_share_the_anchor(bench):
    names = ("ours-fp32", "openvino-f32", "onnxruntime", "eager", "aoti")
    rows = bench({name: {"held": 4, "seconds": 1.0 + i} for i, name in enumerate(names)}, limit=13)
    assert [rows[name].group for name in names] == [1, 1, 1, 2, 2]
    assert FakeChild.asked.count("ours-fp32") == 8
    assert [rows[name].relative for name in names] == pytest.approx([1, 2, 3, 4, 5])


def test_an_engine_too_large_for_any_group_runs_beside_the_anchor(bench):
    plan = {"ours-fp32": {"held": 4}, "eager": {"held": 40}, "aoti": {"held": 40}}
    rows = bench(plan, limit=20)
    assert [row.group for row in rows.values()] == [1, 1, 2]
    assert not any(row.failure for row in rows.values())


def test_failures_are_told_and_the_rest_goes_on(bench):
    rows = bench(
        {
            "ours-fp32": {},
            "openvino-f32": {"artefact": "no converter"},
            "onnxruntime": {"start": "ended with status 1"},
            "eager": {"fails_at": 3},
            "aoti": {"seconds": 2.0},
        }
    )
    assert rows["openvino-f32"].failure == "no converter"
    assert rows["onnxruntime"].failure == "ended with status 1"
    assert rows["eager"].failure == "ended with signal 11"
    assert rows["aoti"].relative == pytest.approx(2.0) and not rows["aoti"].failure


def test_without_the_anchor_the_next_engine_is_it(bench):
    rows = bench({"ours-fp32": {"fails_at": 2}, "eager": {"seconds": 2.0}, "aoti": {"seconds": 6}})
    assert rows["ours-fp32"].failure
    assert rows["eager"].relative == pytest.approx(1.0)
    assert rows["aoti"].relative == pytest.approx(3.0)
