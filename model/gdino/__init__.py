# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Grounding DINO for static shapes: network, checkpoint loader and compiler.

For Python programs: `CompilableGroundingDINO` and `per_phrase_nms` (docs/python.md).
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_PUBLIC = {
    "CompilableGroundingDINO": "gdino.compilable",
    "CompiledDetector": "gdino.compilable",
    "TextCutWarning": "gdino.padding",
    "per_phrase_nms": "gdino.postprocess",
}
__all__ = list(_PUBLIC)


def __getattr__(name: str) -> object:
    # Imported when asked for: `gdino-compile --help` need not wait for torch.
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'gdino' has no attribute '{name}'")
