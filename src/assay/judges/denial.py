"""Whether one text denies what the other says: `not 25 pounds` against `25 pounds`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.metrics.answers import Terms
from assay.metrics.answers.claims import NEGATION, denies, numbers, straight, wording

_CLAUSE = re.compile(r"[.!?;:,\n]+(?=\s|$)|\b(?:and|but|or|so|because|et|mais|ou|donc|car)\b", re.IGNORECASE)
_COMPARING = re.compile(
    r"\b(?:more|less|fewer|later|earlier|longer|only|just|until|before|than|plus|moins|avant|seulement|que)\b",
    re.IGNORECASE,
)
"""`No more than 25` does not deny 25."""

Content = frozenset[str]


def one_denies(first: str, second: str, terms: Terms) -> bool:
    """One of the two denies in a clause what the other, which denies nothing, says.

    What is denied is what follows the negation in its clause, all of which must be in the other text; a text that
    also says the same without a denial (`25 pounds; for juniors not 25 pounds`) does not deny it.
    """
    if denies(first) == denies(second):
        return False
    denying, plain = (first, second) if denies(first) else (second, first)
    said = _content(plain, terms)
    clauses = [clause for clause in _CLAUSE.split(straight(denying)) if clause and clause.strip()]
    affirmed = [_content(clause, terms) for clause in clauses if not denies(clause)]
    return any(
        denied <= said and not any(denied <= other for other in affirmed)
        for denied in _denied(clauses, terms)
        if denied
    )


def _denied(clauses: list[str], terms: Terms) -> Iterator[Content]:
    for clause in clauses:
        found = NEGATION.search(clause)
        if found and not _COMPARING.search(clause, found.end()):
            yield _content(clause[found.end() :], terms)


def _content(text: str, terms: Terms) -> Content:
    words = {word for word in terms(wording(text)) if not any(map(str.isdigit, word))}
    return frozenset(words | numbers(text))
