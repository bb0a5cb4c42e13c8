"""Tables as plain text: quick to print, and easy to cut up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def aligned(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows with their columns one below the other."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
