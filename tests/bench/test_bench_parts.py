# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The bench's arithmetic: sets of boxes, targets, tables, what makes an artefact stale."""

import json
import os
import subprocess
import sys

import numpy
import pytest
from benchmark import agreement, artefacts, machine, native, report, targets
from benchmark.cases import CASES, STRONGEST
from benchmark.engines import ENGINES
from benchmark.measure import Row

WORDS = numpy.array([False, True, True, False])


def result(seed: int, queries: int = 40) -> agreement.Found:
    """A random picture's logits [1,Q,4] and boxes [1,Q,4], no two boxes alike."""
    random = numpy.random.default_rng(seed)
    logits = random.normal(0.0, 2.0, (1, queries, 4)).astype(numpy.float32)
    logits[..., 3] = -numpy.inf
    boxes = random.uniform(0.2, 0.6, (1, queries, 4)).astype(numpy.float32)
    boxes[0, :, 2:] *= 0.4
    return logits, boxes


def test_iou_of_known_boxes():
    one = numpy.array([[0.5, 0.5, 0.4, 0.4]])
    other = numpy.array([[0.5, 0.5, 0.4, 0.4], [0.7, 0.5, 0.4, 0.4], [0.1, 0.1, 0.1, 0.1]])
    assert agreement.iou(one, other)[0] == pytest.approx([1.0, 1 / 3, 0.0])


def test_boxes_count_inside_the_picture_only():
    one = numpy.array([[0.0, 0.5, 0.4, 0.4]])
    clipped = numpy.array([[0.1, 0.5, 0.2, 0.4]])
    assert agreement.iou(one, clipped)[0, 0] == pytest.approx(1.0)


def test_order_of_queries_does_not_matter():
    logits, boxes = result(1)
    order = numpy.random.default_rng(2).permutation(logits.shape[1])
    found = agreement.compare(
        (logits, boxes), (logits[:, order], boxes[:, order]), WORDS, threshold=0.3
    )
    assert found["boxes"] > 10 and found["matched"] == found["boxes"]
    assert found["share"] == 1.0 and found["score"] == 0.0 and found["box"] == 0.0


@pytest.mark.parametrize("which, change", [("logits", 0.5), ("boxes", 0.05)])
def test_a_box_that_differs_is_counted_on_both_sides(which, change):
    logits, boxes = result(3)
    others = {"logits": logits.copy(), "boxes": boxes.copy()}
    best = int(agreement.scores_of(logits[0], WORDS).argmax())
    others[which][0, best] += change * numpy.sign(-others[which][0, best])
    if which == "logits":
        others[which][0, best] = 0.0
    found = agreement.compare(
        (logits, boxes), (others["logits"], others["boxes"]), WORDS, threshold=0.4
    )
    assert found["boxes"] - found["matched"] == 2
    assert 0 < found["share"] < 1


def test_small_differences_are_told():
    logits, boxes = result(4)
    moved = boxes.copy()
    moved[0, :, 0] += 1e-4
    found = agreement.compare((logits, boxes), (logits, moved), WORDS, threshold=0.3)
    assert found["share"] == 1.0 and found["box"] == pytest.approx(1e-4, rel=1e-2)


def test_a_counterpart_serves_once():
    logits, boxes = result(5, queries=2)
    logits[:] = 1.0
    boxes[0, 1] = boxes[0, 0]
    far = boxes.copy()
    far[0, 1] = (0.9, 0.9, 0.1, 0.1)
    found = agreement.compare((logits, boxes), (logits, far), WORDS, threshold=0.3)
    assert (found["boxes"], found["matched"]) == (4, 2)


def test_words_alone_make_the_score():
    logits = numpy.array([[9.0, -1.0, 0.0, 9.0]])
    assert agreement.scores_of(logits, WORDS) == pytest.approx([0.5])


def test_without_threshold_the_strongest_count():
    scores = numpy.linspace(0.0, 1.0, 3 * STRONGEST)
    chosen = agreement.choose(scores, None)
    assert len(chosen) == STRONGEST and chosen[0] == 3 * STRONGEST - 1


def test_nothing_found_is_no_agreement():
    logits, boxes = result(6)
    found = agreement.compare((logits - 50, boxes), (logits - 50, boxes), WORDS, threshold=0.3)
    assert found["boxes"] == 0 and found["share"] is None


def test_not_a_number_does_not_agree():
    logits, boxes = result(7)
    broken = numpy.full_like(boxes, numpy.nan)
    found = agreement.compare((logits, boxes), (logits, broken), WORDS, threshold=0.3)
    assert found["boxes"] > 0 and found["matched"] == 0


def test_the_librarys_lines_become_boxes():
    logits, boxes = agreement.from_list([0.25, 0.1, 0.2, 0.4, 0.2, 0.75, 0, 0, 1, 1], columns=4)
    assert logits.shape == (1, 2, 4)
    assert agreement.scores_of(logits[0], WORDS) == pytest.approx([0.25, 0.75])
    assert boxes[0] == pytest.approx(numpy.array([[0.3, 0.3, 0.4, 0.2], [0.5, 0.5, 1, 1]]))


def rows_of(medians: dict[str, float]) -> list[Row]:
    """Rows as measure() fills them, relative to ours-fp32."""
    rows = []
    for name, value in medians.items():
        row = Row(name, seconds=[value * f for f in (0.9, 1.0, 1.1)], group=1, peak=1 << 30)
        row.relative = value / medians["ours-fp32"]
        rows.append(row)
    return rows


def finished(medians: dict[str, float], case: str = "tiny-256") -> dict:
    """A bench.json with one case."""
    facts = machine.machine(2)
    cases = {case: report.case_of(CASES[case], rows_of(medians))}
    return {"machine": facts, "cases": cases, "native": {}}


def test_targets_take_the_slower_of_ours():
    found = finished({"ours-fp32": 1.0, "ours-fp32-c": 1.2, "openvino-f32": 1.4, "eager": 2.5})
    verdicts = {verdict.text: verdict for verdict in targets.verdicts(found)}
    rival = next(v for text, v in verdicts.items() if "OpenVINO, f32" in text)
    assert rival.met is False and rival.found == pytest.approx(1.2 / 1.4, abs=1e-3)
    eager = next(v for text, v in verdicts.items() if "eager" in text)
    assert eager.met is True and eager.found == pytest.approx(0.48)
    absent = next(v for text, v in verdicts.items() if "ONNX" in text)
    assert absent.met is None and "not measured" in absent.line()


def test_agreement_of_bf16_is_a_target_where_boxes_mean_something():
    medians = {"ours-fp32": 1.0, "ours-bf16": 0.6, "eager": 2.5}
    texts = [verdict.text for verdict in targets.verdicts(finished(medians, "default"))]
    assert any("agree" in text for text in texts)
    texts = [verdict.text for verdict in targets.verdicts(finished(medians))]
    assert not any("agree" in text for text in texts)


def test_memory_is_compared_where_both_hold_the_text_encoder():
    medians = {"ours-fp32": 1.0, "ours-fp32-c": 1.0, "onnxruntime": 2.0}
    found = [v for v in targets.verdicts(finished(medians, "tiny-whole")) if "memory" in v.text]
    assert [verdict.met for verdict in found] == [True]


def test_native_targets_are_read():
    text = 'overhead 1.1\n{"text": "conversion", "found": 1.1, "limit": 1.2}\n\n{"other": 1}\n'
    read = native.read(text)
    assert read["lines"] == ["overhead 1.1", '{"other": 1}']
    whole = {**finished({"ours-fp32": 1.0}), "native": {"element": read}}
    assert [v.met for v in targets.verdicts(whole) if v.case == "element"] == [True]


def test_tables_hold_every_engine(tmp_path):
    found = finished({"ours-fp32": 1.0, "eager": 2.0})
    failed = report.case_of(CASES["tiny-256"], [Row("aoti", failure="no compiler | here")])
    found["cases"]["tiny-256"]["engines"] += failed["engines"]
    report.write(found, tmp_path)
    text, marks = ((tmp_path / name).read_text() for name in ("table.txt", "table.md"))
    for shown in (text, marks):
        assert "transformers, eager" in shown and "2000.0" in shown and "no compiler" in shown
        assert shown.index("ours, Python") < shown.index("transformers, eager")
    lines = [line for line in marks.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
    stored = json.loads((tmp_path / "bench.json").read_text())
    entry = stored["cases"]["tiny-256"]["engines"][1]
    assert entry["engine"] == "eager" and entry["p10_ms"] < entry["median_ms"] < entry["p90_ms"]


def test_plot_is_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    from benchmark import plot

    path = tmp_path / "bench.png"
    plot.draw(finished({"ours-fp32": 1.0, "eager": 2.0, "ours-bf16": 0.5}), path)
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_digest_follows_content(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("1")
    before = artefacts.digest("x", tmp_path)
    assert artefacts.digest("x", tmp_path) == before
    file.write_text("2")
    assert artefacts.digest("x", tmp_path) != before
    assert artefacts.digest("y", tmp_path) != artefacts.digest("x", tmp_path)


def test_memory_of_a_process_is_seen():
    code = "import time; a = bytearray(200 << 20); print(1, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        found = machine.memory(process.pid)
        assert found["peak"] >= found["resident"] >= found["own"] > 200 << 20
        assert machine.busy(process.pid) > 0
        assert process.pid in artefacts.family(os.getpid())
    finally:
        process.kill()
        process.wait()


def test_every_engine_of_a_case_exists():
    for case in CASES.values():
        assert set(case.engines) <= set(ENGINES), case.name
        assert case.engines[0] == "ours-fp32"
