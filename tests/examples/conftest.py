# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Runs the example programs over fake graphs, which find the colours of test bars."""

import subprocess

import pytest
from driven import LIMIT, Typist


@pytest.fixture(scope="module")
def package(make_package):
    """A package of fake graphs."""
    return make_package()


@pytest.fixture
def env(build_dir, plugin_env):
    """As on a machine without a display."""
    return {
        **{key: value for key, value in plugin_env.items() if "DISPLAY" not in key},
        "GDINO_TORCH_LIB_DIR": str(build_dir / "tests/fakes/torch"),
    }


@pytest.fixture
def example(build_dir, env, tmp_path):
    """Runs an example in tmp_path to its end, with something typed."""

    def call(name: str, *words, typed: str = "", status: int = 0):
        done = subprocess.run(
            [build_dir / "examples" / name, *map(str, words)],
            cwd=tmp_path,
            env=env,
            input=typed,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return call


@pytest.fixture
def typist(env, tmp_path):
    """Starts a program that is typed to."""
    started = []

    def start(*command):
        started.append(Typist(list(command), env, tmp_path))
        return started[-1]

    yield start
    for one in started:
        one.close()
