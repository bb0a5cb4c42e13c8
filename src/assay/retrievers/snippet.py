"""The part of a text that shows best why it was found."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from assay.retrievers.analysis import Analyzer, pieces

WORDS = 40


class Word(Struct, frozen=True):
    text: str
    is_match: bool


class Snippet(Struct, frozen=True):
    """Neighbouring words of a text, those of the query marked."""

    words: tuple[Word, ...]
    cut_before: bool
    cut_after: bool

    @property
    def text(self) -> str:
        inner = " ".join(word.text for word in self.words)
        return f"{'… ' * self.cut_before}{inner}{' …' * self.cut_after}"


def snippet(text: str, terms: Collection[str], analyzers: Collection[Analyzer], size: int = WORDS) -> Snippet:
    """The stretch of `size` words with the most different terms, the earliest of equals, what matches in its middle."""
    parts = pieces(text)
    found = [{term.text for each in analyzers for term in each.terms(part)} & set(terms) for part in parts]
    start = max(0, min(_start(found, size), len(parts) - size))
    shown = zip(parts[start : start + size], found[start : start + size], strict=True)
    words = tuple(Word(part, bool(hits)) for part, hits in shown)
    return Snippet(words, start > 0, start + size < len(parts))


def _start(found: Sequence[set[str]], size: int) -> int:
    places = [place for place, hits in enumerate(found) if hits]
    if not places:
        return 0
    first = max(places, key=lambda place: (len(set().union(*found[place : place + size])), -place))
    last = max(place for place in places if place < first + size)
    return first - (size - (last - first + 1)) // 2
