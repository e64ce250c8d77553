# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""camera, four-streams and change-prompt: what they print, record and refuse."""

import re
import signal

import pytest
from driven import RED_BAR, boxes_of, frames_of, is_black, near, near_colour
from PIL import Image


def test_camera_help_teaches(example):
    shown = example("camera", "--help").stdout
    for word in ("--source", "--output", "--headless", "--frames", "rtsp://", "Ctrl-D", "period"):
        assert word in shown, word


@pytest.mark.parametrize(
    "words, complaint",
    [
        ([], "MODEL"),
        (["m", "p", "x"], "MODEL"),
        (["--frames", "-1", "m"], "--frames"),
        (["--nonsense", "m"], "--nonsense"),
    ],
)
def test_camera_refuses(example, words, complaint):
    done = example("camera", *words, status=2)
    assert complaint in done.stderr


def test_camera_without_the_file_or_the_model(example, package):
    done = example("camera", "--source", "none.webm", "--headless", package, status=1)
    assert "none.webm" in done.stderr
    done = example("camera", "--source", "test", "--headless", "--frames", 1, "none", "red.",
                   status=1)
    assert "none" in done.stderr


def test_camera_prints_boxes(example, package):
    done = example("camera", "--source", "test", "--headless", "--boxes", "--every-frame",
                   "--frames", 4, package, "red.")
    found = boxes_of(done.stdout)
    frames = int(re.search(r"^(\d+) frames", done.stdout, re.MULTILINE).group(1))
    # Frames for which there is no time are dropped in front of the model.
    assert 1 <= len(found) == frames <= 4
    assert all(label == "red" and near(box, RED_BAR, 3) for label, box in found), done.stdout


def test_camera_takes_what_is_typed(build_dir, package, typist):
    camera = typist(build_dir / "examples/camera", "--source", "test", "--headless", "--boxes",
                    package, "red.")
    camera.wait_for(r"looking for red \(prompt \d+, 4 of 64 tokens\)")
    camera.wait_for(r" s: red 0\.90")
    camera.type("yellow. a green square.")
    camera.wait_for(r"looking for yellow \| a green square ")
    camera.wait_for(r" s: yellow 0\.90")
    camera.wait_for(r" s: a green square 0\.90")
    camera.type("---")
    camera.wait_for(r"^box-threshold: 0\.20$")
    camera.type("+")
    camera.wait_for(r"^box-threshold: 0\.25$")
    camera.type(">>")
    camera.wait_for(r"^text-threshold: 0\.35$")
    camera.type("<")
    camera.wait_for(r"^text-threshold: 0\.30$")
    camera.type("+" * 20)
    camera.wait_for(r"^box-threshold: 1\.00$")
    camera.type("s")
    assert int(camera.wait_for(r"^\d+ frames, (\d+) looked at, best").group(1)) > 0
    camera.type("?")
    camera.wait_for("Ctrl-D")
    camera.type("zzz " * 40 + ". red.")
    camera.wait_for(r"^warning: ")
    camera.type("")
    camera.type("q")
    camera.wait_for(r"^\d+ frames, \d+ boxes$")
    assert camera.end() == 0


@pytest.mark.parametrize("how", ["end of input", signal.SIGINT, signal.SIGTERM])
def test_camera_ends_well(build_dir, package, typist, tmp_path, how):
    camera = typist(build_dir / "examples/camera", "--source", "test", "--headless", "--boxes",
                    "--output", "found.webm", package, "red.")
    camera.wait_for(" s: red")
    if how == "end of input":
        camera.process.stdin.close()
    else:
        camera.process.send_signal(how)
    camera.wait_for(r"^\d+ frames")
    assert camera.end() == 0
    assert frames_of(tmp_path / "found.webm", tmp_path)


def test_camera_draws(example, package, tmp_path, root):
    Image.new("RGB", (320, 240), (230, 20, 20)).save(tmp_path / "red.png")
    done = example("camera", "--source", "red.png", "--headless", "--output", "found.webm",
                   package, "red.")
    assert re.search(r"^1 frames, 1 boxes$", done.stdout, re.MULTILINE)
    if "nobody" in done.stdout:
        pytest.skip("built without cairo, and GStreamer has no objectdetectionoverlay")
    (frame,) = frames_of(tmp_path / "found.webm", tmp_path)
    assert frame.size == (320, 240)
    red = sum(near_colour(pixel, (230, 20, 20)) for pixel in frame.getdata())
    # Outline, label and prompt cover some of the picture, and not most of it.
    assert 0.5 < red / (320 * 240) < 0.98


def test_four_streams(example, package, tmp_path):
    done = example("four-streams", "--source", "test", "--frames", 5, "--output", "all.webm",
                   package, "red.", "yellow.", "green.", "cyan.")
    lines = re.findall(
        r'^detector(\d): "(\w+)\.": (\d+) frames, (\d+) boxes; .* engine: (\d+)$',
        done.stdout,
        re.MULTILINE,
    )
    assert [line[:2] for line in lines] == [
        ("0", "red"), ("1", "yellow"), ("2", "green"), ("3", "cyan")
    ]
    # One engine: each of the four texts was understood once, and all know it.
    assert {line[4] for line in lines} == {"4"}, done.stdout
    assert all(int(line[3]) > 0 for line in lines), done.stdout
    frames = frames_of(tmp_path / "all.webm", tmp_path)
    assert frames and frames[-1].size == (1280, 720)
    # Bars stand beside the picture in each tile; the picture itself is not black.
    for x, y in ((0, 0), (640, 0), (0, 360), (640, 360)):
        assert is_black(frames[-1].getpixel((x + 40, y + 180)))
        assert not is_black(frames[-1].getpixel((x + 320, y + 120)))


def test_four_streams_of_four_files(example, package, tmp_path):
    words = []
    for number, colour in enumerate(((230, 20, 20), (20, 230, 20), (20, 20, 230), (20, 230, 230))):
        Image.new("RGB", (320, 180), colour).save(tmp_path / f"{number}.png")
        words += ["--source", f"{number}.png"]
    done = example("four-streams", *words, "--output", "all.webm", package,
                   "red.", "red. green.", "red.", "cyan.")
    counts = re.findall(r": (\d+) frames, (\d+) boxes;", done.stdout)
    assert counts == [("1", "1"), ("1", "1"), ("1", "0"), ("1", "1")]


@pytest.mark.parametrize("words", [["m", "a.", "b.", "c."], ["m"] + ["a."] * 5, ["--frames", "-2"]])
def test_four_streams_refuses(example, words):
    example("four-streams", *words, status=2)


def test_change_prompt(example, package, tmp_path):
    Image.new("RGB", (320, 240), (230, 20, 20)).save(tmp_path / "red.png")
    done = example("change-prompt", package, "red.png", "found.webm", "0=blue.", "0=red.")
    assert "1 frames, 1 boxes" in done.stdout
    assert "looking for red" in done.stdout
    assert frames_of(tmp_path / "found.webm", tmp_path)[0].size == (320, 240)
