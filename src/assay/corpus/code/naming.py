"""Ids that no two units of a file share, and that stay the same when lines move.

A symbol that stands once is the name. Where several share it, the only one with a body keeps it; the others are told
apart by their parameters (`area(int a,int b)`), what has none by its kind (`Point@type`), and only what is still equal
by its order (`area(int a)#2`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node


_NEEDLESS = re.compile(r" (?!\w)|(?<!\w) ")


class Candidate(Struct, frozen=True, kw_only=True):
    """A unit on its way to a name: where it lies, with all that belongs to it."""

    symbol: str | None
    kind: str
    start: int
    end: int
    line: int
    tags: tuple[str, ...] = ()
    is_declaration: bool = False
    node: Any = None
    """Of the syntax tree."""


def names_of(candidates: Sequence[Candidate]) -> list[str]:
    """What stands behind `code:{path}::`, one for each."""
    symbols = [each.symbol or f"{each.kind}@{each.line}" for each in candidates]
    if len(set(symbols)) == len(symbols):
        return symbols
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for number, symbol in enumerate(symbols):
        alike[symbol].append(number)
    names = [""] * len(candidates)
    for symbol, numbers in alike.items():
        if len(numbers) == 1:
            names[numbers[0]] = symbol
            continue
        real = [number for number in numbers if not candidates[number].is_declaration]
        for number in numbers:
            names[number] = symbol if [number] == real else symbol + _difference(candidates[number])
    return _numbered(names)


def _difference(candidate: Candidate) -> str:
    parameters = _parameters(candidate.node)
    return f"@{candidate.kind}" if parameters is None else parameters


def _parameters(node: Node | None) -> str | None:
    """The parameter list as written, without needless space."""
    while node is not None:
        found = node.child_by_field_name("parameters")
        if found is not None and found.text is not None:
            return _tight(found.text.decode("utf-8", "replace"))
        node = node.child_by_field_name("declarator") or node.child_by_field_name("value")
    return None


def _tight(text: str) -> str:
    """White space stays between two words alone."""
    return _NEEDLESS.sub("", " ".join(text.split()))


def _numbered(names: Sequence[str]) -> list[str]:
    taken = set(names)
    if len(taken) == len(names):
        return list(names)
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        number, new = seen[name], name
        while number > 1 and (new := f"{name}#{number}") in taken:
            number += 1
        taken.add(new)
        unique.append(new)
    return unique
