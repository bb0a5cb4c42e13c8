"""Where the chunks of an index come from: document, page and last page of each, kept together so that reading them
does not mean reading every chunk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

KEY = "places"
_IS_TOLD = """metadata LIKE '%"pages"%' AND json_valid(metadata)"""
COLUMNS = (
    f"COALESCE(source, ''), page, CASE WHEN {_IS_TOLD} THEN json_extract(metadata, '$.pages[0]', '$.pages[1]') END"
)
"""What is read of each chunk, in ascending order of id."""
Span = tuple[int, int]
_LARGEST = 2**31


class Places(Struct, frozen=True, array_like=True, dict=True):
    """One of each for every chunk, but each document's name once. Kept as it stands here."""

    names: tuple[str, ...]
    """Of the documents, as they are met."""
    numbers: tuple[int, ...]
    """The place of a chunk's document among the names."""
    pages: tuple[int | None, ...]
    firsts: tuple[int | None, ...]
    lasts: tuple[int | None, ...]
    """First and last page covered; the page alone where nobody wrote how far the chunk goes."""

    @classmethod
    def read(cls, rows: Sequence[tuple[Any, ...]]) -> Places:
        """From the columns."""
        texts = {text: _span(text) for text in {row[2] for row in rows}}
        known = {page: page_number(page) for page in {row[1] for row in rows}}
        pages = tuple([known[page] for _, page, _ in rows])
        spans = [texts[text] or (page, page) for (*_, text), page in zip(rows, pages, strict=True)]
        sources = [str(source) for source, *_ in rows]
        numbers = {source: number for number, source in enumerate(dict.fromkeys(sources))}
        return cls(
            names=tuple(numbers),
            numbers=tuple([numbers[source] for source in sources]),
            pages=pages,
            firsts=tuple([first for first, _ in spans]),
            lasts=tuple([last for _, last in spans]),
        )

    def to_bytes(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Places:
        """What `to_bytes` gave."""
        return msgspec.msgpack.decode(data, type=cls)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        return tuple(map(self.names.__getitem__, self.numbers))

    def span(self, row: int) -> Span | None:
        """First and last page of a chunk."""
        first, last = self.firsts[row], self.lasts[row]
        return None if first is None or last is None else (first, last)


def page_number(value: object) -> int | None:
    """A page number as indexes made elsewhere may hold it: 3, 3.0 or '3'."""
    try:
        return None if value is None else int(str(value).removesuffix(".0"))
    except ValueError:
        return None


def _span(text: str | None) -> Span | None:
    """`[2,3]` as (2, 3); None for anything that is not two whole numbers in order."""
    match json.loads(text) if text else None:
        case [int(first), int(last)] if -_LARGEST <= first <= last <= _LARGEST:
            return first, last
    return None
