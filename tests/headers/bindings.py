# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Finds colours through the library's introspection data, as a user of Python would.

    bindings.py PACKAGE

PACKAGE is one of fake graphs. Run by the system's Python, which has PyGObject.
"""

import sys

import gi

gi.require_version("Gdino", "1.0")
from gi.repository import Gdino, GLib  # noqa: E402


def main(folder: str) -> None:
    """Prints what a program would look at."""
    package = Gdino.Package.open(folder)
    width, height = package.get_canvas()
    print("canvas", width, height)
    print("thresholds", *(f"{value:.2f}" for value in package.get_thresholds()))

    engine = Gdino.Engine.get(package, "auto")
    detector = Gdino.Detector.new(engine)
    prompt = detector.make_prompt("a red. blue.")
    print("phrases", *(prompt.get_phrase(i).text for i in range(prompt.get_n_phrases())))
    print("dropped", prompt.get_dropped(), "duplicates", prompt.get_duplicates())

    pixels = bytearray([110]) * (width * height * 3)
    for y in range(40, 100):
        for x in range(60, 160):
            pixels[(y * width + x) * 3 : (y * width + x) * 3 + 3] = bytes((230, 20, 20))
    letterbox = Gdino.Letterbox()
    letterbox.init(width, height, 1, 1, width, height)
    params = Gdino.DecodeParams()
    params.init()
    params.nms = Gdino.Nms.ALL
    canvas = GLib.Bytes.new(bytes(pixels))
    found, timings = detector.detect_bytes(canvas, 3 * width, letterbox, prompt, params)
    for i in range(found.get_n()):
        box = found.get(i)
        print("box", found.get_label(i), box.x, box.y, box.width, box.height)
        assert 0 < box.score <= 1 and box.n_classes == len(box.classes)
    print("stats", found.get_stats().n_queries > 0, timings.graph_us >= 0)
    assert found.get_prompt().get_revision() == prompt.get_revision()

    # Parts outlive what they are part of.
    phrase, box, stats = prompt.get_phrase(1), found.get(0), found.get_stats()
    del prompt, found
    for text in ("green.", "white. black.", "yellow. cyan. magenta."):
        detector.make_prompt(text)
    print("kept", phrase.text, box.width, len(box.classes), stats.n_queries > 0)
    prompt = detector.make_prompt("a red.")

    # More phrases than fit, in as many passes as it takes.
    words = ("car", "cat", "dog", "ball", "box", "person", "remote", "control", "flag", "big")
    names = [f"{one} {two}" for one in words for two in words] + ["a red"]
    split = detector.make_prompt_split(". ".join(names) + ".", 64)
    params.nms = Gdino.Nms.PHRASE
    found, timings = detector.detect_bytes(canvas, 3 * width, letterbox, split, params)
    print("split", split.get_n_passes() > 1, split.get_n_phrases(), split.get_dropped(),
          *(found.get_label(i) for i in range(found.get_n())))  # fmt: skip

    for what, call in (
        ("folder", lambda: Gdino.Package.open(folder + "/none")),
        ("device", lambda: Gdino.Engine.get(package, "gpu")),
        ("bytes", lambda: detector.detect_bytes(
            GLib.Bytes.new(b"few"), 3 * width, letterbox, prompt, params)),
    ):  # fmt: skip
        try:
            call()
        except GLib.Error as error:
            print("error", what, error.matches(Gdino.error_quark(), error.code), error.code)


if __name__ == "__main__":
    main(sys.argv[1])
