"""What is looked for in the names and the paths of code, beside the words in its text.

A name that is written as it is, class and method named near each other, the words of a name in any order, and a path:
each is one term of its field, which says more than the parts it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from assay.retrievers.analysis import (
    CODE,
    EXACT,
    PAIR,
    analyzer,
    names_in,
    query_terms,
    stems_of,
    together,
    word_pairs,
)
from assay.retrievers.identifiers import split_identifier

AS_WRITTEN = 4
"""How much more than one of its parts counts a name as it is written."""
QUALIFIED = 8
"""And class and method together."""
TOGETHER = 4
"""And all the words of a name, if the query is nothing else; else by their share of it."""
PAIRED = 4
"""And two words of it, if the query is nothing else; else by the square of their share."""
MOST_PAIRED = 4
"""Words of a query that may be parts of one name; more are a sentence."""
PATH = 32
"""And a path as it is written, which nobody writes by chance."""
MOST_WORDS = 6
"""Of a query that are taken for one name."""
_WORD = re.compile(r"\w+!?")
_LOOKS_LIKE_A_NAME = re.compile(r"_|\d|[a-z][A-Z]|[A-Z]{2}")
_SUFFIX = re.compile(r"(?<=\w)\.[a-z+]{1,5}$")
_QUALIFIES = re.compile(r"\w(?:::|\.)\w")


def field_terms(query: str, weights: Mapping[str, float]) -> dict[str, float]:
    """The terms of each field, told apart by its prefix, by weight."""
    rest = " ".join(token for token in query.split() if not _is_file(_bare(token)))
    found: dict[str, float] = {}
    for field, text, strong in (("symbol", rest, _of_names(rest)), ("path", query, _of_paths(query))):
        terms: dict[str, float] = dict(query_terms(text, [analyzer(CODE)]))
        for term, weight in strong:
            terms[term] = terms.get(term, 0.0) + weight
        found |= {prefix_of(field) + term: weight * weights[field] for term, weight in terms.items()}
    return found | {prefix_of(PAIR) + term: weight * weights["symbol"] for term, weight in _pairs(rest).items()}


def prefix_of(field: str) -> str:
    """Of the field's terms; no term holds the sign."""
    return f"{field}@"


def _of_names(text: str) -> Iterator[tuple[str, float]]:
    names = names_in(text)
    telling = [name for name in names if not analyzer(CODE).is_stop(name)]
    yield from ((EXACT + name, AS_WRITTEN) for name in _names(text))
    pairs = {*_near(names), *_near(telling)}
    yield from ((f"{first}.{second}", QUALIFIED) for first, second in sorted(pairs))
    runs = _together(names) | _together(telling)
    yield from ((term, TOGETHER * share) for term, share in sorted(runs.items()))


def _names(text: str) -> list[str]:
    """Words that are meant as names: those that look like one, the last of `Policy::wait`, and a plain word that stands
    alone."""
    found: dict[str, bool] = {}
    for token in text.split():
        words = _WORD.findall(token)
        for word in words:
            is_last = word == words[-1] and _QUALIFIES.search(token)
            found[word] = bool(found.get(word) or is_last or _LOOKS_LIKE_A_NAME.search(word))
    plain = [word for word, is_name in found.items() if not is_name]
    return sorted(found.keys() - set(plain if len(plain) > 1 else []))


def _near(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two neighbours, each way: `Policy.wait` and `wait of the Policy` mean the same."""
    joined = ["".join(split_identifier(name)).lower() for name in names]
    for first, second in pairwise(joined):
        yield from ((first, second), (second, first))


def _together(names: Sequence[str]) -> dict[str, float]:
    """Each run of words as those of one name, and how much of the query it is."""
    stems = [stems_of(name) for name in names]
    found: dict[str, float] = {}
    for start in range(len(stems)):
        for end in range(start + 1, min(start + MOST_WORDS, len(stems)) + 1):
            term = together(*stems[start:end])
            if term is not None:
                found[term] = max((end - start) / len(stems), found.get(term, 0.0))
    return found


def _pairs(text: str) -> dict[str, float]:
    """Each two words of a short query as two of one name, by their share of it. Those that the query writes as one name
    are looked for as that, unless it is nothing else."""
    stems = [stems_of(name) for name in names_in(text) if not analyzer(CODE).is_stop(name)]
    number = len(frozenset[str]().union(*stems))
    if not 2 <= number <= MOST_PAIRED:
        return {}
    inside = {pair for each in stems for pair in word_pairs(each)} if len(stems) > 1 else set()
    return {pair: PAIRED * (2 / number) ** 2 for pair in word_pairs(*stems) if pair not in inside}


def _of_paths(query: str) -> list[tuple[str, float]]:
    tokens = {_bare(token) for token in query.split()}
    return [(EXACT + token.lower(), PATH) for token in sorted(tokens) if "/" in token or _is_file(token)]


def _is_file(token: str) -> bool:
    """A name with the suffix of source code, and a path with any: its words are not meant as names. Of `read/write`
    they may be."""
    from assay.corpus.code.language import LANGUAGES

    suffix = _SUFFIX.search(token)
    return suffix is not None and ("/" in token or suffix[0] in LANGUAGES)


def _bare(token: str) -> str:
    """Without the marks around a path in a sentence."""
    return token.strip("`'\"(),;:?!").removeprefix("./").strip("/")
