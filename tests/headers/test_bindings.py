# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The library from other languages: Python through introspection, and C++."""

import os
import pathlib
import re
import shlex
import subprocess

import pytest
import tree

PYTHON = "/usr/bin/python3"
PROGRAM = pathlib.Path(__file__).with_name("bindings.py")

CPP = """
#include <gdino/gdino.h>
#include <cstdio>
#include <vector>

int main (int, char **argv)
{
  GError *error = nullptr;
  GdinoPackage *package = gdino_package_open (argv[1], &error);
  GdinoEngine *engine = package ? gdino_engine_get (package, "auto", &error) : nullptr;
  if (!engine) {
    std::fprintf (stderr, "%s\\n", error->message);
    return 1;
  }
  GdinoDetector *detector = gdino_detector_new (engine);
  GdinoPrompt *prompt = gdino_detector_make_prompt (detector, "red. blue.", &error);
  guint width, height;
  gdino_package_get_canvas (package, &width, &height);
  std::vector<guint8> canvas (width * height * 3, 110);
  for (guint y = 40; y < 100; y++)
    for (guint x = 60; x < 160; x++) {
      canvas[(y * width + x) * 3] = 230;
      canvas[(y * width + x) * 3 + 1] = canvas[(y * width + x) * 3 + 2] = 20;
    }
  GdinoLetterbox letterbox;
  gdino_letterbox_init (&letterbox, width, height, 1, 1, width, height, &error);
  GdinoDecodeParams params;
  gdino_decode_params_init (&params);
  GdinoDetections *found = gdino_detector_detect (detector, canvas.data (), 3 * width,
      &letterbox, prompt, &params, nullptr, &error);
  for (guint i = 0; i < gdino_detections_get_n (found); i++)
    std::printf ("%s %d\\n", gdino_detections_get_label (found, i),
        gdino_detections_get (found, i)->width);
  gdino_detections_unref (found);
  gdino_prompt_unref (prompt);
  gdino_detector_unref (detector);
  gdino_engine_unref (engine);
  gdino_package_unref (package);
}
"""


@pytest.fixture(scope="module")
def env(build_dir):
    return {
        **os.environ,
        "GI_TYPELIB_PATH": str(build_dir / "src"),
        "LD_LIBRARY_PATH": str(build_dir / "src"),
        "GDINO_TORCH_LIB_DIR": str(build_dir / "tests/fakes/torch"),
    }


def test_python(build_dir, env, make_package):
    if not (build_dir / "src/Gdino-1.0.typelib").exists():
        pytest.skip("built without introspection (libgirepository1.0-dev)")
    if subprocess.run([PYTHON, "-c", "import gi"], capture_output=True).returncode != 0:
        pytest.skip(f"{PYTHON} has no PyGObject (python3-gi)")
    done = subprocess.run(
        [PYTHON, PROGRAM, make_package()], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr and "CRITICAL" not in done.stderr, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "canvas 448 256"
    assert lines[2:4] == ["phrases a red blue", "dropped [] duplicates []"]
    label, *box = re.fullmatch(r"box (a red) (\d+) (\d+) (\d+) (\d+)", lines[4]).groups()
    assert all(abs(int(got) - want) <= 4 for got, want in zip(box, (60, 40, 100, 60)))
    assert lines[5] == "stats True True"
    assert lines[6] == f"kept blue {box[2]} 1 True"
    assert lines[7] == "split True 101 [] a red"
    # Codes of GdinoError: not found, and twice an invalid argument.
    assert lines[8:] == ["error folder True 1", "error device True 0", "error bytes True 0"]


def test_cpp(build_dir, env, make_package, tmp_path):
    source, program = tmp_path / "detect.cc", tmp_path / "detect"
    source.write_text(CPP)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "gobject-2.0"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{tree.ROOT / 'include'}", source, "-o", program, f"-L{build_dir / 'src'}"]
    subprocess.run([*command, "-lgdino", *shlex.split(flags)], check=True)
    done = subprocess.run(
        [program, make_package()], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    label, width = done.stdout.split()
    assert label == "red" and abs(int(width) - 100) <= 4
