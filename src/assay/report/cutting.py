"""Texts cut to a size, each with a mark that says how much is missing, however often it was cut."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONG = 160
"""Shorter texts are never cut for the room of all."""
MARK = 30
"""Bytes of the mark where a text was cut."""
_CUT = re.compile(r" \[…([\d,]{1,15}) characters more\]\Z")


def cut(text: str, limit: int) -> str:
    """At most that many bytes of UTF-8, with a mark where it was cut."""
    if len(text) * 4 <= limit:  # no character has more than four
        return text
    before = _CUT.search(text, max(len(text) - MARK - 10, 0))
    whole = text[: before.start()] if before else text
    kept = whole[:limit].encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "ignore")
    missing = len(whole) - len(kept)
    if not missing:
        return text
    return f"{kept} […{missing + (int(before[1].replace(',', '')) if before else 0):,} characters more]"


def limit_of(lengths: list[int], budget: int, least: int = LONG) -> int:
    """The greatest length at which long texts, cut to it, keep the budget together; never less than the least."""
    long = sorted(length for length in lengths if length > LONG)
    left = budget
    for at, length in enumerate(long):
        share = left // (len(long) - at)
        if length > share:
            return max(share - MARK, least)
        left -= length
    return max(long, default=LONG)


def held(texts: Iterable[tuple[str, str]], room: int) -> dict[str, str]:
    """Texts by key. Those that come one by one and are too much together are cut, the longest first, to about half of
    the room: never much more than it is held."""
    found: dict[str, str] = {}
    size, limit = 0, room
    for key, text in texts:
        found[key] = cut(text, limit)
        size += len(found[key])
        if size > room and limit > LONG:
            limit = limit_of([len(each) for each in found.values()], room // 2)
            found = {name: cut(each, limit) for name, each in found.items()}
            size = sum(map(len, found.values()))
    return found
