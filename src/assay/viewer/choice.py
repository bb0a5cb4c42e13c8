"""What a visitor asked of a list: filters, a search, an order, a page. Everything is checked here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from assay.viewer.refusal import mistaken

T = TypeVar("T")
SIZES = (25, 50, 100, 200)
SIZE = 50
TAG = "tag."
"""Begins the name of a filter on a tag."""


class Choice(Struct, frozen=True, kw_only=True):
    """Of a list."""

    filters: Mapping[str, str]
    words: tuple[str, ...]
    sort: str
    descending: bool
    page: int
    size: int

    @classmethod
    def of(cls, query: Mapping[str, str], sorts: Sequence[str]) -> Choice:
        """From an address; `sorts` are the orders there are, the first is the default. `-name`: descending."""
        sort = query.get("sort") or sorts[0]
        if sort.lstrip("-") not in sorts:
            raise mistaken(f"cannot sort by '{sort}'; there are: {', '.join(sorts)}")
        return cls(
            filters={name: value for name, value in query.items() if value and name not in _OWN},
            words=tuple(query.get("q", "").lower().split()),
            sort=sort.lstrip("-"),
            descending=sort.startswith("-"),
            page=_number(query, "page", 1),
            size=min(_number(query, "size", SIZE), SIZES[-1]),
        )


_OWN = {"q", "sort", "page", "size"}


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    text = query.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise mistaken(f"{name} is '{text}'; expected a whole number from 1 on")
    return int(text)


class Part(Struct, Generic[T], frozen=True, kw_only=True):
    """A page of a list."""

    items: list[T]
    total: int
    found: int
    page: int
    pages: int
    size: int

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("total", "found", "page", "pages", "size")}


Key = Callable[[T], Any]


def ordered(found: Iterable[T], key: Key[T] | None, *, descending: bool) -> list[T]:
    """By a key, those without one last whichever way; in their own order without a key or where keys are equal."""
    items = list(found)
    if key is None:
        return items[::-1] if descending else items
    known = [item for item in items if key(item) is not None]
    return [*sorted(known, key=key, reverse=descending), *(item for item in items if key(item) is None)]


def part_of(found: Sequence[T], total: int, choice: Choice) -> Part[T]:
    """The asked page; one behind the last is the last."""
    pages = max(1, -(-len(found) // choice.size))
    page = min(choice.page, pages)
    start = (page - 1) * choice.size
    items = list(found[start : start + choice.size])
    return Part(items=items, total=total, found=len(found), page=page, pages=pages, size=choice.size)


def counted(values: Iterable[str]) -> dict[str, int]:
    """Each value with how often it occurs, the most frequent first."""
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))
