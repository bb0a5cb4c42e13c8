"""The results file: one line for each finished case, appended and flushed, so that it is the checkpoint too."""

from __future__ import annotations

import errno
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, IncompleteRun
from assay.files import dump_lines, parse_json, write_atomic

Row = dict[str, Any]
Key = tuple[str, str]


def key_of(row: Row) -> Key:
    """What a row is about: the variant and the case."""
    return sys.intern(row["variant"]), row["case_id"]


def is_unjudged(row: Row) -> bool:
    """Whether the system did its part and only the judge failed."""
    error = row.get("error")
    return row["status"] == "error" and isinstance(error, dict) and error.get("phase") == "judge"


def _append(path: Path, data: bytes) -> None:
    """All of it or nothing, in the hands of the system when this returns."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        start = os.fstat(file).st_size
        if os.write(file, data) != len(data):
            os.ftruncate(file, start)
            raise OSError(errno.ENOSPC, "no space left on device")
    finally:
        os.close(file)


class ResultsFile:
    """Append-only while the run goes on, sorted when it is done. Memory does not grow with the number of rows.

    Where all rows fit into memory, `remember` spares reading them again at the end.
    """

    def __init__(self, path: Path, *, remember: bool = False) -> None:
        self.path = path
        self._known: list[Row] | None = [] if remember else None

    def append(self, rows: Sequence[Row]) -> None:
        """All rows in one flushed write; a full disk ends the run with what is finished kept."""
        data = dump_lines(rows)
        try:
            _append(self.path, data)
        except OSError as fault:
            raise self._stopped(f"cannot write results: {fault.strerror}") from None
        if self._known is not None:
            self._known += rows

    def rows(self) -> Iterator[Row]:
        """One finished row after the other."""
        if self._known:
            yield from self._known
        else:
            yield from (row for row, _ in self._lines())

    def read(self) -> list[Row]:
        return list(self.rows())

    def _lines(self) -> Iterator[tuple[Row, bytes]]:
        """A torn last line, as `kill -9` leaves it, is not finished; anything else torn is a fault."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                # What stands behind the last newline is torn (or whole but unfinished): that case is done again.
                if line.endswith(b"\n"):
                    yield self._parsed(line, number), line

    def _parsed(self, line: bytes, number: int) -> Row:
        try:
            row: Row = msgspec.json.decode(line)
        except msgspec.DecodeError:
            row = parse_json(line.decode("utf-8", "replace"), str(self.path), number)
        return row

    def recover(self) -> set[Key]:
        """What is done when going on: the torn tail is cut off, failed cases are dropped to be tried again.

        A case whose output is there and only the judge failed is not done, but its row stays until a better one comes:
        what the system gave may have been paid for.
        """
        if not self.path.exists():
            return set()
        done: set[Key] = set()

        def keep(row: Row) -> bool:
            if row["status"] == "ok":
                done.add(key_of(row))
                return True
            return is_unjudged(row) and key_of(row) not in done

        self._arrange(lambda _: 0, keep)
        if self._known is not None:
            self._known = [row for row, _ in self._lines()]
        return done

    def places(self, wanted: Callable[[Row], bool]) -> dict[str, int]:
        """Case id → where its row begins, for `row_at`. Rows may be added meanwhile, until `finish`."""
        found: dict[str, int] = {}
        start = 0
        for row, line in self._lines():
            if wanted(row):
                found[row["case_id"]] = start
            start += len(line)
        return found

    def row_at(self, start: int) -> Row:
        with self.path.open("rb") as file:
            file.seek(start)
            return self._parsed(file.readline(), 1)

    def finish(self, order: Callable[[Row], Any]) -> None:
        """Sorted, each case once: the same bytes however many workers there were."""
        if self._known is not None:
            rows = sorted({key_of(row): row for row in self._known}.values(), key=order)
            if rows == self._known and self.path.exists():
                return
            self._known = rows
        self._arrange(order, lambda _: True)

    def _arrange(self, order: Callable[[Row], Any], keep: Callable[[Row], bool]) -> None:
        """Write the kept rows again in order, the last of each key; only their places are held in memory."""
        places: dict[Key, tuple[Any, int]] = {}
        starts = array("q", [0])
        in_order, before = True, None
        for number, (row, line) in enumerate(self._lines()):
            starts.append(starts[-1] + len(line))
            if keep(row):
                place = order(row)
                in_order = in_order and key_of(row) not in places and (before is None or before <= place)
                before = place
                places[key_of(row)] = (place, number)
            else:
                in_order = False
        if not (in_order and self.path.exists() and starts[-1] == self.path.stat().st_size):
            self._copy((starts[number], starts[number + 1]) for _, number in sorted(places.values()))

    def _copy(self, places: Iterable[tuple[int, int]]) -> None:
        def pieces() -> Iterator[bytes]:
            if not self.path.exists():
                return
            with self.path.open("rb") as file:
                for start, end in places:
                    file.seek(start)
                    yield file.read(end - start)

        try:
            write_atomic(self.path, pieces())
        except AssayError as fault:
            raise self._stopped(fault.what) from None

    def _stopped(self, what: str) -> IncompleteRun:
        hint = f"What was finished is kept; go on with: --resume {self.path.parent.name}"
        return IncompleteRun(what, where=str(self.path), hint=hint)
