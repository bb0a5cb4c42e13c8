"""Groundedness: how much of what an answer says stands in the context it was given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from msgspec import Struct

from assay.metrics.answers.claims import denies, numbers, wording
from assay.metrics.answers.sentences import sentences
from assay.records import Score

Terms = Callable[[str], Collection[str]]
"""From a text to its content words, without stop words, in the form in which they are compared."""

SHARED = 0.5
"""Share of a denying sentence's words a context sentence must have for its own denial to be about the same."""


class Grounding(Struct, frozen=True, kw_only=True):
    """The share, and what was not found: words, numbers, denying sentences."""

    score: Score
    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    denials: tuple[str, ...] = ()


def groundedness(answer: str, context: str | None, terms: Terms) -> Grounding:
    """(words found + numbers found + denials found) / (words + numbers + denials of the answer).

    - words: the distinct content words, without those that are numbers or negations; `£` and `pounds` are one word
      (`units.py`);
    - numbers: the distinct numbers, in one spelling;
    - denials: each sentence with a negation; found if a context sentence with a negation has at least half of its
      words. A denial that the answer left out is not seen.

    Undefined without a context, and for an answer that holds none of the three. A context without a word is one:
    nothing stands in it.

    Of `fee`, `pound`, `20` the number is wanting, 2 / 3:

    >>> found = groundedness("The fee is 20 pounds", "A fee of 25 pounds", lambda text: {
    ...     word for word in text.lower().split() if word not in ("the", "a", "is", "of")})
    >>> round(found.score.value, 3), found.numbers
    (0.667, ('20',))
    """
    if context is None:
        return Grounding(score=Score(None, "undefined", "no context was kept"))
    said = _words(answer, terms)
    counted = numbers(answer)
    denying = [sentence for sentence in sentences(answer) if denies(sentence)]
    total = len(said) + len(counted) + len(denying)
    if not total:
        return Grounding(score=Score(None, "undefined", "nothing in the answer can be checked"))
    parts = [_evidence(part, terms) for part in context.split("\n\n")]
    words = tuple(sorted(said.difference(*(part.words for part in parts))))
    missing = tuple(sorted(counted.difference(*(part.numbers for part in parts))))
    denied = [sentence for part in parts for sentence in part.denied]
    denials = tuple(sentence for sentence in denying if not _is_denied(_words(sentence, terms), denied))
    unfound = len(words) + len(missing) + len(denials)
    return Grounding(score=Score((total - unfound) / total), words=words, numbers=missing, denials=denials)


class _Evidence(Struct, frozen=True):
    """What one paragraph of a context holds."""

    words: frozenset[str]
    numbers: frozenset[str]
    denied: tuple[frozenset[str], ...]


@lru_cache(maxsize=4096)
def _evidence(part: str, terms: Terms) -> _Evidence:
    """Remembered: the same passages stand in the contexts of many questions. No sentence crosses an empty line."""
    denied = tuple(frozenset(_words(sentence, terms)) for sentence in sentences(part) if denies(sentence))
    return _Evidence(frozenset(_words(part, terms)), frozenset(numbers(part)), denied)


def _words(text: str, terms: Terms) -> set[str]:
    return {word for word in terms(wording(text)) if not any(map(str.isdigit, word))}


def _is_denied(words: set[str], denied: Iterable[frozenset[str]]) -> bool:
    return any(len(words & other) >= SHARED * len(words) for other in denied)
