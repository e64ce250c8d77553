# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Checkpoints that are known to exist, and what their authors say of them (--list)."""

from __future__ import annotations

from dataclasses import dataclass

APACHE = "apache-2.0"
MM = "openmmlab-community/mm_grounding_dino"


@dataclass(frozen=True)
class Known:
    """A published checkpoint.

    `name` is a Hugging Face id, or the name of a file of the original code. Accuracy is average
    precision in per cent as published, None where nothing is; `zero_shot` says that COCO's training
    set was not among the training data.
    """

    name: str
    backbone: str
    millions: int
    coco: float | None = None
    zero_shot: bool = True
    lvis_minival: float | None = None
    lvis: float | None = None
    licence: str = APACHE


KNOWN = (
    Known("IDEA-Research/grounding-dino-tiny", "Swin-T", 172, 48.4, True, 28.8, 20.1),
    Known("IDEA-Research/grounding-dino-base", "Swin-B", 232, 56.7, False),
    Known("groundingdino_swint_ogc.pth", "Swin-T", 172, 48.4, True, 28.8, 20.1),
    Known("groundingdino_swinb_cogcoor.pth", "Swin-B", 232, 56.7, False),
    Known(f"{MM}_tiny_o365v1_goldg", "Swin-T", 173, 50.4, True, 35.7, 27.0),
    Known(f"{MM}_tiny_o365v1_goldg_grit", "Swin-T", 173, 50.5, True, 36.5, 27.1),
    Known(f"{MM}_tiny_o365v1_goldg_v3det", "Swin-T", 173, 50.6, True, 40.5, 30.6),
    Known(f"{MM}_tiny_o365v1_goldg_grit_v3det", "Swin-T", 173, 50.4, True, 41.4, 31.9),
    Known(f"{MM}_base_o365v1_goldg_v3det", "Swin-B", 233, 52.5),
    Known(f"{MM}_base_all", "Swin-B", 233, 59.5, False),
    Known(f"{MM}_large_o365v2_oiv6_goldg", "Swin-L", 343, 53.0),
    Known(f"{MM}_large_all", "Swin-L", 343, 60.3, False),
    Known("iSEE-Laboratory/llmdet_tiny", "Swin-T", 173, None, True, 44.7, 34.9),
    Known("iSEE-Laboratory/llmdet_base", "Swin-B", 233, None, True, 48.3, 38.5),
    Known("iSEE-Laboratory/llmdet_large", "Swin-L", 343, None, True, 51.1, 42.0),
)
# Columns of the table that are set to the right.
NUMBERS = (2, 3, 4, 5)
NOTES = """\
SIZE: parameters. COCO, MINIVAL, LVIS: average precision in per cent as the authors publish it, on
COCO val2017, LVIS minival and LVIS val 1.0. z: zero-shot, trained without COCO; -: not published.

Names with a slash are fetched from Hugging Face. The .pth files are those of the original code
(github.com/IDEA-Research/GroundingDINO, releases); give them by their path. Other checkpoints of
these families work as well."""


def licence(name: str) -> str | None:
    """The licence of the known checkpoint of that name, None for others."""
    return next((item.licence for item in KNOWN if item.name == name), None)


def table() -> str:
    """All known checkpoints as an aligned table, with notes."""
    rows = [("CHECKPOINT", "BACKBONE", "SIZE", "COCO", "MINIVAL", "LVIS", "LICENCE")]
    for item in KNOWN:
        mark = "z" if item.coco is not None and item.zero_shot else " "
        rows.append(
            (
                item.name,
                item.backbone,
                f"{item.millions} M",
                f"{_percent(item.coco)} {mark}",
                _percent(item.lvis_minival),
                _percent(item.lvis),
                item.licence,
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if i in NUMBERS else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n\n" + NOTES + "\n"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
