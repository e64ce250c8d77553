# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Signals that end the program, even where torch swallows the first one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 0.25
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interrupts() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the block, again until it is heeded.

    An exception raised in a destructor or in a callback of C++ code is lost, and a compiler spends
    much of its time in those. So it is raised every 0.25 s until something handles it: whoever
    does (`finally`, `except`) is left in peace. Signals that are ignored, as under nohup, stay so.
    For the main thread; uses SIGALRM.
    """

    def asked(number: int, frame: FrameType | None) -> None:
        # First, as raising ends this.
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS, AGAIN_SECONDS)
        raise KeyboardInterrupt

    def again(number: int, frame: FrameType | None) -> None:
        if not _heeded():
            raise KeyboardInterrupt

    before = {signal.SIGALRM: signal.signal(signal.SIGALRM, again)}
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, asked)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            # None is a handler that was not set from Python.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _heeded() -> bool:
    """Whether a KeyboardInterrupt is being handled further up the stack."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
