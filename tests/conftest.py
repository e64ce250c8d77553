# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Where the tree and its build are, for every Python test."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Helpers that several folders of tests import.
sys.path.insert(0, str(ROOT / "tests" / "style"))
sys.path.insert(0, str(ROOT / "model"))


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    """The top of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def build_dir() -> pathlib.Path:
    """The native build; GDINO_BUILD_DIR says where if not in build/meson."""
    folder = pathlib.Path(os.environ.get("GDINO_BUILD_DIR", ROOT / "build" / "meson"))
    if not (folder / "build.ninja").exists():
        pytest.fail(f"{folder} is no build folder: run make build first")
    return folder


@pytest.fixture(scope="session")
def plugin_env(build_dir: pathlib.Path) -> dict[str, str]:
    """The environment in which GStreamer finds the built plugin."""
    registry = build_dir / "pytest-registry.bin"
    return {
        **os.environ,
        "GST_PLUGIN_PATH": str(build_dir / "gst"),
        "GST_REGISTRY": str(registry),
        "PATH": os.pathsep.join([str(build_dir / "apps"), os.environ["PATH"]]),
        # Beside other work, threads that spin cost many times what they save.
        "OMP_WAIT_POLICY": "passive",
    }


@pytest.fixture(scope="session")
def make_package(build_dir, tmp_path_factory):
    """Makes a package of fake graphs: (frame fault, text tokens, batch) -> folder."""

    def make(*arguments: str) -> pathlib.Path:
        folder = tmp_path_factory.mktemp("package")
        done = subprocess.run(
            [build_dir / "tests/tools/fake-package", folder, *arguments],
            env={**os.environ, "GDINO_FAKES_DIR": str(build_dir / "tests/fakes")},
            stdout=subprocess.PIPE,
            check=True,
        )
        return pathlib.Path(done.stdout.decode().strip())

    return make


@pytest.fixture(scope="session")
def default_package(root: pathlib.Path) -> pathlib.Path:
    """The default model compiled for this machine, made once and kept."""
    done = subprocess.run(
        [root / "tools" / "package"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        pytest.fail(f"tools/package failed:\n{done.stdout}{done.stderr}", pytrace=False)
    return pathlib.Path(done.stdout.strip().splitlines()[-1])
