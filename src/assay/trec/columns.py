"""Lines of a block cut into columns, without a loop over lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.metrics.ranking.judged import Ints
from assay.trec.blocks import Block
from assay.trec.numbers import WINDOW

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
    """Whether a blank may be part of an id."""

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
    body = np.frombuffer(block.data, np.uint8)[WINDOW:-WINDOW]
    _check_bytes(block, body)
    if not layout.tabs_only and (regular := _cut_regular(block, body, layout)):
        return regular
    return _cut_any(block, body, layout)


def _check_bytes(block: Block, body: NDArray[np.uint8]) -> None:
    """Control characters mean that this is no text file."""
    strange = (body - np.uint8(14) < np.uint8(18)) | (body < _TAB)
    if strange.any():
        at = int(strange.argmax())
        raise block.fault(WINDOW + at, f"byte 0x{body[at]:02x} in the file", "plain text")
    if block.data.count(b"\r") != block.data.count(b"\r\n"):
        after = np.frombuffer(block.data, np.uint8)[WINDOW + 1 : 1 - WINDOW]
        at = int(((body == _RETURN) & (after != _NEWLINE)).argmax())
        raise block.fault(WINDOW + at, "a carriage return without a line feed", "lines that end in LF or CRLF")


def _cut_regular(block: Block, body: NDArray[np.uint8], layout: Layout) -> Columns | None:
    """The usual file: single separators, the same number of columns in each line, nothing else. None if it is not."""
    width = len(layout.names)
    separators = np.flatnonzero(body <= _BLANK) + WINDOW
    if len(separators) % width or (np.diff(separators, prepend=WINDOW - 1) < 2).any():
        return None
    ends = separators.reshape(-1, width)
    everything = np.frombuffer(block.data, np.uint8)
    if (everything[ends[:, -1]] != _NEWLINE).any() or np.count_nonzero(body == _NEWLINE) != len(ends):
        return None
    line_start = np.concatenate(([WINDOW], ends[:-1, -1] + 1))
    if (everything[line_start] == _COMMENT).any():
        return None
    starts = [line_start if column == 0 else ends[:, column - 1] + 1 for column in layout.wanted]
    return Columns(tuple(starts), tuple(np.ascontiguousarray(ends[:, column]) for column in layout.wanted))


def _cut_any(block: Block, body: NDArray[np.uint8], layout: Layout) -> Columns:
    """Any mixture of separators, blank lines and comments."""
    separates = (body == _TAB) | (body == _NEWLINE) | (body == _RETURN) if layout.tabs_only else body <= _BLANK
    edges = np.flatnonzero(np.diff(separates, prepend=True, append=True)) + WINDOW
    start, end = edges[::2], edges[1::2]
    newline = np.flatnonzero(body == _NEWLINE) + WINDOW
    line_start = np.concatenate(([WINDOW], newline[:-1] + 1)) if len(newline) else newline
    first = np.searchsorted(start, line_start)
    count = np.diff(first, append=len(start))
    everything = np.frombuffer(block.data, np.uint8)
    is_data = count > 0
    is_data[is_data] = everything[start[first[is_data]]] != _COMMENT
    _check_count(block, layout, start[first[is_data]], count[is_data])
    first = first[is_data]
    return Columns(
        tuple(start[first + column] for column in layout.wanted), tuple(end[first + column] for column in layout.wanted)
    )


def _check_count(block: Block, layout: Layout, start: Ints, count: NDArray[Any]) -> None:
    width = len(layout.names)
    wrong = count < width if layout.open_ended else count != width
    if wrong.any():
        at = int(wrong.argmax())
        columns = "column" if count[at] == 1 else "columns"
        raise block.fault(int(start[at]), f"{count[at]} {columns} in a line of a {layout.kind}", layout.expected)
