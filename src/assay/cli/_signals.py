"""SIGTERM, as schedulers and pipelines send it, ends a command as Ctrl-C does: cleanly, and with what goes on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143
"""As shells have them for a process ended by either."""


class Ending:
    """Which of the two it was."""

    code = INTERRUPTED

    def terminate(self, number: int, frame: FrameType | None) -> None:
        self.code = TERMINATED
        heed = signal.getsignal(signal.SIGINT)
        if not callable(heed):  # background jobs ignore Ctrl-C, and are ended all the same
            raise KeyboardInterrupt
        heed(number, frame)


@contextmanager
def heeded() -> Iterator[Ending]:
    """Who has a way of their own to end, or calls from another thread, keeps it."""
    ending = Ending()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield ending
        return
    signal.signal(signal.SIGTERM, ending.terminate)
    try:
        yield ending
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
