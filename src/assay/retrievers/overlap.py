"""The built-in reranker: how much of the query's words a text holds, and whether they stand together in it.

    coverage = Σ idf(t) · s(f(t)) / Σ idf(t)              over the query's terms t
    closeness = Σ m(t, u) · s(g(t, u)) / Σ m(t, u)        over neighbouring terms t, u of the query
    score = (coverage + 0.2 · closeness) / 1.2            from 0 to 1

f counts a term in the text, g how often t has u within three words; m is the lower idf of the two, and
s(n) = n / (n + 1.5 · (0.25 + 0.75 · length / mean length of the candidates)) makes the first occurrence count most.
Deterministic and quick; it helps lists that were not made by words, such as vector's, more than bm25's own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from assay.corpus.language import detect
from assay.records import Chunk
from assay.retrievers.analysis import CODE, analyzer, language_code, pieces, query_terms
from assay.retrievers.lexical import load
from assay.retrievers.postings import K1, B
from assay.retrievers.protocol import RERANKERS, Context

WITHIN = 3
CLOSENESS = 0.2
_REMEMBERED = 20_000


class Text(Struct, frozen=True):
    """Where each term stands in a chunk."""

    language: str
    length: int
    places: Mapping[str, Sequence[int]]


@RERANKERS.register("overlap")
class Overlap:
    scale = "overlap"

    def __init__(self, context: Context) -> None:
        self._index = context.need_index("the overlap reranker")
        self._language = language_code(self._index.metadata.get("language", "auto"))
        self._texts: dict[str, Text] = {}

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> list[float]:
        texts = [self._text(chunk) for chunk in chunks]
        mean = max(sum(text.length for text in texts) / max(len(texts), 1), 1.0)
        asked = {language: self._weights(query, language) for language in {text.language for text in texts}}
        return [_score(asked[text.language], text, K1 * (1 - B + B * text.length / mean)) for text in texts]

    def _weights(self, query: str, language: str) -> dict[str, float]:
        """The terms of the query in their order, as that language has them, and the idf of each."""
        postings = load(self._index).postings
        return {term: postings.idf(term) for term in query_terms(query, [analyzer(language)])}

    def _text(self, chunk: Chunk) -> Text:
        found = self._texts.get(chunk.id)
        if found is None:
            if len(self._texts) > _REMEMBERED:
                self._texts.clear()
            found = self._texts[chunk.id] = _read(chunk, self._language)
        return found


def _score(idf: Mapping[str, float], text: Text, damping: float) -> float:
    places = {term: text.places.get(term, ()) for term in idf}
    coverage = _share([(weight, len(places[term])) for term, weight in idf.items()], damping)
    pairs = [(min(idf[t], idf[u]), _together(places[t], places[u])) for t, u in pairwise(idf)]
    return (coverage + CLOSENESS * _share(pairs, damping)) / (1 + CLOSENESS)


def _read(chunk: Chunk, index_language: str) -> Text:
    told = CODE if chunk.lane == "code" else chunk.metadata.get("language")
    is_told = index_language != "auto" and chunk.lane != "code"
    language = index_language if is_told else told if isinstance(told, str) else detect(chunk.text)
    code = language_code(language or "en")
    places: dict[str, list[int]] = {}
    terms = [term.text for piece in pieces(chunk.text) for term in analyzer(code).terms(piece)]
    for place, term in enumerate(terms):
        places.setdefault(term, []).append(place)
    return Text(code, len(terms), places)


def _share(weighted: Sequence[tuple[float, int]], damping: float) -> float:
    whole = sum(weight for weight, _ in weighted)
    return sum(weight * n / (n + damping) for weight, n in weighted) / whole if whole else 0.0


def _together(a: Sequence[int], b: Sequence[int]) -> int:
    """How many of the places a have one of the (ascending) places b near by."""
    return sum((at := bisect_left(b, place - WITHIN)) < len(b) and b[at] <= place + WITHIN for place in a)
