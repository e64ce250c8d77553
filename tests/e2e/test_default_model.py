# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The default model, compiled for this machine, finds what real pictures show."""

import subprocess

import expected
import pytest


@pytest.fixture(scope="module")
def detect(build_dir, default_package, plugin_env):
    """Runs gdino-detect with the default model on a picture."""
    program = str(build_dir / "apps" / "gdino-detect")
    return lambda picture: expected.detect(program, default_package, picture, plugin_env)


def test_the_match_can_fail():
    thing = expected.Thing("cat", (10.0, 10.0, 100.0, 50.0))
    right = {"label": "cat", "score": 0.5, "box": [12, 9, 100, 50]}
    assert expected.found(thing, [right])
    assert not expected.found(thing, [])
    assert not expected.found(thing, [{**right, "label": "dog"}])
    assert not expected.found(thing, [{**right, "box": [100, 9, 100, 50]}])


def test_still(root, detect):
    pictures = expected.read(root / "tests" / "data" / "still.json")
    assert sum(len(picture.things) for picture in pictures) >= 2
    assert not [text for picture in pictures for text in expected.missed(picture, detect(picture))]


def test_clip(root, detect):
    pictures = expected.read(root / "demo" / "expected.json")
    things = [thing for picture in pictures for thing in picture.things]
    frames = [(picture, detect(picture)) for picture in pictures]
    missing = [text for picture, found in frames for text in expected.missed(picture, found)]
    assert len({thing.phrase for thing in things}) >= 2
    # Most of the objects in most of the frames, and each kind somewhere.
    assert 2 * len(missing) < len(things), "\n".join(missing)
    for phrase in {thing.phrase for thing in things}:
        assert any(
            expected.found(thing, found.get(thing.frame, []))
            for picture, found in frames
            for thing in picture.things
            if thing.phrase == phrase
        ), f"no {phrase} was found in any frame"


def test_photographs_more_often_than_not(root, detect):
    pictures = expected.read(root / "tests" / "data" / "photos" / "expected.json")
    things = [thing for picture in pictures for thing in picture.things]
    missing = [text for picture in pictures for text in expected.missed(picture, detect(picture))]
    assert len(things) >= 8
    assert 2 * len(missing) < len(things), (
        f"{len(missing)} of {len(things)} not found:\n" + "\n".join(missing)
    )


def test_element_in_a_pipeline(root, default_package, plugin_env):
    picture = expected.read(root / "tests" / "data" / "still.json")[0]
    done = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={picture.path}", "!", "decodebin", "!"]
        + ["videoconvert", "!", "groundingdino", f"model={default_package}"]
        + [f"prompt={picture.prompt}", "!", "fakesink"],
        env=plugin_env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    assert "ERROR" not in done.stdout and "WARNING" not in done.stdout, done.stdout
