"""A file as blocks of whole lines, with room at both ends, and faults that know their line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, cast

import numpy as np
from msgspec import Struct

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints
from assay.trec.numbers import ROOM

BLOCK_BYTES = 1 << 20
"""Small enough for a block's arrays to stay in the processor's cache."""
_NAME_BYTES = 256
"""How much of a line tells its query from the next."""
_SPARE = b"\n" * ROOM
_BOM = b"\xef\xbb\xbf"


class Block(Struct, frozen=True):
    """Whole lines at data[ROOM:end], with at least `ROOM` further bytes behind them."""

    path: Path
    data: bytes
    end: int
    first_line: int = 1
    lines: Ints | None = None
    """The number of each line in the file, where they do not simply follow each other."""

    def fault(self, position: int, what: str, expected: str | None = None) -> AssayError:
        """The error for what stands at that position of `data`."""
        return AssayError(what, where=f"{self.path}:{self.line(position)}", expected=expected)

    def line(self, position: int) -> int:
        before = self.data.count(b"\n", ROOM, position)
        return self.first_line + before if self.lines is None else int(self.lines[before])


def make_block(path: Path, content: bytes, first_line: int = 1, lines: Ints | None = None) -> Block:
    """A block of that content; a last line without its end is ended."""
    data = b"".join((_SPARE, content, b"" if content.endswith(b"\n") else b"\n", _SPARE))
    return Block(path, data, len(data) - ROOM, first_line, lines)


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The file's content, unpacked if it is gzip, without a byte order mark; a fault is one line with its name."""
    try:
        with path.open("rb") as plain:
            file: IO[bytes] = plain if plain.seekable() else BytesIO(plain.read())
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            content = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed else file
            if content.read(len(_BOM)) != _BOM:
                content.seek(0)
            yield content
    except (OSError, EOFError, zlib.error) as fault:
        what = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise AssayError(f"cannot be read: {what}", where=str(path)) from None


def read_block(path: Path) -> Block:
    """The whole file."""
    with open_bytes(path) as file:
        return make_block(path, file.read())


def query_blocks(path: Path) -> Iterator[Block]:
    """The file in blocks that end where a query's lines end."""
    with open_bytes(path) as file:
        rest, line, size = b"", 1, BLOCK_BYTES
        while piece := file.read(size):
            data = b"".join((_SPARE, rest, piece, _SPARE))
            end = _last_query(data)
            if end == ROOM:
                rest, size = rest + piece, size * 2
                continue
            yield Block(path, data, end, line)
            line += int(np.count_nonzero(np.frombuffer(data, np.uint8, end - ROOM, ROOM) == ord("\n")))
            rest, size = data[end:-ROOM], BLOCK_BYTES
        if rest:
            yield make_block(path, rest, line)


def _last_query(data: bytes) -> int:
    """Where the lines of the last whole line's query begin; at the very beginning if there is no earlier query."""
    end = data.rfind(b"\n", ROOM, -ROOM)
    name: list[bytes] = []
    while end > ROOM:
        start = data.rfind(b"\n", 0, end) + 1
        found = data[start : min(end, start + _NAME_BYTES)].split(None, 1)[:1]
        if name and found and found != name:
            return end + 1
        name, end = name or found, start - 1
    return ROOM
