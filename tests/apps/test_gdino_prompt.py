# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The program gdino-prompt: its JSON, its hints and its exit statuses."""

from __future__ import annotations

import json
import pathlib
import subprocess

import pytest

MEMBERS = [
    *("prompt", "text_tokens", "used_tokens", "phrases", "duplicates", "dropped"),
    *("unknown_words", "pieces", "ids", "positions", "groups"),
]


@pytest.fixture(scope="module")
def package(build_dir: pathlib.Path, tmp_path_factory) -> pathlib.Path:
    """A package of fake graphs with a small vocabulary and 64 text tokens."""
    command = [build_dir / "tests/tools/fake-package", tmp_path_factory.mktemp("package")]
    environment = {"GDINO_FAKES_DIR": str(build_dir / "tests/fakes")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return pathlib.Path(done.stdout.decode().strip())


@pytest.fixture
def run(build_dir: pathlib.Path):
    """Runs the program: (exit status, standard output, standard error)."""

    def call(*arguments, text: bytes = b"", **more) -> tuple[int, str, str]:
        command = [build_dir / "apps/gdino-prompt", *arguments]
        done = subprocess.run(command, input=text, capture_output=True, timeout=60, **more)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return call


def test_members(run, package):
    status, out, err = run(package, "Red cats. a dog?")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert list(found) == MEMBERS
    assert found["prompt"] == "Red cats. a dog?"
    assert found["text_tokens"] == 64
    assert found["used_tokens"] == 10
    assert found["pieces"] == ["[CLS]", "red", "cat", "##s", ".", "a", "dog", "?", ".", "[SEP]"]
    assert found["positions"] == [0, 0, 1, 2, 3, 0, 1, 2, 0, 0]
    assert found["groups"] == [[0, 1], [1, 5], [5, 8], [8, 9], [9, 10]]
    assert len(found["ids"]) == 10
    assert found["phrases"] == [
        {
            "text": "Red cats",
            "bytes": [0, 8],
            "tokens": [1, 4],
            "pieces": ["red", "cat", "##s"],
            "unknown": 0,
        },
        {
            "text": "a dog",
            "bytes": [10, 15],
            "tokens": [5, 7],
            "pieces": ["a", "dog"],
            "unknown": 0,
        },
    ]
    assert (found["duplicates"], found["dropped"], found["unknown_words"]) == ([], [], [])


def test_passes(run, package):
    """Phrases that do not fit go into further contexts, or are dropped with a hint."""
    names = [f"red cats {'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}" for i in range(40)]
    text = ". ".join(names) + "."
    found = json.loads(run("--max-passes", "64", package, text)[1])
    assert "ids" not in found and found["dropped"] == []
    assert len(found["passes"]) > 2
    assert [p["text"] for each in found["passes"] for p in each["phrases"]] == names
    for each in found["passes"]:
        assert each["used_tokens"] == len(each["ids"]) == len(each["positions"]) <= 64
        first = each["phrases"][0]
        assert each["pieces"][slice(*first["tokens"])] == first["pieces"]
        alone = json.loads(run(package, ". ".join(p["text"] for p in each["phrases"]))[1])
        assert alone["ids"] == each["ids"] and alone["groups"] == each["groups"]
    status, out, err = run("--max-passes", "2", package, text)
    assert (status, len(json.loads(out)["passes"])) == (0, 2) and "dropped" in err
    for bad in ("0", "-1", "65"):
        status, _, err = run("--max-passes", bad, package, text)
        assert status == 1 and "passes asked for, wanted 1 to 64" in err


def test_compact(run, package):
    status, out, _ = run("--compact", package, "a cat. red car.")
    assert status == 0
    assert out.count("\n") == 1
    assert json.loads(out) == json.loads(run(package, "a cat. red car.")[1])


def test_pretty_arrays_are_lines(run, package):
    _, out, _ = run(package, 'a "[cat], {dog}\\". car')
    lines = [line.strip() for line in out.splitlines()]
    assert '"tokens" : [1, 12],' in lines
    assert json.loads(out)["phrases"][0]["text"] == 'a "[cat], {dog}\\"'


@pytest.mark.parametrize("control", [chr(c) for c in range(1, 0x20)] + ["\x7f"])
def test_control_characters_are_valid_json(run, package, control):
    status, out, _ = run(package, f"red{control}cat.")
    assert status == 0
    assert json.loads(out)["prompt"] == f"red{control}cat."


def test_standard_input(run, package):
    status, out, err = run(package, "-", text=b"a cat.\n  a dog.\n")
    assert (status, err) == (0, "")
    assert [phrase["text"] for phrase in json.loads(out)["phrases"]] == ["a cat", "a dog"]


def test_any_locale(run, package):
    text = "Caf\u00e9. \U0001f408."
    for locale in ("C", "C.UTF-8"):
        status, out, err = run(package, text, env={"LC_ALL": locale})
        assert status == 0
        labels = [phrase["text"] for phrase in json.loads(out)["phrases"]]
        assert labels == ["Caf\u00e9", "\U0001f408"]
        assert '"\U0001f408"' in err


@pytest.mark.parametrize(
    "text, hint",
    [
        ("cat; dog", "phrase \"cat; dog\" holds ';', which is part of the phrase"),
        ("a cat, a dog.", "phrase \"a cat, a dog\" holds ',', which is part of the phrase"),
        ("cat|dog", "holds '|'"),
        ("cat\ndog", 'phrase "cat dog" holds a line break'),
        ("cat\u3002dog\u3002", "holds an ideographic full stop"),
        ("", "the prompt has no phrase"),
        (" . ", "the prompt has no phrase"),
        ("Cat. cat. CAT.", 'same as an earlier phrase: "cat", "CAT"'),
        ("42 cats.", 'not in the vocabulary, the model cannot know it: "42"'),
        ("a cat. " * 30, 'no room in 64 text tokens, dropped: "a cat", "a cat"'),
    ],
)
def test_hints(run, package, text, hint):
    status, out, err = run(package, text)
    assert status == 0
    assert json.loads(out)["prompt"] == text
    assert hint in err
    assert all(line.startswith("gdino-prompt: ") for line in err.splitlines())


@pytest.mark.parametrize("text", ["1,000 cats. a dog", "a cat. dog", "cat?"])
def test_no_hint_about_separators(run, package, text):
    assert "part of the phrase" not in run(package, text)[2]


@pytest.mark.parametrize(
    "text, message",
    [
        (b"caf\xe9", "prompt is not valid UTF-8: byte 0xe9 at offset 3"),
        (b"red " * 100, "needs 103 text tokens with its delimiter, [CLS] and [SEP]"),
        (b"cat\0dog", "standard input: NUL byte at offset 3"),
        (b"a" * 1048577, "standard input: more than 1048576 bytes"),
    ],
)
def test_bad_prompt(run, package, text, message):
    status, out, err = run(package, "-", text=text)
    assert (status, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_bad_prompt_as_argument(run, package):
    status, out, err = run(package, b"caf\xe9")
    assert (status, out) == (1, "")
    assert "byte 0xe9 at offset 3" in err


def test_bad_package(run, tmp_path):
    missing = tmp_path / "missing"
    status, out, err = run(missing, "a cat.")
    assert (status, out) == (1, "")
    assert str(missing) in err
    status, out, err = run(tmp_path, "a cat.")
    assert (status, out) == (1, "")
    assert str(tmp_path) in err


def test_unwritable_output(run, build_dir, package):
    with open("/dev/full", "wb") as full:
        command = [build_dir / "apps/gdino-prompt", package, "a cat."]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"standard output: No space left on device" in done.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "PACKAGE is missing"),
        (["folder"], "TEXT is missing"),
        (["folder", "a", "cat"], "put a prompt with blanks in quotes"),
        (["--nonsense", "folder", "cat"], "--nonsense"),
    ],
)
def test_usage(run, arguments, message):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "--help" in err


def test_help_and_version(run):
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    for word in ["PACKAGE TEXT", "--compact", "Examples:", "Exit status", *MEMBERS]:
        assert word in out
    status, out, err = run("--version")
    assert (status, err) == (0, "")
    assert out.startswith("gdino-prompt 0.")
