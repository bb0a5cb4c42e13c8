"""A run may be interrupted and resumed: what each of its sessions took, so that time and money are those of all.

A session that is under way notes several times a second where it is. One that was killed is counted by its last note.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import Unwritable
from assay.files import append_line, dump_json, read_jsonl, write_atomic

FILE_NAME = "sessions.jsonl"
OPEN_NAME = ".session.json"
"""Of the session under way; who finds one at the start finds what a killed one left."""
EVERY = 0.25
"""Seconds between two notes."""

Told = Callable[[], tuple[int, float]]


class Session(Struct, frozen=True, kw_only=True):
    """From the start of a command to its end, however it ended."""

    timestamp: str
    seconds: float
    working: float
    """Seconds in which cases were evaluated."""
    cases: int
    spent: float


class Start(Struct, frozen=True):
    """Of a session: the date, and the clock when the command began."""

    now: datetime
    clock: float


@contextmanager
def recorded(folder: Path, start: Start, told: Told) -> Iterator[None]:
    """Writes the session's line at its end. `told` gives the cases evaluated and the dollars spent by then."""
    _close_killed(folder)
    journal = _Journal(folder, start, told)
    try:
        journal.tick()
        yield
    except BaseException:
        with suppress(Unwritable):  # what ended the session is told, not that the disk is still full
            journal.end()
        raise
    journal.end()


class _Journal:
    """The session under way. Its notes are taken by the event loop, between two cases."""

    def __init__(self, folder: Path, start: Start, told: Told) -> None:
        self._folder, self._start, self._told = folder, start, told
        self._began = perf_counter()
        self._timer: asyncio.TimerHandle | None = None

    def tick(self) -> None:
        with suppress(Unwritable):  # on a full disk the results tell it
            write_atomic(self._folder / OPEN_NAME, self._so_far(), durable=False)
        self._timer = asyncio.get_running_loop().call_later(EVERY, self.tick)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        line = self._so_far()
        with suppress(Unwritable):
            write_atomic(self._folder / OPEN_NAME, line, durable=False)
        append_line(self._folder / FILE_NAME, line)
        with suppress(OSError):
            (self._folder / OPEN_NAME).unlink()

    def _so_far(self) -> str:
        now = perf_counter()
        cases, spent = self._told()
        session = Session(
            timestamp=self._start.now.isoformat(timespec="seconds"),
            seconds=round(now - self._start.clock, 3),
            working=round(now - self._began, 6),
            cases=cases,
            spent=spent,
        )
        return _line(session)


def _close_killed(folder: Path) -> None:
    """The last note of a session that could not write its line, or was killed as soon as it had."""
    left = folder / OPEN_NAME
    if not left.exists():
        return
    with suppress(Unwritable):
        note = _noted(left)
        if note is not None and note not in read(folder):
            append_line(folder / FILE_NAME, _line(note))
        left.unlink()


def _noted(path: Path) -> Session | None:
    """None: it did not outlive a power cut."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Session)
    except msgspec.MsgspecError:
        return None


def _line(session: Session) -> str:
    return dump_json(msgspec.to_builtins(session))


def read(folder: Path) -> list[Session]:
    path = folder / FILE_NAME
    return [msgspec.convert(value, Session) for _, value in read_jsonl(path)] if path.is_file() else []


def totals(folder: Path) -> dict[str, Any]:
    """Over all sessions; `timestamp` is when the last one began."""
    found = read(folder)
    cases, working = sum(one.cases for one in found), sum(one.working for one in found)
    return {
        "timestamp": found[-1].timestamp if found else None,
        "duration": round(sum(one.seconds for one in found), 3),
        "sessions": len(found),
        "questions_asked": cases,
        "questions_per_second": round(cases / working, 2) if cases and working else None,
        "spent_usd": round(sum(one.spent for one in found), 6),
    }
