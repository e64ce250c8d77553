# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Rules every file keeps, whatever its language."""

import ast
import re
import shutil
import subprocess

import pytest
import tree

LONGEST_FILE = 700
LONGEST_HEADER = 280
# Written for 100; a table or a message may stand out a little.
LONGEST_LINE = 120
SPDX = (
    "SPDX-License-Identifier: LGPL-2.1-or-later",
    "SPDX-FileCopyrightText: 2026 The gst-gdino authors",
)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented yet")


def complain(findings: list[str]) -> None:
    """Fails with the list, unless it is empty."""
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def lines_that(match, names=None) -> list[str]:
    """file:line of every line for which match(line) holds."""
    return [
        f"{name}:{number}: {line.strip()[:80]}"
        for name in (names if names is not None else tree.texts())
        for number, line in enumerate(tree.read(name).split("\n"), 1)
        if match(line)
    ]


def test_the_tree_is_seen():
    assert len(tree.texts()) > 50
    assert "tests/style/test_style.py" in tree.texts()


def test_no_tabs():
    names = [name for name in tree.texts() if name.rsplit("/", 1)[-1] != "Makefile"]
    complain(lines_that(lambda line: "\t" in line, names))


def test_no_trailing_blanks():
    complain(lines_that(lambda line: line != line.rstrip()))


def test_ascii_only():
    complain(lines_that(lambda line: not line.isascii()))


def test_final_newline():
    complain(
        [
            f"{name}: must end in one newline"
            for name in tree.texts()
            if tree.read(name) and not re.search(r"[^\n]\n\Z", tree.read(name))
        ]
    )


def test_spdx_lines():
    def lacks(name: str) -> bool:
        head = "\n".join(tree.read(name).split("\n")[:6])
        return any(line not in head for line in SPDX)

    complain(
        [
            f"{name}: the two SPDX lines are not at its head"
            for name in tree.texts()
            if not name.endswith((".json", ".gitignore", ".txt")) and lacks(name)
        ]
    )


def test_file_length():
    complain(
        [
            f"{name}: {lines} lines, at most {limit}"
            for name in tree.texts()
            for lines in [tree.read(name).count("\n")]
            for limit in [LONGEST_HEADER if name.startswith("include/") else LONGEST_FILE]
            if lines > limit and name.endswith((".c", ".h", ".py", ".build"))
        ]
    )


def test_nothing_unfinished():
    names = [name for name in tree.texts() if not name.startswith("tests/style/")]
    complain(lines_that(UNFINISHED.search, names))


def test_no_paths_of_one_machine():
    pattern = re.compile(r"/home/\w|/root/|/Users/\w")
    # The root's own home in a root of our making is no path of ours.
    users = ("tests/style/", "tools/debian13")
    names = [name for name in tree.texts() if not name.startswith(users)]
    complain(lines_that(pattern.search, names))


def test_headers_say_once():
    complain(
        [
            f"{name}: no '#pragma once'"
            for name in tree.with_suffix(".h")
            if "\n#pragma once\n" not in tree.read(name)
        ]
    )


@pytest.mark.parametrize("name", tree.python())
def test_python_parses(name):
    ast.parse(tree.read(name), filename=name)
    long = lines_that(lambda line: len(line) > LONGEST_LINE, [name])
    complain([f"over {LONGEST_LINE} columns: {line}" for line in long])


def indent_version() -> str:
    """What the installed indent calls itself."""
    command = shutil.which("indent")
    assert command, "GNU indent is not installed (tools/setup check)"
    return subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()


def test_c_is_indented():
    # Other versions place some blanks otherwise; the tree follows Debian 12's.
    version = indent_version()
    if version != "GNU indent 2.2.12":
        pytest.skip(f"the tree is formatted by GNU indent 2.2.12; this is {version}")
    done = subprocess.run(
        [tree.ROOT / "tools" / "gst-indent", "--check", *tree.with_suffix(".c")],
        cwd=tree.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        pytest.fail(done.stdout, pytrace=False)


def test_shell_scripts_parse():
    scripts = [
        name
        for name in tree.texts()
        if name.endswith(".sh") or re.match(r"#!.*\b(ba)?sh\n", tree.read(name))
    ]
    assert scripts
    findings = []
    for name in scripts:
        done = subprocess.run(
            ["bash", "-n", name], cwd=tree.ROOT, stderr=subprocess.PIPE, text=True
        )
        findings += [done.stderr] if done.returncode != 0 else []
    complain(findings)


def test_spelling():
    command = shutil.which("codespell")
    assert command, "codespell is not installed (tools/setup check)"
    ignore = tree.ROOT / "tests" / "style" / "codespell-ignore.txt"
    names = [name for name in tree.texts() if name != str(ignore.relative_to(tree.ROOT))]
    done = subprocess.run(
        [command, "--ignore-words", ignore, *names],
        cwd=tree.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        pytest.fail(done.stdout, pytrace=False)
