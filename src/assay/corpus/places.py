"""Where the chunks of an index come from: document, page and last page of each, kept together so that reading them
does not mean reading every chunk."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


class Places(Struct, frozen=True, kw_only=True):
    """One of each for every chunk."""

    sources: tuple[str, ...]
    pages: tuple[int | None, ...]
    spans: tuple[Span | None, ...]
    """First and last page covered; the page alone where nobody wrote how far the chunk goes."""

    @classmethod
    def read(cls, rows: Sequence[tuple[Any, ...]]) -> Places:
        """From the columns."""
        texts = {text: _span(text) for text in {row[2] for row in rows}}
        numbers = {page: page_number(page) for page in {row[1] for row in rows}}
        pages = tuple(numbers[page] for _, page, _ in rows)
        return cls(
            sources=tuple([str(source) for source, *_ in rows]),
            pages=pages,
            spans=tuple(
                [
                    texts[text] or (None if page is None else (page, page))
                    for (*_, text), page in zip(rows, pages, strict=True)
                ]
            ),
        )

    def to_bytes(self) -> bytes:
        names = {source: number for number, source in enumerate(dict.fromkeys(self.sources))}
        ends = [span or (None, None) for span in self.spans]
        kept = _Kept(
            list(names),
            [names[source] for source in self.sources],
            self.pages,
            [first for first, _ in ends],
            [last for _, last in ends],
        )
        return msgspec.msgpack.encode(kept)

    @classmethod
    def from_bytes(cls, data: bytes) -> Places:
        """What `to_bytes` gave."""
        kept = msgspec.msgpack.decode(data, type=_Kept)
        names, pairs = kept.names, zip(kept.firsts, kept.lasts, strict=True)
        spans = tuple(None if first is None or last is None else (first, last) for first, last in pairs)
        return cls(sources=tuple([names[number] for number in kept.sources]), pages=tuple(kept.pages), spans=spans)


class _Kept(Struct, frozen=True, array_like=True):
    """As it is written: each document's name once."""

    names: list[str]
    sources: list[int]
    pages: Sequence[int | None]
    firsts: list[int | None]
    lasts: list[int | None]


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
