# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""camera.py, where there is PyGObject with GStreamer's introspection data."""

import os
import subprocess

import pytest
from driven import RED_BAR, near
from PIL import Image


@pytest.fixture
def camera_py(root):
    """The words that start the Python example."""
    python = "/usr/bin/python3"
    if not os.access(python, os.X_OK):
        pytest.skip(f"there is no {python}, for which the system's PyGObject is")
    needs = "import gi; gi.require_version('GstVideo', '1.0'); from gi.repository import GstVideo"
    done = subprocess.run([python, "-c", needs], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"no PyGObject with GStreamer: {done.stderr.strip().splitlines()[-1]}")
    return [python, root / "examples/python/camera.py"]


def test_python_camera(camera_py, package, typist):
    camera = typist(*camera_py, "--source", "test", package, "red. blue.")
    assert camera.wait_for(r"^prompt \d+: (.*)$").group(1) == "red. blue."
    match = camera.wait_for(r" s: red 0\.90 at (\d+),(\d+) (\d+)x(\d+)$")
    assert near([int(number) for number in match.groups()], RED_BAR, 3)
    camera.wait_for(r" s: blue 0\.90 at ")
    camera.type("a green square.")
    assert camera.wait_for(r"^prompt \d+: (.*)$").group(1) == "a green square."
    camera.wait_for(r" s: a green square 0\.90 at ")
    camera.type("q")
    assert int(camera.wait_for(r"^(\d+) frames$").group(1)) > 1
    assert camera.end() == 0


def test_python_camera_reads_a_file_to_its_end(camera_py, package, typist, tmp_path):
    Image.new("RGB", (64, 64), (225, 20, 20)).save(tmp_path / "a b.png")
    camera = typist(*camera_py, "--source", tmp_path / "a b.png", package, "red.")
    camera.wait_for(r" s: red 0\.90 at 0,0 64x64$")
    camera.wait_for("^1 frames$")
    assert camera.end() == 0


def test_python_camera_tells_of_errors(camera_py, typist):
    camera = typist(*camera_py, "--source", "test", "nowhere", "red.")
    camera.wait_for("^error: .*nowhere")
    assert camera.end() == 1
