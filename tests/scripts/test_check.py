# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""tools/check counts what ran, what failed and what did not run."""

import importlib.machinery
import importlib.util
import subprocess
import sys

import pytest
import tree


@pytest.fixture(scope="module")
def check():
    """tools/check as a module."""
    path = str(tree.ROOT / "tools" / "check")
    loader = importlib.machinery.SourceFileLoader("gdino_check", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gdino_check", loader))
    sys.modules["gdino_check"] = module
    try:
        write = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = write
    return module


def program(stdout: str, result: str = "OK", returncode: int = 0) -> dict:
    """What meson says of a test program that printed this."""
    return {
        "name": "it",
        "stdout": stdout,
        "stderr": "",
        "result": result,
        "returncode": returncode,
    }


def counts(check, **entry) -> tuple[int, int, int]:
    return check.count(check.program_cases(program(**entry)))


def test_tap(check):
    text = "# random seed: R02\n1..3\nok 1 /a/b\nnot ok 2 /a/c - wrong\nok 3 /a/d # SKIP no GPU\n"
    cases = check.program_cases(program(text, "FAIL", 1))
    assert check.count(cases) == (1, 1, 1)
    assert [case.detail for case in cases if case.outcome == "skipped"] == ["no GPU"]


def test_plan_at_the_end(check):
    assert counts(check, stdout="ok 1 /a\nok 2 /b\n1..2\n") == (2, 0, 0)


def test_crash_after_some_tests(check):
    text = "1..3\nok 1 /a\n"
    assert counts(check, stdout=text, result="ERROR", returncode=-11) == (1, 2, 0)


def test_leak_after_all_tests(check):
    text = "1..1\nok 1 /a\n"
    assert counts(check, stdout=text, result="ERROR", returncode=23) == (1, 1, 0)


def test_bail_out(check):
    text = "1..2\nok 1 /a\nBail out! ERROR: assertion failed\n"
    passed, failed, skipped = counts(check, stdout=text, result="ERROR", returncode=-6)
    assert passed == 1 and failed >= 1 and skipped == 0


def test_no_test_at_all(check):
    assert counts(check, stdout="1..0\n", result="SKIP") == (0, 1, 0)


def test_all_skipped_with_a_reason(check):
    text = "1..0 # SKIP built without GStreamer\n"
    cases = check.program_cases(program(text, "SKIP"))
    assert cases == [check.Case("it", "skipped", "built without GStreamer")]


def test_gst_check_output(check):
    text = "50%: Checks: 4, Failures: 1, Errors: 1\nx.c:12:F:general:test_a:0: wrong\n"
    assert counts(check, stdout=text, result="FAIL", returncode=1) == (2, 2, 0)


def test_timeout(check):
    assert counts(check, stdout="1..1\n", result="TIMEOUT", returncode=-15)[1] >= 1


def test_unknown_step_is_refused():
    done = subprocess.run(
        [tree.ROOT / "tools" / "check", "nonsense"], stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_steps_are_documented(check):
    text = tree.read("docs/testing.md")
    assert [step for step in check.STEPS if f"| `{step}` |" not in text] == []


def test_every_python_test_is_in_a_step():
    text = tree.read("tools/check")
    folders = {
        name.split("/")[1]
        for name in tree.texts()
        if name.startswith("tests/") and name.rsplit("/", 1)[-1].startswith("test_")
    }
    assert folders
    assert [folder for folder in folders if f'"{folder}"' not in text] == []


@pytest.mark.parametrize("script", ["tools/setup", "tools/debian13", "tools/gst-indent"])
def test_unknown_option_is_refused(script):
    done = subprocess.run(
        [tree.ROOT / script, "--nonsense"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode not in (0, 127)


def test_setup_is_quick_when_done():
    command = [tree.ROOT / "tools" / "setup", "check"]
    subprocess.run(command, check=True, timeout=1800, stdout=subprocess.DEVNULL)
    done = subprocess.run(
        ["bash", "-c", 'TIMEFORMAT=%U+%S; time "$0" "$1"', *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    # Processor time, not the clock: other work on the machine must not matter.
    assert sum(map(float, done.stderr.split("+"))) < 0.5
