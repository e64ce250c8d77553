# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Draws the medians, with whiskers from the 10th to the 90th percentile."""

from __future__ import annotations

from pathlib import Path

OURS, OTHERS = "#2e7d32", "#7a8ca3"
PALE = {OURS: "#8fc292", OTHERS: "#c0cad6"}


def draw(result: dict[str, object], path: Path) -> None:
    """One panel a case, fastest engine on top; writes a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    cases = {
        name: [entry for entry in case["engines"] if "median_ms" in entry]
        for name, case in result["cases"].items()
    }
    cases = {name: entries for name, entries in cases.items() if entries}
    if not cases:
        return
    heights = [0.9 + 0.32 * len(entries) for entries in cases.values()]
    figure, axes = pyplot.subplots(
        len(cases),
        1,
        figsize=(9.5, sum(heights) + 0.8),
        height_ratios=heights,
        squeeze=False,
        layout="constrained",
    )
    for axis, (name, entries) in zip(axes[:, 0], cases.items(), strict=True):
        panel(axis, result["cases"][name]["title"], entries)
    axes[-1, 0].set_xlabel("milliseconds: median, whiskers from 10th to 90th percentile")
    shades = (("ours, fp32", OURS), ("ours, bf16", PALE[OURS]))
    shades += (("others, fp32", OTHERS), ("others, bf16", PALE[OTHERS]))
    figure.legend(
        handles=[Patch(color=colour, label=label) for label, colour in shades],
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize=9,
    )
    facts = result["machine"]
    figure.suptitle(
        f"{facts['processor']}, {facts['threads']} threads "
        f"({' '.join(facts['instructions'])}); less is better",
        fontsize=10,
    )
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def panel(axis: object, title: str, entries: list[dict]) -> None:
    """One case."""
    entries = sorted(entries, key=lambda entry: entry["median_ms"])
    medians = [entry["median_ms"] for entry in entries]
    low = [max(entry["median_ms"] - entry["p10_ms"], 0.0) for entry in entries]
    high = [max(entry["p90_ms"] - entry["median_ms"], 0.0) for entry in entries]
    colours = []
    for entry in entries:
        colour = OURS if entry["engine"].startswith("ours") else OTHERS
        colours.append(PALE[colour] if entry["precision"] == "bf16" else colour)
    rows = range(len(entries))
    axis.barh(rows, medians, xerr=[low, high], color=colours, capsize=3, ecolor="#333333")
    axis.set_yticks(rows, [label(entry) for entry in entries], fontsize=9)
    axis.invert_yaxis()
    right = max(entry["p90_ms"] for entry in entries)
    for row, entry in enumerate(entries):
        edge = max(entry["p90_ms"], entry["median_ms"])
        median = entry["median_ms"]
        shown = f"{median:.0f}" if median >= 100 else f"{median:.3g}"
        axis.text(edge + 0.012 * right, row, shown, va="center", fontsize=9)
    axis.set_xlim(0, 1.1 * right)
    axis.set_title(title, fontsize=10, loc="left")
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def label(entry: dict) -> str:
    """Name of an engine beside its bar."""
    known = entry["label"]
    return known if entry["precision"] in known else f"{known}, {entry['precision']}"
