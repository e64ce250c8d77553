# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Grounding DINO for static shapes: network, checkpoint loader and compiler."""

__version__ = "0.1.0"
