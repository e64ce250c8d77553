# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What `meson install` puts in place is enough to build and run against."""

import os
import re
import shlex
import subprocess

import pytest

PROGRAM = """
#include <gdino/gdino.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = gdino_package_open ("/nonexistent", &error);

  return package == NULL && g_error_matches (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND) ? 0 : 1;
}
"""


def output(command: list, env: dict | None = None) -> str:
    """What a command prints; fails with it when the command does."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    )
    if done.returncode != 0:
        pytest.fail(f"{command}\n{done.stdout}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def installed(build_dir, tmp_path_factory):
    """A folder that holds what an installation would put into /."""
    folder = tmp_path_factory.mktemp("installed")
    output(["meson", "install", "-C", build_dir, "--no-rebuild", "--quiet", "--destdir", folder])
    return folder


def only(folder, pattern: str):
    """The one file below a folder that matches."""
    found = sorted(folder.rglob(pattern))
    assert len(found) == 1, (pattern, found)
    return found[0]


def test_files(installed):
    assert only(installed, "libgstgdino.so").parent.name == "gstreamer-1.0"
    assert only(installed, "gdino-prompt").parent.name == "bin"
    assert only(installed, "gdino-detect").parent.name == "bin"
    assert only(installed, "gdino-inspect").parent.name == "bin"
    assert only(installed, "gdino.h").parent.parent.name == "gdino-1.0"
    assert not list(installed.rglob("*fake*")) and not list(installed.rglob("*.a"))


def test_program_builds_and_runs(installed, tmp_path):
    pc = only(installed, "gdino-1.0.pc")
    libdir = pc.parent.parent
    # Where it lies for this test, in place of where it will lie.
    text = re.sub(r"(?m)^prefix=", f"prefix={installed}", pc.read_text())
    (tmp_path / pc.name).write_text(text)
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    env = {**os.environ, "PKG_CONFIG_PATH": str(tmp_path)}
    flags = shlex.split(output(["pkg-config", "--cflags", "--libs", "gdino-1.0"], env))
    output(["gcc", "-std=c11", "-Wall", "-Werror", source, "-o", program, *flags])
    output([program], {**os.environ, "LD_LIBRARY_PATH": str(libdir)})


def test_plugin_loads_from_there(installed, tmp_path):
    plugin = only(installed, "libgstgdino.so")
    env = {
        **os.environ,
        "GST_PLUGIN_PATH": str(plugin.parent),
        "GST_REGISTRY": str(tmp_path / "registry.bin"),
        "LD_LIBRARY_PATH": str(plugin.parent.parent),
    }
    shown = output(["gst-inspect-1.0", "groundingdino"], env)
    assert str(plugin) in shown
    assert "Filter/Analyzer/Video" in shown
