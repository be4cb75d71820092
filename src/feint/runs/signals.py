"""Ctrl-C and requests to end, while a run is prepared, made and written down."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, final

ENDS = (signal.SIGTERM, signal.SIGHUP)
"""Asked of a process that should end soon, not now: what there is can be kept."""


@final
class Signals:
    """What has been asked for so far.

    Before there is anything to keep, a signal stops at once, and one that gets lost on its way through compiled code is
    found again by `check`. Afterwards (`patient`) it is only noted, so that nothing is cut in half; a second Ctrl-C
    does not wait.
    """

    def __init__(self) -> None:
        self.caught: signal.Signals | None = None
        self._patient = False

    def patient(self) -> None:
        """From now on there is something to keep."""
        if not self._patient:
            self.check()
            self._patient = True

    def check(self) -> None:
        """Stop if that was asked for."""
        if self.caught is not None:
            raise KeyboardInterrupt

    @property
    def end(self) -> signal.Signals | None:
        """What asked the process to end, if anything did."""
        return self.caught if self.caught in ENDS else None

    def note(self, number: int, frame: Any) -> None:
        again = self.caught is not None and number == signal.SIGINT
        self.caught = signal.Signals(number)
        if again or not self._patient:
            raise KeyboardInterrupt


@contextmanager
def listening() -> Iterator[Signals]:
    """Listen to signals while this lasts, and whoever listens around it hears of them when it is over.

    Other threads than the main one hear none. What was to be ignored, as nohup has it, and shells for what goes on in
    the background, stays so; and what a program around Python listens to could not be given back to it.
    """
    heard = Signals()
    if threading.current_thread() is not threading.main_thread():
        yield heard
        return
    ours = [each for each in (signal.SIGINT, *ENDS) if signal.getsignal(each) not in (signal.SIG_IGN, None)]
    before = {number: signal.signal(number, heard.note) for number in ours}
    ignored = sys.unraisablehook
    # Where nobody can be told of an interrupt, as in a callback of JAX's, `check` finds it again: no word of that.
    sys.unraisablehook = lambda lost: None if lost.exc_type is KeyboardInterrupt else ignored(lost)
    try:
        yield heard
    finally:
        sys.unraisablehook = ignored
        for number, handler in before.items():
            signal.signal(number, handler)
        around = getattr(before.get(signal.SIGINT), "__self__", None)
        if isinstance(around, Signals):
            around.caught = heard.caught or around.caught
