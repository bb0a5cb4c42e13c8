"""The part of a text that shows best why it was found."""

from __future__ import annotations

from collections.abc import Collection

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
    """The stretch of `size` words with the most different terms, the earliest of equals, with some words before."""
    parts = pieces(text)
    found = [{term.text for each in analyzers for term in each.terms(part)} & set(terms) for part in parts]
    places = [place for place, terms_here in enumerate(found) if terms_here]
    start = max(0, _densest(found, places, size) - size // 8)
    start = max(0, min(start, len(parts) - size))
    words = [
        Word(part, bool(hit))
        for part, hit in zip(parts[start : start + size], found[start : start + size], strict=True)
    ]
    return Snippet(tuple(words), start > 0, start + size < len(parts))


def _densest(found: list[set[str]], places: list[int], size: int) -> int:
    reach = size - size // 8
    return max(
        places,
        key=lambda place: (len(set().union(*found[place : place + reach])), -place),
        default=0,
    )
