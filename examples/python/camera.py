#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Finds objects in a camera's picture, prints them, and takes new prompts meanwhile.

    camera.py [--source SOURCE] [--frames N] MODEL [PROMPT]

MODEL is the folder of a compiled package; PROMPT names objects, each with a period
behind it. Type another prompt and press Enter to look for something else from the
next frame on; q quits. Needs PyGObject and GStreamer's introspection data: in Debian
python3-gi, gir1.2-gst-plugins-base-1.0, and for GstAnalytics (GStreamer 1.24 or
newer) gir1.2-gst-plugins-bad-1.0.
"""

import argparse
import os
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402

try:
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GstAnalytics
except (ImportError, ValueError):
    GstAnalytics = None  # GStreamer before 1.24, or its data is not installed


def source_text(source: str) -> str:
    """Elements that give raw video."""
    if source == "camera":
        return "autovideosrc"
    if source == "test":
        return "videotestsrc is-live=true ! video/x-raw,width=640,height=480,framerate=30/1"
    uri = source if Gst.Uri.from_string(source).get_scheme() else Gst.filename_to_uri(source)
    return f'uridecodebin uri="{uri}"'


def read_analytics(buffer: Gst.Buffer) -> list[tuple]:
    """(label, score, x, y, width, height) of all boxes, from GstAnalytics."""
    boxes = []
    meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
    for index in range(GstAnalytics.relation_get_length(meta) if meta else 0):
        found, box = meta.get_od_mtd(index)
        if found:
            _, x, y, width, height, score = box.get_location()
            boxes.append((GLib.quark_to_string(box.get_obj_type()), score, x, y, width, height))
    return boxes


def read_regions(buffer: Gst.Buffer) -> list[tuple]:
    """The same from the regions of interest.

    Python can ask for a region by its id only; groundingdino counts ids from 0.
    """
    boxes = []
    while region := GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, len(boxes)):
        detection = region.get_param("detection")
        _, score = detection.get_double("confidence")
        boxes.append((detection.get_string("label"), score, region.x, region.y, region.w, region.h))
    return boxes


class App:
    """A pipeline, and what is typed while it plays."""

    def __init__(self, arguments: argparse.Namespace):
        self.loop = GLib.MainLoop()
        self.failed = False
        self.frames = 0
        self.limit = arguments.frames
        self.read = read_analytics if GstAnalytics else read_regions
        # A camera does not wait for the model: frames that are old then go.
        self.pipeline = Gst.parse_launch(
            f"{source_text(arguments.source)} ! videoconvert ! "
            "queue leaky=downstream max-size-buffers=1 ! "
            "groundingdino name=detector ! fakesink sync=false"
        )
        self.detector = self.pipeline.get_by_name("detector")
        self.detector.set_property("model", arguments.model)
        self.detector.set_property("prompt", arguments.prompt)
        pad = self.detector.get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.BUFFER, self.on_frame)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def on_frame(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        """In the streaming thread: a frame has been looked at."""
        buffer = info.get_buffer()
        for label, score, x, y, width, height in self.read(buffer):
            print(f"{buffer.pts / 1e9:.3f} s: {label} {score:.2f} at {x},{y} {width}x{height}")
        self.frames += 1
        if self.frames == self.limit:
            GLib.idle_add(self.loop.quit)
        return Gst.PadProbeReturn.OK

    def on_message(self, bus: Gst.Bus, message: Gst.Message) -> None:
        """In the main thread."""
        structure = message.get_structure()
        if message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.ERROR:
            print(f"error: {message.parse_error()[0].message}", file=sys.stderr)
            self.failed = True
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            print(f"warning: {message.parse_warning()[0].message}", file=sys.stderr)
        elif structure and structure.get_name() == "groundingdino-prompt":
            _, revision = structure.get_uint64("revision")
            print(f"prompt {revision}: {structure.get_string('prompt')}")

    def on_input(self, descriptor: int, condition: GLib.IOCondition) -> bool:
        """Something was typed, or the input has ended."""
        line = sys.stdin.readline()
        if not line or line.strip() == "q":
            if line or os.isatty(descriptor):
                self.loop.quit()
            return GLib.SOURCE_REMOVE
        if line.strip():
            self.detector.set_property("prompt", line.strip())
        return GLib.SOURCE_CONTINUE

    def run(self) -> int:
        """Plays to the end; the program's exit status."""
        conditions = GLib.IOCondition.IN | GLib.IOCondition.HUP
        GLib.unix_fd_add_full(0, sys.stdin.fileno(), conditions, self.on_input)
        GLib.unix_signal_add(0, signal.SIGINT, self.loop.quit)
        if self.pipeline.set_state(Gst.State.PLAYING) != Gst.StateChangeReturn.FAILURE:
            self.loop.run()
        elif message := self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR):
            self.on_message(None, message)
        self.pipeline.set_state(Gst.State.NULL)
        print(f"{self.frames} frames")
        return 1 if self.failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default="camera",
                        help="camera (the default), test (colour bars), a file or a URI")
    parser.add_argument("--frames", type=int, default=0, metavar="N", help="end after N frames")
    parser.add_argument("model", metavar="MODEL", help="folder of a compiled package")
    parser.add_argument("prompt", metavar="PROMPT", nargs="?", default="",
                        help='what to look for, such as "a face. a cup."')
    arguments = parser.parse_args()
    Gst.init(None)
    sys.stdout.reconfigure(line_buffering=True)
    return App(arguments).run()


if __name__ == "__main__":
    sys.exit(main())
