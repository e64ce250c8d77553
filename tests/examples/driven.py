# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""A running program that is typed to, what it prints, and the pictures it makes."""

import queue
import re
import subprocess
import threading

import pytest
from PIL import Image

LIMIT = 120  # seconds, for what takes one
# GStreamer's colour bars at 640x480: the red one, as x, y, width, height.
RED_BAR = (456, 0, 92, 321)
BOX_LINE = re.compile(r"^\d+\.\d{3} s: (.+) (\d\.\d\d) at (\d+),(\d+) (\d+)x(\d+)$")


class Typist:
    """A running program: types lines, and waits for those it prints."""

    def __init__(self, command: list, env: dict, folder):
        self.process = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )
        self.lines: queue.Queue = queue.Queue()
        self.seen: list[str] = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def type(self, line: str) -> None:
        self.process.stdin.write(f"{line}\n")

    def wait_for(self, pattern: str) -> re.Match:
        """The next line in which the pattern is found."""
        while (line := self.lines.get(timeout=LIMIT)) is not None:
            self.seen.append(line)
            if found := re.search(pattern, line):
                return found
        pytest.fail(f"ended before {pattern!r}:\n" + "\n".join(self.seen))

    def end(self) -> int:
        """Its exit status, once it has ended by itself."""
        try:
            return self.process.wait(LIMIT)
        finally:
            self.close()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


def near(box, wanted, pixels: int) -> bool:
    """Whether all edges are where they should be, within some pixels."""
    return all(
        abs(a - b) <= pixels
        for a, b in zip(
            (box[0], box[1], box[0] + box[2], box[1] + box[3]),
            (wanted[0], wanted[1], wanted[0] + wanted[2], wanted[1] + wanted[3]),
        )
    )


def boxes_of(text: str) -> list[tuple]:
    """(label, box) of the lines that tell of boxes."""
    found = [match for line in text.splitlines() if (match := BOX_LINE.match(line))]
    return [(match.group(1), tuple(int(match.group(i)) for i in range(3, 7))) for match in found]


def frames_of(video, folder) -> list[Image.Image]:
    """The pictures of a video file."""
    done = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={video}", "!", "decodebin", "!"]
        + ["videoconvert", "!", "pngenc", "!", "multifilesink", f"location={folder}/frame%03d.png"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stdout.decode()
    return [Image.open(path).convert("RGB") for path in sorted(folder.glob("frame*.png"))]


def is_black(pixel) -> bool:
    return max(pixel) < 40


def near_colour(pixel, wanted) -> bool:
    return all(abs(a - b) < 40 for a, b in zip(pixel, wanted))
