# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The program gdino-detect over fake graphs, which find patches of the colour a
prompt names: its lines, pictures, video, messages and exit statuses."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from PIL import Image, ImageDraw

RED, BLUE, GREY = (225, 20, 20), (20, 20, 225), (110, 110, 110)
FIELDS = ["file", "frame", "pts", "width", "height", "prompt", "revision", "detections"]
FRAMES = 20  # of the clip, ten a second
SECOND = 1_000_000_000


def draw(path: pathlib.Path, size=(320, 240), red=(40, 60, 80, 80), blue=None) -> pathlib.Path:
    """A grey picture with patches given as x, y, width, height."""
    image = Image.new("RGB", size, GREY)
    for box, colour in ((red, RED), (blue, BLUE)):
        if box:
            x, y, width, height = box
            ImageDraw.Draw(image).rectangle([x, y, x + width - 1, y + height - 1], fill=colour)
    image.save(path, **({"quality": 95} if path.suffix == ".jpg" else {}))
    return path


def gst_launch(*words: str) -> None:
    """Runs a pipeline that makes a test file."""
    done = subprocess.run(["gst-launch-1.0", "-q", *words], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture(scope="module")
def package(make_package) -> pathlib.Path:
    """The package that most tests use."""
    return make_package()


@pytest.fixture(scope="module")
def clip(tmp_path_factory) -> pathlib.Path:
    """Two seconds of WebM in which a red patch moves 4 pixels a frame."""
    folder = tmp_path_factory.mktemp("clip")
    for number in range(FRAMES):
        draw(folder / f"{number:03}.png", (160, 120), (8 + 4 * number, 40, 40, 40))
    gst_launch(
        *("multifilesrc", f"location={folder}/%03d.png", "caps=image/png,framerate=10/1", "!"),
        *("pngdec", "!", "videoconvert", "!", "vp8enc", "target-bitrate=4000000", "!"),
        *("webmmux", "!", "filesink", f"location={folder}/clip.webm"),
    )
    return folder / "clip.webm"


@pytest.fixture
def run(build_dir, package, tmp_path):
    """Runs the program in tmp_path: (exit status, lines, standard error)."""

    def call(*words, model=package, env=None, prompt="red square. a blue square."):
        command = [build_dir / "apps/gdino-detect", *words]
        command += ["--model", model] if model else []
        command += ["--prompt", prompt] if prompt is not None else []
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={
                **os.environ,
                "GDINO_TORCH_LIB_DIR": str(build_dir / "tests/fakes/torch"),
                **(env or {}),
            },
            capture_output=True,
            timeout=180,
        )
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return done.returncode, lines, done.stderr.decode(errors="replace")

    return call


def near(box: list[int], wanted: tuple[int, int, int, int], pixels: int) -> bool:
    """Whether all edges are where they should be, within some pixels."""
    return all(abs(a - b) <= pixels for a, b in zip(box, wanted))


def test_picture(run, tmp_path):
    draw(tmp_path / "a.png", blue=(200, 100, 70, 100))
    status, lines, err = run("a.png")
    assert (status, err) == (0, "")
    (line,) = lines
    assert list(line) == FIELDS
    assert line["file"] == "a.png"
    assert (line["frame"], line["width"], line["height"]) == (0, 320, 240)
    assert line["prompt"] == "red square. a blue square."
    assert line["revision"] == 1
    assert line["detections"] == [
        {"label": "red square", "score": 0.9, "box": [40, 60, 80, 80]},
        {"label": "a blue square", "score": 0.9, "box": [200, 100, 70, 100]},
    ]


def test_several_files_in_order(run, tmp_path):
    draw(tmp_path / "a.png", red=(0, 0, 30, 20))
    draw(tmp_path / "b.jpg", (641, 479), (101, 51, 201, 99))
    draw(tmp_path / "caf\u00e9 %20.png", (33, 500), red=None)
    status, lines, _ = run("a.png", "b.jpg", "caf\u00e9 %20.png", (tmp_path / "a.png").as_uri())
    assert status == 0
    assert [line["file"] for line in lines][:3] == ["a.png", "b.jpg", "caf\u00e9 %20.png"]
    assert lines[0]["detections"][0]["box"] == [0, 0, 30, 20]
    assert (lines[1]["width"], lines[1]["height"]) == (641, 479)
    assert near(lines[1]["detections"][0]["box"], (101, 51, 201, 99), 4)
    assert lines[2]["detections"] == []
    assert lines[3]["detections"] == lines[0]["detections"]


def test_video(run, clip):
    status, lines, err = run(clip)
    assert (status, err) == (0, "")
    assert [line["frame"] for line in lines] == list(range(FRAMES))
    assert [line["pts"] for line in lines] == [n * SECOND // 10 for n in range(FRAMES)]
    for number, line in enumerate(lines):
        (found,) = line["detections"]
        assert near(found["box"], (8 + 4 * number, 40, 40, 40), 3)


def test_every(run, clip):
    _, lines, _ = run(clip, "--every", "7")
    assert [line["frame"] for line in lines] == [0, 7, 14]
    assert near(lines[1]["detections"][0]["box"], (36, 40, 40, 40), 3)


def test_prompt_changes_on_the_right_frame(run, clip):
    changes = ["--at", "1.5=", "--at", "0.5=Red thing.", "--at", "1=green."]
    status, lines, _ = run(clip, *changes, prompt="blue.")
    assert status == 0
    wanted = 5 * ["blue."] + 5 * ["Red thing."] + 5 * ["green."] + 5 * [""]
    assert [line["prompt"] for line in lines] == wanted
    revisions = [line["revision"] for line in lines]
    assert revisions == sorted(revisions) and len(set(revisions)) == 4
    assert len({(line["prompt"], line["revision"]) for line in lines}) == 4
    for line in lines:
        labels = [found["label"] for found in line["detections"]]
        assert labels == (["Red thing"] if line["prompt"] == "Red thing." else [])


def test_at_alone_and_between_frames(run, clip):
    _, lines, _ = run(clip, "--at", "0.41=red.", prompt=None)
    assert [len(line["detections"]) for line in lines] == 5 * [0] + 15 * [1]


def test_prompt_file(run, tmp_path):
    draw(tmp_path / "a.png")
    (tmp_path / "prompt.txt").write_text("blue box\nred box\n")
    status, lines, _ = run("a.png", "--prompt-path", "prompt.txt", prompt=None)
    assert status == 0
    assert [found["label"] for found in lines[0]["detections"]] == ["red box"]


def test_options_reach_the_decoder(run, tmp_path):
    draw(tmp_path / "a.png", red=(20, 20, 160, 120), blue=(200, 200, 20, 20))

    def boxes(*words):
        status, lines, err = run("a.png", *words)
        assert status == 0, err
        return len(lines[0]["detections"])

    assert boxes() == 2
    assert boxes("--box-threshold", "0.95") == 0
    assert boxes("--box-threshold", "0.85") == 2
    assert boxes("--max-detections", "1") == 1
    assert boxes("--size-threshold", "0.2") == 1
    assert boxes("--nms", "all", "--iou-threshold", "0.1") == 2
    assert boxes("--scoring", "mean") == 2


def test_output_file(run, tmp_path):
    draw(tmp_path / "a.png")
    status, lines, _ = run("a.png", "--output", "lines.jsonl")
    assert (status, lines) == (0, [])
    assert json.loads((tmp_path / "lines.jsonl").read_text())["file"] == "a.png"


def close(pixel: tuple[int, ...], colour: tuple[int, ...]) -> bool:
    """Whether a pixel has a colour, encoders' losses aside."""
    return all(abs(a - b) < 40 for a, b in zip(pixel, colour))


@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_annotated_pictures(run, tmp_path, kind):
    (tmp_path / "other").mkdir()
    draw(tmp_path / "a.png")
    draw(tmp_path / "other" / "a.png", (1280, 960), (160, 240, 320, 320))
    words = ["--annotate", "deep/er", "--picture-format", kind]
    status, _, err = run("a.png", "other/a.png", *words)
    assert (status, err) == (0, "")
    names = sorted(path.name for path in (tmp_path / "deep" / "er").iterdir())
    assert names == [f"a-000000.{kind}", f"a-2-000000.{kind}"]
    for name, scale in zip(names, (2, 4)):  # the small one is drawn at twice its size
        image = Image.open(tmp_path / "deep" / "er" / name).convert("RGB")
        assert image.size == (320 * scale, 240 * scale)
        # The lower line of the box, the patch within it, and grey beyond it.
        assert close(image.getpixel((80 * scale, 140 * scale - 2)), (255, 76, 64)), name
        assert close(image.getpixel((80 * scale, 100 * scale)), RED), name
        assert close(image.getpixel((80 * scale, 150 * scale)), GREY), name
        # The label stands over the box, in the box's colour.
        assert close(image.getpixel((41 * scale, 60 * scale - 4)), (255, 76, 64)), name


def test_annotates_only_frames_looked_at(run, clip, tmp_path):
    run(clip, "--annotate", "out", "--every", "10")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["clip-000000.png", "clip-000010.png"]


def test_annotated_video(run, clip, tmp_path):
    status, lines, err = run(clip, "--video", "out.webm", "--every", "2")
    assert (status, err, len(lines)) == (0, "", FRAMES // 2)
    gst_launch(
        *("filesrc", f"location={tmp_path}/out.webm", "!", "decodebin", "!", "videoconvert", "!"),
        *("pngenc", "!", "multifilesink", f"location={tmp_path}/%03d.png"),
    )
    frames = sorted(tmp_path.glob("[0-9]*.png"))
    assert len(frames) == FRAMES
    for number in (4, 5):  # a frame not looked at shows the boxes of the one before
        image = Image.open(frames[number]).convert("RGB")
        assert image.size == (480, 360)
        assert close(image.getpixel((3 * (24 + 20), 3 * 80 - 2)), (255, 76, 64))


def test_frame_size_changes_in_the_middle(run, tmp_path):
    parts = []
    for name, size in (("a.jpg", (320, 240)), ("b.jpg", (640, 360))):
        data = draw(tmp_path / name, size, (40, 60, 80, 80)).read_bytes()
        head = f"--gap\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
        parts.append(head.encode() + data + b"\r\n")
    (tmp_path / "two.multipart").write_bytes(b"".join(parts) + b"--gap--\r\n")
    status, lines, err = run("two.multipart")
    assert (status, err) == (0, "")
    assert [(line["width"], line["height"]) for line in lines] == [(320, 240), (640, 360)]
    assert all(near(line["detections"][0]["box"], (40, 60, 80, 80), 3) for line in lines)

    status, _, err = run("two.multipart", "--video", "out.webm")
    assert status == 1 and "cannot write out.webm: frames change from" in err


@pytest.mark.parametrize("words", [[], ["--every", "3"]])
def test_batches_change_nothing(run, clip, tmp_path, make_package, words):
    """Two pictures, a video and a broken file, with 1 and with 8 frames a run."""
    draw(tmp_path / "a.png", blue=(200, 100, 70, 100))
    draw(tmp_path / "b.png", (640, 360), (300, 200, 50, 60))
    (tmp_path / "empty.png").write_bytes(b"")
    files = ["a.png", "empty.png", clip, "b.png"]
    changes = ["--at", "0.55=Red thing.", "--at", "1.2=", "--at", "1.5=blue. red."]
    status, lines, err = run(*files, *changes, *words)
    assert status == 1 and len(err.splitlines()) == 1
    for batch in ("2", "8", "64"):
        again = run(*files, *changes, *words, model=make_package("none", "64", batch))
        assert again == (1, lines, err)


def test_batches_are_whole(run, clip, tmp_path, make_package):
    """Of this package the last frame of a batch finds nothing: it shows where batches end."""
    for name in "abcde":
        draw(tmp_path / f"{name}.png")
    files = ["a.png", "b.png", clip, "c.png", "d.png", "e.png"]
    _, lines, _ = run(*files, model=make_package("last-slot", "64", "3"))
    found = [len(line["detections"]) for line in lines]
    assert len(found) == FRAMES + 5
    assert found == [0 if n % 3 == 2 else 1 for n in range(FRAMES + 5)]


def test_batches_draw_each_frame_its_own_boxes(run, clip, tmp_path, make_package):
    model = make_package("none", "64", "4")
    words = ["--video", "out.webm", "--annotate", "out", "--every", "2"]
    status, lines, err = run(clip, *words, model=model)
    assert (status, err, len(lines)) == (0, "", FRAMES // 2)
    assert len(list((tmp_path / "out").iterdir())) == FRAMES // 2
    for number in (0, 8, 18):
        image = Image.open(tmp_path / "out" / f"clip-{number:06}.png")
        assert close(image.getpixel((3 * (8 + 4 * number + 20), 3 * 80 - 2)), (255, 76, 64))
    gst_launch(
        *("filesrc", f"location={tmp_path}/out.webm", "!", "decodebin", "!", "videoconvert", "!"),
        *("pngenc", "!", "multifilesink", f"location={tmp_path}/%03d.png"),
    )
    frames = sorted(tmp_path.glob("[0-9]*.png"))
    assert len(frames) == FRAMES
    for number in (4, 5):  # a frame not looked at shows the boxes of the one before
        image = Image.open(frames[number]).convert("RGB")
        assert close(image.getpixel((3 * (24 + 20), 3 * 80 - 2)), (255, 76, 64))


def test_batches_that_cannot_be_written(run, clip, make_package):
    status, _, err = run(clip, "--output", "/dev/full", model=make_package("none", "64", "4"))
    assert status == 1
    assert "No space left on device" in err and len(err.splitlines()) == 1


def test_summary(run, clip):
    status, _, err = run(clip, "--summary")
    assert status == 0
    assert f"{FRAMES:8} {FRAMES:8}     0.90  red square\n" in err
    assert "       0        0        -  a blue square\n" in err
    assert f"{FRAMES} frames in " in err
    _, _, err = run(clip, "--summary", prompt="green.")
    assert "nothing found: the best score of any box was 0.00" in err


def test_a_bad_file_does_not_stop_the_others(run, tmp_path, clip):
    draw(tmp_path / "a.png")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_text("no picture\n" * 100)
    (tmp_path / "cut.png").write_bytes((tmp_path / "a.png").read_bytes()[:100])
    (tmp_path / "noise.webm").write_bytes(clip.read_bytes()[:40] + bytes(range(256)) * 40)
    gst_launch(
        *("audiotestsrc", "num-buffers=10", "!", "wavenc", "!"),
        *("filesink", f"location={tmp_path}/sound.wav"),
    )
    bad = ["none.png", "empty.png", "text.png", "cut.png", "noise.webm", "sound.wav", "."]
    status, lines, err = run(*bad, "a.png")
    assert status == 1
    assert [line["file"] for line in lines] == ["a.png"]
    complaints = [line for line in err.splitlines() if line.startswith("gdino-detect: ")]
    assert [line.split(": ")[1] for line in complaints] == bad
    assert "none.png: No such file or directory" in err
    assert "sound.wav: has no picture in it" in err
    assert ".: is a folder, not a picture or video" in err


def test_incomplete_video_is_told(run, tmp_path, clip):
    data = clip.read_bytes()
    (tmp_path / "cut.webm").write_bytes(data[: len(data) // 2])
    status, lines, err = run("cut.webm")
    assert status == 0 and 0 < len(lines) < FRAMES
    assert "warning: cut.webm: ends after " in err and "incomplete or damaged" in err


def test_missing_decoder_is_named(run, clip):
    env = {"GST_PLUGIN_FEATURE_RANK": "vp8dec:NONE,avdec_vp8:NONE,vavp8dec:NONE"}
    status, lines, err = run(clip, env=env)
    assert (status, lines) == (1, [])
    assert "GStreamer lacks a VP8 decoder" in err and "gstreamer1.0-plugins-good" in err


def test_model_errors(run, tmp_path, make_package):
    draw(tmp_path / "a.png")
    status, lines, err = run("a.png", "a.png", model="nowhere")
    assert (status, lines) == (1, []) and "nowhere: no such folder" in err
    status, _, err = run("a.png", "--device", "cuda")
    assert status == 1 and "cuda" in err
    status, lines, err = run("a.png", "a.png", model=make_package("run"))
    assert (status, lines) == (1, [])
    assert len(err.splitlines()) == 1, "a failing model is told once, not for each file"


def test_values_that_are_no_numbers(run, tmp_path, make_package):
    draw(tmp_path / "a.png")
    status, lines, err = run("a.png", "--summary", model=make_package("nan"))
    assert status == 0 and lines[0]["detections"] == []
    assert "20 boxes were dropped: the model gave values that are not numbers" in err


def test_prompts_that_do_not_work(run, tmp_path, make_package):
    draw(tmp_path / "a.png")
    status, lines, err = run("a.png", prompt=b"caf\xe9.")
    assert (status, lines) == (2, []) and "not valid UTF-8" in err
    status, lines, err = run("a.png", prompt="x" * 90)
    assert (status, lines) == (2, []) and "text tokens" in err
    status, lines, err = run("a.png", prompt="red. blue. green. a big ball.",
                             model=make_package("none", "8"))
    assert status == 0 and "dropped" in err and "a big ball" in err
    assert len(lines[0]["detections"]) == 1
    status, lines, err = run("a.png", prompt="\u03a9.")
    assert status == 0 and "cannot spell" in err
    status, lines, err = run("a.png", prompt=" . ")
    assert status == 0 and "names nothing to look for" in err
    assert lines[0]["detections"] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no FILE"),
        (["a.png", "--box-threshold", "1.5"], "--box-threshold is 1.5, must be 0 to 1"),
        (["a.png", "--text-threshold", "nan"], "--text-threshold is nan"),
        (["a.png", "--iou-threshold", "-1"], "--iou-threshold is -1"),
        (["a.png", "--size-threshold", "2"], "--size-threshold is 2"),
        (["a.png", "--max-detections", "0"], "--max-detections is 0"),
        (["a.png", "--max-passes", "65"], "--max-passes is 65, must be 1 to 64"),
        (["a.png", "--every", "0"], "--every is 0"),
        (["a.png", "--nms", "some"], '--nms is "some", must be off, phrase or all'),
        (["a.png", "--scoring", "min"], '--scoring is "min", must be max or mean'),
        (["a.png", "--picture-format", "gif"], '--picture-format is "gif"'),
        (["a.png", "--at", "soon=red."], "must be SECONDS=PROMPT"),
        (["a.png", "--at", "-1=red."], "must be SECONDS=PROMPT"),
        (["a.png", "--prompt-path", "x"], "--prompt or --prompt-path, not both"),
        (["a.png", "--video", "v.webm", "b.png"], "--video takes one FILE, 2 are given"),
        (["a.png", "--video", "a.png"], "--video would overwrite a.png"),
        (["a.png", "--sharpen"], "--sharpen"),
    ],
)
def test_usage(run, words, told):
    status, lines, err = run(*words)
    assert (status, lines) == (2, [])
    assert told in err and "--help" in err


def test_what_must_be_given(run):
    status, _, err = run("a.png", model=None)
    assert status == 2 and "no model" in err
    status, _, err = run("a.png", prompt=None)
    assert status == 2 and "nothing to look for" in err
    status, _, err = run("a.png", "--prompt-path", "none.txt", prompt=None)
    assert status == 2 and "none.txt" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--output", "no/such/folder"], "cannot write no/such/folder"),
        (["--output", "/dev/full"], "No space left on device"),
        (["--annotate", "a.png/x"], "cannot make the folder a.png/x"),
        (["--video", "no/video.webm"], "cannot write no/video.webm"),
    ],
)
def test_places_that_cannot_be_written(run, tmp_path, words, told):
    draw(tmp_path / "a.png")
    status, _, err = run("a.png", *words)
    assert status == 1
    assert told in err and len(err.splitlines()) == 1


def test_help_and_version(build_dir):
    program = build_dir / "apps/gdino-detect"
    text = subprocess.run([program, "--help"], capture_output=True, check=True).stdout.decode()
    assert "Examples:" in text and "Exit status" in text and "--at=SECONDS=TEXT" in text
    text = subprocess.run([program, "--version"], capture_output=True, check=True).stdout.decode()
    assert text.startswith("gdino-detect ")


def test_example_change_prompt(build_dir, plugin_env, package, clip, tmp_path):
    env = {**plugin_env, "GDINO_TORCH_LIB_DIR": str(build_dir / "tests/fakes/torch")}
    command = [build_dir / "examples/change-prompt", package, clip, tmp_path / "out.webm"]
    done = subprocess.run(
        [*command, "0=blue.", "1=red thing."], env=env, capture_output=True, timeout=180
    )
    assert done.returncode == 0, done.stderr.decode()
    assert f"{FRAMES} frames, {FRAMES // 2} boxes" in done.stdout.decode()
    assert (tmp_path / "out.webm").stat().st_size > 1000
