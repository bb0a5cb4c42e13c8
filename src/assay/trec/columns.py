"""Lines of a block cut into columns, without a loop over lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.metrics.ranking.judged import Ints
from assay.trec.blocks import Block
from assay.trec.numbers import ROOM

_PART_BYTES = 1 << 19
_NEWLINE, _RETURN, _TAB, _BLANK, _COMMENT = 10, 13, 9, 32, ord("#")


class Layout(Struct, frozen=True):
    """What a line consists of."""

    kind: str
    names: tuple[str, ...]
    wanted: tuple[int, ...]
    """Which of the columns are needed."""
    open_ended: bool = False
    """Whether words behind the last column are ignored."""
    tabs_only: bool = False
    """Whether a blank may be part of an id, and a hash sign its beginning."""

    @property
    def expected(self) -> str:
        return f"{len(self.names)} columns: {' '.join(self.names)}"


class Columns(Struct, frozen=True):
    """Of each wanted column: where it begins and ends, line by line. Blank lines and comments are not among them."""

    start: tuple[Ints, ...]
    end: tuple[Ints, ...]

    def __len__(self) -> int:
        return len(self.start[0])


def cut(block: Block, layout: Layout) -> Columns:
    """The wanted columns of each line."""
    parts = [_cut_part(block, start, end, layout) for start, end in _parts(block)]
    return Columns(
        tuple(np.concatenate(starts) for starts in zip(*(part.start for part in parts), strict=True)),
        tuple(np.concatenate(ends) for ends in zip(*(part.end for part in parts), strict=True)),
    )


def _parts(block: Block) -> Iterator[tuple[int, int]]:
    """Whole lines whose arrays fit into the processor's cache."""
    start = ROOM
    while start < block.end:
        end = block.data.find(b"\n", start + _PART_BYTES) + 1 if start + _PART_BYTES < block.end else block.end
        yield start, end
        start = end


def _cut_part(block: Block, start: int, end: int, layout: Layout) -> Columns:
    body = np.frombuffer(block.data, np.uint8, end - start, start)
    found = None if layout.tabs_only else _cut_regular(body, start, layout)
    if found is None:
        _check_bytes(block, body, start)
        found = _cut_any(block, body, start, layout)
    return found


def _check_bytes(block: Block, body: NDArray[np.uint8], start: int) -> None:
    """Control characters mean that this is no text file."""
    strange = (body - np.uint8(14) < np.uint8(18)) | (body < _TAB)
    if strange.any():
        at = int(strange.argmax())
        raise block.fault(start + at, f"byte 0x{body[at]:02x} in the file", "plain text")
    lone = body[:-1] == _RETURN
    lone &= body[1:] != _NEWLINE
    if lone.any():
        what = "a carriage return without a line feed"
        raise block.fault(start + int(lone.argmax()), what, "lines that end in LF or CRLF")


def _cut_regular(body: NDArray[np.uint8], offset: int, layout: Layout) -> Columns | None:
    """The usual file: single separators, the same number of columns in each line, nothing else. None if it is not."""
    width, separates = len(layout.names), body <= _BLANK
    separators = np.flatnonzero(separates)
    if len(separators) % width or (separates[1:] & separates[:-1]).any() or separates[0]:
        return None
    ends = separators.reshape(-1, width)
    marks = body[ends]
    within = np.count_nonzero(marks == _BLANK) + np.count_nonzero(marks == _TAB)
    line_start = np.concatenate(([0], ends[:-1, -1] + 1))
    if (marks[:, -1] != _NEWLINE).any() or within != len(ends) * (width - 1) or (body[line_start] == _COMMENT).any():
        return None
    return Columns(
        tuple((line_start if column == 0 else ends[:, column - 1] + 1) + offset for column in layout.wanted),
        tuple(ends[:, column] + offset for column in layout.wanted),
    )


def _cut_any(block: Block, body: NDArray[np.uint8], offset: int, layout: Layout) -> Columns:
    """Any mixture of separators, blank lines and comments."""
    separates = (body == _TAB) | (body == _NEWLINE) | (body == _RETURN) if layout.tabs_only else body <= _BLANK
    edges = np.flatnonzero(np.diff(separates, prepend=True, append=True))
    start, end = edges[::2], edges[1::2]
    newline = np.flatnonzero(body == _NEWLINE)
    first = np.searchsorted(start, np.concatenate(([0], newline[:-1] + 1)))
    count = np.diff(first, append=len(start))
    is_data = count > 0
    if not layout.tabs_only:
        is_data[is_data] = body[start[first[is_data]]] != _COMMENT
    first = first[is_data]
    _check_count(block, layout, start[first] + offset, count[is_data])
    return Columns(
        tuple(start[first + column] + offset for column in layout.wanted),
        tuple(end[first + column] + offset for column in layout.wanted),
    )


def _check_count(block: Block, layout: Layout, start: Ints, count: NDArray[Any]) -> None:
    width = len(layout.names)
    wrong = count < width if layout.open_ended else count != width
    if wrong.any():
        at = int(wrong.argmax())
        columns = "column" if count[at] == 1 else "columns"
        raise block.fault(int(start[at]), f"{count[at]} {columns} in a line of a {layout.kind}", layout.expected)
