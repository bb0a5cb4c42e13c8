"""Ctrl-C, and SIGTERM as schedulers send it: the first one ends a command cleanly, however many follow.

Those that come close behind it are the same wish (a launcher passes on what the terminal has sent already, a key is
pressed twice) and disturb no cleaning up. A later one is meant: the process ends there and then. What was finished
stands in its files by that time, as it does when a process is killed.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED, TERMINATED = 130, 143
"""As shells have them for a process ended by either."""
SAME = 1.0
"""Seconds in which a further signal is the same wish."""
SHOW_CURSOR = "\n\x1b[?25h"
"""Progress hides it, and stands on a line without an end."""


Handler = Callable[[int, FrameType | None], Any] | signal.Handlers


class Ending:
    """Which signal it was, and when it came. `line` tells the user."""

    def __init__(self, line: Callable[[], str] = str) -> None:
        self.code = INTERRUPTED
        self.told = False
        self._line = line
        self._since: float | None = None

    @property
    def begun(self) -> bool:
        return self._since is not None

    def tell(self) -> None:
        self.told = True
        print(self._line(), file=sys.stderr)

    def heed(self, number: int, _frame: FrameType | None) -> None:
        """The handler of both."""
        if self._since is None:
            self._since, self.code = monotonic(), 128 + number
            _interrupt()
        elif monotonic() - self._since >= SAME:
            self._leave(128 + number)

    def _leave(self, code: int) -> None:
        """Straight to the descriptor: the signal may have come in the middle of a write to stderr."""
        if not self.told:
            screen = SHOW_CURSOR if os.isatty(2) else ""
            with suppress(OSError):
                os.write(2, f"{screen}{self._line()}\n".encode(errors="backslashreplace"))
        os._exit(code)


def _interrupt() -> None:
    """In plain code as Ctrl-C does. In an event loop where its tasks wait, because an exception that comes out of the
    middle of the loop would tear what they write."""
    try:  # asyncio may be in the middle of its import
        loop = getattr(sys.modules.get("asyncio"), "get_running_loop", _no_loop)()
    except RuntimeError:
        raise KeyboardInterrupt from None
    for task in sys.modules["asyncio"].all_tasks(loop):
        task.cancel()
    loop.call_soon_threadsafe(lambda: None)  # it may be asleep


def _no_loop() -> NoReturn:
    raise RuntimeError


@contextmanager
def heeded(line: Callable[[], str] = str) -> Iterator[Ending]:
    """Who has a way of their own to end, ignores Ctrl-C, or calls from another thread, keeps it."""
    ending = Ending(line)
    usual: dict[signal.Signals, Handler] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    is_main = threading.current_thread() is threading.main_thread()
    taken = [number for number, handler in usual.items() if is_main and signal.getsignal(number) == handler]
    for number in taken:
        signal.signal(number, ending.heed)
    try:
        yield ending
    finally:
        for number in taken:
            signal.signal(number, usual[number])


def leave(code: int) -> NoReturn:
    """The end of an interrupted process. The interpreter's own waits for threads, is disturbed by a signal, and takes
    what threads work on from under them: whoever asked to be called at the end is called, and that is all."""
    atexit._run_exitfuncs()  # noqa: SLF001 (there is no other name for it)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
