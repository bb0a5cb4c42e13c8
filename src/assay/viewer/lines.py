"""Where each row of a results file stands: the file is read once, a page of it by its places."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.files import parse_json
from assay.runs.results import Row
from assay.viewer.outcome import Sketch, outcome_of, own_reasons

SEARCHED = 2000
"""Characters of an answer that a search looks into."""
_decode = msgspec.json.Decoder(Sketch).decode


class Entry(Struct, frozen=True, kw_only=True):
    """One row, but for what only its own page shows."""

    start: int
    length: int
    number: int
    """Its place among the rows, from 0."""
    variant: str
    case_id: str
    title: str
    tags: dict[str, str]
    outcome: str
    reasons: tuple[str, ...]
    score: float | None
    seconds: float | None
    text: str
    """What a search looks into, in lower case."""


class Lines:
    """The rows of one results file. It may grow; a torn last line waits for its end; a rewritten file is read anew."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.kind = path, kind
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._inode, self._read = 0, 0
        self._places: dict[tuple[str, str], int] = {}
        self._entries: list[Entry] = []
        self.spoiled = 0
        self.version = 0
        """Changes whenever the rows do."""

    def entries(self) -> list[Entry]:
        """All rows as they are now, the last of each variant and case."""
        with self._lock:
            self._refresh()
            return list(self._entries)

    def _refresh(self) -> None:
        try:
            found = self.path.stat()
        except OSError:
            self._forget()
            return
        if found.st_ino != self._inode or found.st_size < self._read:
            self._forget()
            self._inode = found.st_ino
        if found.st_size > self._read:
            with self.path.open("rb") as file:
                file.seek(self._read)
                self._take(file)

    def _take(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            if not line.endswith(b"\n"):
                return  # still being written, or torn: what comes later is read with it
            self._keep(line)
            self._read += len(line)
            self.version += 1

    def _keep(self, line: bytes) -> None:
        try:
            row = sketch_of(line)
        except (msgspec.MsgspecError, AssayError):
            self.spoiled += bool(line.strip())
            return
        key = (row.variant, row.case_id)
        number = self._places.setdefault(key, len(self._entries))
        entry = _entry(self.kind, row, number, (self._read, len(line)))
        if number == len(self._entries):
            self._entries.append(entry)
        else:
            self._entries[number] = entry

    def rows(self, entries: Iterable[Entry]) -> list[Row]:
        """The whole rows of these entries."""
        found = []
        with self.path.open("rb") as file:
            for entry in entries:
                file.seek(entry.start)
                found.append(row_of(file.read(entry.length)))
        return found


def sketch_of(line: bytes) -> Sketch:
    """Half a surrogate pair, which only `json` reads, is rare: the quick way is tried first."""
    try:
        return _decode(line)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(parse_json(line.decode("utf-8", "replace"), "a line"), Sketch)


def row_of(line: bytes) -> Row:
    try:
        row: Any = msgspec.json.decode(line)
    except msgspec.DecodeError:
        row = parse_json(line.decode("utf-8", "replace"), "a line")
    if not isinstance(row, dict) or "case_id" not in row:
        raise AssayError("the results were written anew meanwhile")
    return row


def _entry(kind: str, row: Sketch, number: int, place: tuple[int, int]) -> Entry:
    title = row.question or row.description or row.case_id
    return Entry(
        start=place[0],
        length=place[1],
        number=number,
        variant=sys.intern(row.variant),
        case_id=row.case_id,
        title=title,
        tags={sys.intern(key): sys.intern(value) for key, value in row.tags.items()},
        outcome=sys.intern(outcome_of(kind, row)),
        reasons=own_reasons(row),
        score=row.headline,
        seconds=row.time if row.time is not None else row.seconds,
        text=f"{row.case_id}\n{title}\n{(row.answer or '')[:SEARCHED]}".lower(),
    )
