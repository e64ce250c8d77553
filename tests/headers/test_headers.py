# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Every public header compiles alone, in C and in C++, without a warning."""

import os
import pathlib
import shlex
import subprocess

import pytest
import tree

HEADERS = sorted(
    name.removeprefix("include/")
    for name in tree.texts()
    if name.startswith("include/gdino/") and name.endswith(".h")
)


def flags() -> list[str]:
    """Where GLib's headers are."""
    text = subprocess.run(
        ["pkg-config", "--cflags", "glib-2.0"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    # GLib's own headers are not under test.
    return [flag.replace("-I", "-isystem", 1) for flag in shlex.split(text)]


@pytest.mark.parametrize("language", ["c11", "c++17"])
@pytest.mark.parametrize("header", HEADERS)
def test_header_alone(header, language, tmp_path):
    cpp = language.startswith("c++")
    compiler = os.environ.get("CXX", "g++") if cpp else os.environ.get("CC", "gcc")
    source = pathlib.Path(tmp_path) / ("alone.cc" if cpp else "alone.c")
    source.write_text(f"#include <{header}>\nextern int not_empty;\n")
    done = subprocess.run(
        [
            *shlex.split(compiler),
            f"-std={language}",
            "-pedantic",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            f"-I{tree.ROOT / 'include'}",
            *flags(),
            source,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        pytest.fail(done.stdout, pytrace=False)


def test_gdino_h_includes_all():
    text = tree.read("include/gdino/gdino.h")
    assert not [name for name in HEADERS if name != "gdino/gdino.h" and f"<{name}>" not in text]


def test_installed_headers_are_all():
    listed = tree.read("include/gdino/meson.build")
    assert not [name for name in HEADERS if f"'{name.removeprefix('gdino/')}'" not in listed]
