# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What gdino-compile tells while it works."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """Stages on standard error: a bar on a terminal, lines elsewhere, nothing when quiet."""

    def __init__(self, quiet: bool, stages: int) -> None:
        self.bar = None
        self.quiet = quiet
        self.stages = stages
        self.done = 0
        self.doing: str | None = None
        """The stage under way, or the one that failed."""
        self.stop = threading.Event()
        if not quiet and sys.stderr.isatty():
            from tqdm import tqdm

            form = "{desc:<34} {bar} {n_fmt}/{total_fmt} [{elapsed}]"
            self.bar = tqdm(total=stages, bar_format=form)
            # One stage may take minutes: keep the clock moving.
            self.clock = threading.Thread(target=self._tick, daemon=True)
            self.clock.start()

    def _tick(self) -> None:
        while not self.stop.wait(1.0):
            self.bar.refresh()

    @contextmanager
    def stage(self, text: str) -> Iterator[None]:
        """One stage; counted when it ends well."""
        start = time.monotonic()
        self.doing = text
        if self.bar is not None:
            self.bar.set_description_str(text)
        elif not self.quiet:
            print(f"[{self.done + 1}/{self.stages}] {text}", end="", file=sys.stderr, flush=True)
        try:
            yield
        except BaseException:
            if self.bar is None and not self.quiet:
                print(file=sys.stderr)
            raise
        self.done += 1
        self.doing = None
        if self.bar is not None:
            self.bar.update()
        elif not self.quiet:
            print(f" ({time.monotonic() - start:.0f} s)", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """A line about the stage under way."""
        if self.bar is not None:
            self.bar.write(text, file=sys.stderr)
        elif not self.quiet:
            print(f"\n      {text}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the bar."""
        if self.bar is not None:
            self.stop.set()
            self.clock.join()
            self.bar.close()
