"""The results file: one line for each finished case, appended and flushed, so that it is the checkpoint too."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from assay.errors import IncompleteRun
from assay.files import dump_json, parse_json, write_atomic

Row = dict[str, Any]
Key = tuple[str, str]


def key_of(row: Row) -> Key:
    """What a row is about: the variant and the case."""
    return row["variant"], row["case_id"]


class ResultsFile:
    """Append-only while the run goes on, sorted when it is done.

    Where all rows fit into memory, `remember` spares reading them again at the end.
    """

    def __init__(self, path: Path, *, remember: bool = False):
        self.path = path
        self._known: list[Row] | None = [] if remember else None

    def append(self, rows: Sequence[Row]) -> None:
        """All rows in one flushed write; a full disk ends the run with what is finished kept."""
        data = "".join(dump_json(row) + "\n" for row in rows).encode()
        try:
            with self.path.open("ab", buffering=0) as file:
                start = file.tell()
                written = file.write(data)
                if written != len(data):
                    file.truncate(start)
                    raise OSError(errno.ENOSPC, "no space left on device")
        except OSError as fault:
            hint = f"What was finished is kept; go on with: --resume {self.path.parent.name}"
            raise IncompleteRun(f"cannot write results: {fault.strerror}", where=str(self.path), hint=hint) from None
        if self._known is not None:
            self._known += rows

    def read(self) -> list[Row]:
        """Finished rows. A torn last line, as `kill -9` leaves it, is not finished; anything else torn is a fault."""
        if not self.path.exists():
            return []
        # What stands behind the last newline is torn (or whole but unfinished): that case is done again.
        lines = self.path.read_bytes().split(b"\n")[:-1]
        return [parse_json(line.decode(), str(self.path), number) for number, line in enumerate(lines, 1)]

    def recover(self) -> list[Row]:
        """Rows to keep when going on: the torn tail is cut off, failed cases are dropped to be tried again."""
        if not self.path.exists():
            return []
        rows = list({key_of(row): row for row in self.read() if row["status"] == "ok"}.values())
        self._write(rows)
        if self._known is not None:
            self._known = list(rows)
        return rows

    def finish(self, order: Callable[[Row], Any]) -> list[Row]:
        """Sorted, each case once: the same bytes however many workers there were."""
        found = self.read() if self._known is None else self._known
        rows = sorted({key_of(row): row for row in found}.values(), key=order)
        if rows != found or not self.path.exists():
            self._write(rows)
        return rows

    def _write(self, rows: Iterable[Row]) -> None:
        write_atomic(self.path, "".join(dump_json(row) + "\n" for row in rows))


def missing(keys: Sequence[Key], rows: Iterable[Row]) -> list[Key]:
    """Which of the keys no row is about."""
    done = {key_of(row) for row in rows}
    return [key for key in keys if key not in done]
