"""Ids that no two units of a file share, and that stay the same when lines move.

A symbol that stands once is the name. Where several share it, the only one with a body keeps it; the others are told
apart by their parameters (`area(int a,int b)`), what has none by its kind (`Point@type`), and only what is still equal
by its order (`area(int a)#2`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node


_NEEDLESS = re.compile(r" (?:(?!\w)|(?<!\w ))")
"""Begins with the space, because that is quick to find."""


class Candidate(Struct, frozen=True):
    """A unit on its way to a name: where it lies, with all that belongs to it."""

    symbol: str | None
    kind: str
    start: int
    end: int
    tags: tuple[str, ...] = ()
    is_declaration: bool = False
    node: Any = None
    """Of the syntax tree."""


def names_of(candidates: Sequence[Candidate], spans: Sequence[tuple[int, int, int]]) -> list[str]:
    """What stands behind `code:{path}::`, one for each. The second of a span is its first line."""
    symbols = [each.symbol or f"{each.kind}@{span[1]}" for each, span in zip(candidates, spans, strict=True)]
    alike = _alike(symbols)
    for symbol, numbers in alike.items():
        real = [number for number in numbers if not candidates[number].is_declaration]
        keeper = real[0] if len(real) == 1 else None
        for number in numbers:
            if number != keeper:
                symbols[number] = symbol + _difference(candidates[number])
    return _numbered(symbols) if alike else symbols


def _alike(names: Sequence[str]) -> dict[str, list[int]]:
    """The places of those that stand more than once."""
    alike: dict[str, list[int]] = {}
    if len(set(names)) == len(names):
        return alike
    firsts: dict[str, int] = {}
    for number, name in enumerate(names):
        first = firsts.setdefault(name, number)
        if first != number:
            alike.setdefault(name, [first]).append(number)
    return alike


def _difference(candidate: Candidate) -> str:
    parameters = _parameters(candidate.node)
    return f"@{candidate.kind}" if parameters is None else parameters


def _parameters(node: Node | None) -> str | None:
    """The parameter list as written, without needless space and the comma behind the last one."""
    while node is not None:
        found = node.child_by_field_name("parameters")
        if found is not None and (text := found.text) is not None:
            return tight(text.decode("utf-8", "replace")).replace(",)", ")")
        node = node.child_by_field_name("declarator") or node.child_by_field_name("value")
    return None


@lru_cache(2048)
def tight(text: str) -> str:
    """White space stays between two words alone. Kept, because overloads of one class come again in the next."""
    text = " ".join(text.split()).replace(", ", ",").replace(": ", ":")
    return _NEEDLESS.sub("", text) if " " in text else text


def _numbered(names: list[str]) -> list[str]:
    taken = set(names)
    for name, numbers in _alike(names).items():
        order = 2
        for number in numbers[1:]:
            while (new := f"{name}#{order}") in taken:
                order += 1
            taken.add(new)
            names[number] = new
    return names
