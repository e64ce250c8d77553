# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""Signals end the work even where the first exception is lost, and leave clean-up alone."""

import os
import signal
import time
from pathlib import Path

import pytest
from gdino.interrupt import AGAIN_SECONDS, SIGNALS, interrupts
from gdino.staging import staging

LONG = 100 * AGAIN_SECONDS


@pytest.fixture(autouse=True)
def listening():
    # Under nohup SIGINT and SIGHUP are ignored, and would stay so.
    before = [signal.signal(number, signal.SIG_DFL) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, signal.SIG_DFL if handler is None else handler)


class Swallows:
    """Loses what is raised while it is destroyed, as callbacks of C++ code do."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.kill(os.getpid(), self.number)
        time.sleep(0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", SIGNALS)
def test_lost_exception_comes_again(number: signal.Signals) -> None:
    start = time.monotonic()
    reached = False
    with pytest.raises(KeyboardInterrupt), interrupts():
        Swallows(number)
        reached = True
        time.sleep(LONG)
    assert reached and time.monotonic() - start < LONG / 2


def test_clean_up_is_left_in_peace(tmp_path: Path) -> None:
    done = False
    with pytest.raises(KeyboardInterrupt), interrupts():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(LONG)
        finally:
            try:
                (tmp_path / "none").unlink()
            except FileNotFoundError:
                # Handled within the other.
                time.sleep(3 * AGAIN_SECONDS)
            done = True
    assert done
    with pytest.raises(KeyboardInterrupt), interrupts(), staging(tmp_path / "out") as folder:
        (folder / "file").touch()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(LONG)
    assert not list(tmp_path.iterdir())


def test_nothing_comes_after_the_block() -> None:
    before = [signal.getsignal(number) for number in (*SIGNALS, signal.SIGALRM)]
    with pytest.raises(KeyboardInterrupt), interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(LONG)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    time.sleep(2 * AGAIN_SECONDS)
    assert [signal.getsignal(number) for number in (*SIGNALS, signal.SIGALRM)] == before


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with interrupts():
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(2 * AGAIN_SECONDS)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
