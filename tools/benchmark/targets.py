# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What is promised, and whether a run keeps it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.cases import CASES
from benchmark.engines import ENGINES

# Ours by precision, a rival, and the largest allowed ratio of medians.
SPEED = (
    ("fp32", "openvino-f32", 0.80),
    ("fp32", "onnxruntime", 0.70),
    ("fp32", "eager", 0.50),
    ("fp32", "aoti", 0.30),
    ("bf16", "openvino-bf16", 0.90),
)
LEAST_SHARE = 0.99


@dataclass(frozen=True)
class Verdict:
    """One target in one case."""

    case: str
    text: str
    found: float | None
    limit: float
    met: bool | None
    """None: not measured."""

    def line(self) -> str:
        """One line for people."""
        word = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        found = "-" if self.found is None else f"{self.found:.3f}"
        return f"{self.case:12} {self.text:48} {found:>7}  {word}"


def ours(engines: dict[str, dict], precision: str) -> list[str]:
    """Names of our engines of a precision that were measured."""
    names = (f"ours-{precision}", f"ours-{precision}-c")
    return [name for name in names if engines.get(name, {}).get("relative")]


def verdicts(result: dict[str, object]) -> list[Verdict]:
    """Every target for every case of a run's bench.json."""
    found: list[Verdict] = []
    for name, case in result["cases"].items():
        engines = {row["engine"]: row for row in case["engines"]}
        if name == "quick":
            continue
        if CASES[name].frame_only:
            found += [speed(name, engines, *target) for target in SPEED]
        if CASES[name].threshold is not None:
            found.append(same_boxes(name, engines))
        if not CASES[name].frame_only:
            found.append(least_memory(name, engines))
    for name, row in (result.get("native") or {}).items():
        for target in row.get("targets", []):
            value, limit = target["found"], target["limit"]
            found.append(Verdict(name, target["text"], value, limit, value <= limit))
    return found


def speed(case: str, engines: dict[str, dict], precision: str, rival: str, limit: float) -> Verdict:
    """Ours, in Python or through the library, whichever is slower, against a rival."""
    text = f"{precision}, of {ENGINES[rival].label}: <= {limit:.2f}"
    mine = ours(engines, precision)
    other = engines.get(rival, {}).get("relative")
    if not mine or not other:
        return Verdict(case, text, None, limit, None)
    ratio = max(engines[name]["relative"] for name in mine) / other
    return Verdict(case, text, ratio, limit, ratio <= limit)


def same_boxes(case: str, engines: dict[str, dict]) -> Verdict:
    """Boxes of bf16 that agree with fp32."""
    text = f"bf16, boxes that agree with fp32: >= {LEAST_SHARE:.2f}"
    share = (engines.get("ours-bf16", {}).get("agreement") or {}).get("share")
    met = None if share is None else share >= LEAST_SHARE
    return Verdict(case, text, share, LEAST_SHARE, met)


def least_memory(case: str, engines: dict[str, dict]) -> Verdict:
    """Peak memory of the library with both graphs against ONNX Runtime's."""
    text = "peak memory, C library of ONNX Runtime: <= 1.00"
    mine = engines.get("ours-fp32-c", {}).get("peak_mib")
    other = engines.get("onnxruntime", {}).get("peak_mib")
    if not mine or not other:
        return Verdict(case, text, None, 1.0, None)
    return Verdict(case, text, mine / other, 1.0, mine <= other)
