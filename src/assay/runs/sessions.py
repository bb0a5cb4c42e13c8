"""A run may be interrupted and resumed: what each of its sessions took, so that time and money are those of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import Unwritable
from assay.files import append_line, dump_json, read_jsonl

FILE_NAME = "sessions.jsonl"


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
def recorded(folder: Path, start: Start, told: Callable[[], tuple[int, float]]) -> Iterator[None]:
    """Writes the session's line at its end. `told` gives the cases evaluated and the dollars spent by then."""
    began = perf_counter()

    def note() -> None:
        end = perf_counter()
        cases, spent = told()
        session = Session(
            timestamp=start.now.isoformat(timespec="seconds"),
            seconds=round(end - start.clock, 3),
            working=round(end - began, 6),
            cases=cases,
            spent=spent,
        )
        append_line(folder / FILE_NAME, dump_json(msgspec.to_builtins(session)))

    try:
        yield
    except BaseException:
        with suppress(Unwritable):  # what ended the session is told, not that the disk is still full
            note()
        raise
    note()


def read(folder: Path) -> list[Session]:
    path = folder / FILE_NAME
    return [msgspec.convert(value, Session) for _, value in read_jsonl(path)] if path.exists() else []


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
