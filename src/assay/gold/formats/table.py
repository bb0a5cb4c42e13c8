"""The rows of a CSV as people's programs write it: commas, semicolons or tabs; `sep=;`; empty columns at the edge."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from assay.errors import AssayError

_CELL = 2**31 - 1
"""Characters in a cell, at most: the text of a chunk may be longer than the library's own limit."""
_TOLD = re.compile(r"sep=([,;\t])\r?(?:\n|$)")
"""Excel's own first line."""

Row = tuple[str, dict[str, str]]
"""Where it begins, `file:line`; its cells by the names of the columns, empty where the row ends early."""


def table_of(text: str, where: str) -> tuple[list[str], Iterator[Row]]:
    """The names of the columns, and the rows that are not blank. A fault names its line."""
    lines = _lines(text, where)
    place, names = next(lines, (f"{where}:1", []))
    for name in names:
        if name and names.count(name) > 1:
            raise AssayError(f"two columns are named '{name}'", where=place)
    return names, _rows(lines, names)


def _rows(lines: Iterator[tuple[str, list[str]]], names: list[str]) -> Iterator[Row]:
    for place, cells in lines:
        if any(cells[len(names) :]):
            raise AssayError(
                f"has more cells than the first row: {len(cells)}, not {len(names)}",
                where=place,
                hint="Put a cell that holds the separator between double quotes",
            )
        if any(cells):
            yield place, dict.fromkeys(names, "") | dict(zip(names, cells, strict=False))


def _lines(text: str, where: str) -> Iterator[tuple[str, list[str]]]:
    """Each row with the line it begins on. A quote that is never closed would swallow the rest of the file."""
    told = _TOLD.match(text)
    body, before = (text[told.end() :], 2) if told else (text, 1)
    csv.field_size_limit(_CELL)
    delimiter = told[1] if told else _delimiter(body)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    while True:
        place = f"{where}:{reader.line_num + before}"
        try:
            yield place, next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            hint = "A cell in double quotes ends with one; a double quote inside is written twice"
            raise AssayError(f"is not CSV: {fault}", where=place, hint=hint) from None


def _delimiter(text: str) -> str:
    """The one that the first row has most of, whatever ends it."""
    return max(",;\t", key=re.split(r"[\r\n]", text, maxsplit=1)[0].count)
