# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""docs/cases.md names each reported failure once, and tests that exist."""

import json
import re

import pytest
import tree

ROWS = re.findall(
    r"^\| \[(O[A-Z]-\d\d)\]\((https://[^)]+)\) \| (.+) \| (.+) \| (.+) \|$",
    tree.read("docs/cases.md"),
    re.MULTILINE,
)
PROMPT_CASES = {one["case"] for one in json.loads(tree.read("tests/data/prompt-cases.json"))}
COUNTS = {"OP": 14, "OF": 11, "OR": 6, "OO": 7, "OM": 3, "OL": 5, "OK": 2}


def test_every_case_is_there_once():
    wanted = [f"{kind}-{n:02}" for kind, most in COUNTS.items() for n in range(1, most + 1)]
    assert [row[0] for row in ROWS] == wanted


@pytest.mark.parametrize("case,_link,_seen,_here,tests", ROWS, ids=[row[0] for row in ROWS])
def test_its_tests_exist(case, _link, _seen, _here, tests):
    named = re.findall(r"`([\w/-]+\.(?:c|py))` `([\w/-]+)`", tests)
    assert named and tests.count("`") == 4 * len(named)
    for file, test in named:
        text = tree.read(file)
        if file.endswith(".py"):
            assert re.search(rf"^def {test}\(", text, re.MULTILINE), f"{file} has no {test}"
        else:
            # A path that ends in / is of tests made in a loop.
            end = "" if test.endswith("/") else '"'
            assert f'"{test}{end}' in text, f"{file} has no {test}"
            if test == "/prompt-cases/":
                assert case in PROMPT_CASES
