"""A file as blocks of whole lines, with room at both ends, and faults that know their line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np
from msgspec import Struct

from assay.errors import AssayError
from assay.metrics.ranking.judged import Ints
from assay.trec.numbers import WINDOW

BLOCK_BYTES = 1 << 21
"""Small enough for a block's arrays to stay in the processor's cache."""
_ROOM = b"\n" * WINDOW
_BOM = b"\xef\xbb\xbf"


class Block(Struct, frozen=True):
    """Whole lines between `WINDOW` spare bytes at both ends."""

    path: Path
    data: bytes
    first_line: int = 1
    lines: Ints | None = None
    """The number of each line in the file, where they do not simply follow each other."""

    def fault(self, position: int, what: str, expected: str | None = None) -> AssayError:
        """The error for what stands at that position of `data`."""
        return AssayError(what, where=f"{self.path}:{self.line(position)}", expected=expected)

    def line(self, position: int) -> int:
        before = self.data.count(b"\n", WINDOW, position)
        return self.first_line + before if self.lines is None else int(self.lines[before])


def make_block(path: Path, content: bytes, first_line: int = 1, lines: Ints | None = None) -> Block:
    """A block of that content; a last line without its end is ended."""
    end = b"" if content.endswith(b"\n") else b"\n"
    return Block(path, b"".join((_ROOM, content, end, _ROOM)), first_line, lines)


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The file's content, unpacked if it is gzip, without a byte order mark; a fault is one line with its name."""
    try:
        with path.open("rb") as plain:
            file: IO[bytes] = plain if plain.seekable() else BytesIO(plain.read())
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            with gzip.open(file) if packed else file as content:
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
            content = rest + piece
            cut = _last_query(content)
            if cut == 0:
                rest, size = content, size * 2
                continue
            yield make_block(path, content[:cut], line)
            line += int(np.count_nonzero(np.frombuffer(content, np.uint8, cut) == ord("\n")))
            rest, size = content[cut:], BLOCK_BYTES
        if rest:
            yield make_block(path, rest, line)


def _last_query(content: bytes) -> int:
    """Where the lines of the last whole line's query begin; 0 if there is no earlier query."""
    end = content.rfind(b"\n")
    name: list[bytes] = []
    while end > 0:
        start = content.rfind(b"\n", 0, end) + 1
        found = content[start : min(end, start + 256)].split(None, 1)[:1]
        if name and found and found != name:
            return end + 1
        name, end = name or found, start - 1
    return 0
