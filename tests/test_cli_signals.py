"""SIGTERM ends a command as Ctrl-C does, unless somebody else has said what it should do."""

from __future__ import annotations

import signal
import threading

import pytest

from assay.cli._signals import heeded


def nothing(_number: int, _frame: object) -> None:
    """A way of one's own to take a signal."""


@pytest.mark.parametrize("interrupt", [signal.default_int_handler, signal.SIG_IGN])
def test_sigterm_is_an_interrupt_with_a_code_of_its_own(interrupt: signal.Handlers) -> None:
    """Also where Ctrl-C is ignored, as in background jobs."""
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with heeded() as ending:
            assert ending.code == 130
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
            assert ending.code == 143
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_who_takes_sigterm_already_keeps_it() -> None:
    before = signal.signal(signal.SIGTERM, nothing)
    try:
        with heeded() as ending:
            signal.raise_signal(signal.SIGTERM)
        assert ending.code == 130
        assert signal.getsignal(signal.SIGTERM) is nothing
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_another_thread_no_signal_can_be_taken() -> None:
    codes = []

    def work() -> None:
        with heeded() as ending:
            codes.append(ending.code)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == [130]
