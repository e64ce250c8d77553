# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Work on long tensors in pieces, so that what lies between two products stays small.

A hidden layer of all cells takes 90 MB at 960x544. The C library hands blocks of that size back
to the system and takes them, zeroed page by page, anew in every run; pieces of some MB are kept
and stay near the processor. docs/benchmarks.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

CHUNK_BYTES = 8 << 20


def chunk_rows(count: int, width: int) -> int:
    """Rows per piece: `count` rows in equal pieces whose `width` floats fit CHUNK_BYTES."""
    pieces = max(1, -(-count * width * 4 // CHUNK_BYTES))
    return -(-count // pieces)


def chunks(rows: Tensor, width: int) -> tuple[Tensor, ...]:
    """Pieces of `rows` [M,...] for a hidden layer of `width` floats a row."""
    step = chunk_rows(len(rows), width)
    return (rows,) if step >= len(rows) else rows.split(step)


def by_chunks(layer: Callable[[Tensor], Tensor], x: Tensor, width: int) -> Tensor:
    """layer(x), piece by piece; `layer` maps each of the last-but-all rows of x by itself.

    x [...,C] -> [...,C'] where `layer` needs `width` floats a row in between.
    """
    rows = x.reshape(-1, x.shape[-1])
    pieces = chunks(rows, width)
    if len(pieces) == 1:
        return layer(x)
    out = torch.cat([layer(piece) for piece in pieces])
    return out.view(*x.shape[:-1], out.shape[-1])
