# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Measures Grounding DINO in every runtime people would use, on the same machine and inputs."""
