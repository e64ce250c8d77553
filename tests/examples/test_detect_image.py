# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""detect-image: the library without GStreamer; with the default model beside gdino-detect."""

import json
import subprocess

import pytest
from driven import near
from PIL import Image


@pytest.fixture
def detect_image(build_dir, example):
    if not (build_dir / "examples" / "detect-image").exists():
        pytest.skip("built without gdk-pixbuf")
    return lambda *words, **more: example("detect-image", *words, **more)


@pytest.mark.parametrize("size", [(320, 240), (100, 400), (900, 30), (7, 5)])
def test_detect_image(detect_image, package, tmp_path, size):
    width, height = size
    image = Image.new("RGB", size, (110, 110, 110))
    patch = (width // 4, height // 5, max(1, width // 2), max(1, height // 2))
    image.paste((225, 20, 20), (patch[0], patch[1], patch[0] + patch[2], patch[1] + patch[3]))
    image.save(tmp_path / "a b.png")
    shown = json.loads(detect_image(package, "a b.png", "red square. a blue square.").stdout)
    assert (shown["file"], shown["prompt"]) == ("a b.png", "red square. a blue square.")
    (found,) = shown["detections"]
    assert found["label"] == "red square" and abs(found["score"] - 0.9) < 0.01
    # The canvas is 448x256: one of its pixels is this many of the picture's.
    assert near(found["box"], patch, 1 + 2 * max(1, width // 448, height // 256))


def test_detect_image_upright_and_opaque(detect_image, package, tmp_path):
    image = Image.new("RGB", (200, 100), (110, 110, 110))
    image.paste((225, 20, 20), (0, 0, 40, 40))
    exif = Image.Exif()
    exif[0x0112] = 6  # shown after a turn to the right
    image.save(tmp_path / "a.jpg", exif=exif, quality=95)
    (found,) = json.loads(detect_image(package, "a.jpg", "red.").stdout)["detections"]
    assert near(found["box"], (60, 0, 40, 40), 4)

    glass = Image.new("RGBA", (200, 100), (225, 20, 20, 0))
    glass.paste((225, 20, 20, 255), (100, 50, 150, 80))
    glass.save(tmp_path / "a.png")
    (found,) = json.loads(detect_image(package, "a.png", "red.").stdout)["detections"]
    assert near(found["box"], (100, 50, 50, 30), 3)


def test_detect_image_thresholds_and_warnings(detect_image, make_package, package, tmp_path):
    Image.new("RGB", (64, 64), (225, 20, 20)).save(tmp_path / "a.png")
    done = detect_image("--box-threshold", 0.95, package, "a.png", "red.")
    assert json.loads(done.stdout)["detections"] == []
    small = make_package("none", "8")
    done = detect_image(small, "a.png", "red. a big square of a car. blue.")
    assert "a big square of a car" in done.stderr


@pytest.mark.parametrize(
    "words, complaint, status",
    [
        (["{package}"], "MODEL", 2),
        (["nowhere", "a.png", "red."], "nowhere", 1),
        (["{package}", "nothing.png", "red."], "nothing.png", 1),
        (["{package}", "text.png", "red."], "text.png", 1),
        (["--box-threshold", "7", "{package}", "a.png", "red."], "box", 1),
        (["--device", "tpu", "{package}", "a.png", "red."], "tpu", 1),
    ],
)
def test_detect_image_refuses(detect_image, package, tmp_path, words, complaint, status):
    Image.new("RGB", (64, 64), (225, 20, 20)).save(tmp_path / "a.png")
    (tmp_path / "text.png").write_text("no picture")
    done = detect_image(*(word.format(package=package) for word in words), status=status)
    assert complaint in done.stderr and done.stdout == ""


def test_detect_image_is_gdino_detect(build_dir, root, default_package, plugin_env):
    """Two ways of reading and scaling the same picture, the same objects. Their colours
    differ by 2 of 255 on average, which moves a box that the model is not sure of."""
    program = build_dir / "examples" / "detect-image"
    if not program.exists():
        pytest.skip("built without gdk-pixbuf")
    picture, prompt = str(root / "tests/data/still.jpg"), "sheep. bison."
    results = [
        json.loads(
            subprocess.run(command, env=plugin_env, stdout=subprocess.PIPE, text=True, check=True,
                           timeout=900).stdout
        )["detections"]
        for command in (
            [program, default_package, picture, prompt],
            ["gdino-detect", "--model", default_package, "--prompt", prompt, picture],
        )
    ]
    ours, theirs = ({one["label"]: one for one in found} for found in results)
    assert set(ours) == set(theirs) == {"sheep", "bison"}
    assert [len(found) for found in results] == [2, 2]
    assert near(ours["sheep"]["box"], theirs["sheep"]["box"], 4)
    assert near(ours["bison"]["box"], theirs["bison"]["box"], 16)
    for label, one in ours.items():
        assert abs(one["score"] - theirs[label]["score"]) < 0.06
