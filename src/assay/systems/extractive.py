"""Answers without a model: sentences quoted from the context. A floor that a model must beat, and an honest one.

For the question's content words t (stemmed as the passage's language is, idf from the index) and a sentence s of the
passage p at place r of the context:

    coverage(x) = Σ idf(t) for t in x / Σ idf(t)
    score(s) = coverage(s) + 0.3 · coverage(p) + 0.2 / r

The sentence with the highest score is the answer (ties: earlier passage, earlier sentence), with the number of its
passage: `The fee is £20. [3]` Sentences of fewer than four words with content (headings, `Yes.`) are not quoted. If the
best covers less than 0.10 of the question, a fixed sentence says that the passages do not answer it. Nothing is learnt,
drawn or asked anywhere: the same index gives the same answer.

Tried on the shipped example and left out: a second sentence for what the first does not cover (token F1 0.01 lower);
the cosine of question and sentence (0.02 higher, for embedding every sentence). Abstaining by coverage catches
questions about other things, not those that ask for a missing detail in familiar words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from assay.corpus.index import Index
from assay.corpus.language import detect
from assay.metrics.answers.sentences import sentences
from assay.records import Chunk
from assay.retrievers.analysis import analyzer, content_words, language_code, pieces
from assay.retrievers.lexical import load
from assay.systems.prompt import language_of

NAME = "extractive"
ABSTAINS = {
    "en": "The passages do not answer this question.",
    "fr": "Les passages ne permettent pas de répondre à cette question.",
}
PASSAGE_WEIGHT = 0.3
PLACE_WEIGHT = 0.2
LEAST_COVERAGE = 0.10
LEAST_WORDS = 4
_REMEMBERED = 5_000


class Sentence(Struct, frozen=True):
    text: str
    terms: frozenset[str]


class Cut(Struct, frozen=True):
    """A passage in sentences."""

    language: str
    sentences: tuple[Sentence, ...]
    terms: frozenset[str]


class Scored(Struct, frozen=True):
    """A sentence, the number of its passage, and how well it fits."""

    text: str
    place: int
    score: float
    coverage: float


class Extractive:
    """Quotes from chunks of one index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._language = language_code(index.metadata.get("language", "auto"))
        self._cuts: dict[str, Cut] = {}

    def answer(self, question: str, context: Sequence[Chunk]) -> str:
        """A sentence of the context with its passage's number, or that it does not hold the answer."""
        best = max(self._scored(question, context), key=lambda each: each.score, default=None)  # the first of equals
        if best is None or best.coverage < LEAST_COVERAGE:
            return ABSTAINS[language_of(question)]
        return f"{best.text} [{best.place}]"

    def _scored(self, question: str, context: Sequence[Chunk]) -> Iterator[Scored]:
        """Every sentence of the context."""
        cuts = [self._cut(chunk) for chunk in context]
        weights = {language: self._weights(question, language) for language in {cut.language for cut in cuts}}
        for place, cut in enumerate(cuts, 1):
            shares = weights[cut.language]
            around = PASSAGE_WEIGHT * _coverage(cut.terms, shares) + PLACE_WEIGHT / place
            for sentence in cut.sentences:
                coverage = _coverage(sentence.terms, shares)
                yield Scored(sentence.text, place, coverage + around, coverage)

    def _weights(self, question: str, language: str) -> dict[str, float]:
        """Each content word of the question as that language has it, and its share of the question."""
        postings = load(self._index).postings
        idf = {term: postings.idf(term) for term in sorted(content_words(question, language))}
        whole = sum(idf.values())
        return {term: weight / whole for term, weight in idf.items()} if whole else {}

    def _cut(self, chunk: Chunk) -> Cut:
        found = self._cuts.get(chunk.id)
        if found is None:
            if len(self._cuts) >= _REMEMBERED:
                self._cuts.clear()
            found = self._cuts[chunk.id] = _cut(chunk, self._language)
        return found


def _cut(chunk: Chunk, index_language: str) -> Cut:
    told = chunk.metadata.get("language")
    language = index_language if index_language != "auto" else told if isinstance(told, str) else detect(chunk.text)
    code = language_code(language or "en")
    found: list[Sentence] = []
    whole: set[str] = set()
    for text in sentences(chunk.text):
        terms = [term for piece in pieces(text) for term in analyzer(code).terms(piece)]
        names = frozenset(term.text for term in terms)
        whole |= names
        if sum(not term.is_stop for term in terms) >= LEAST_WORDS:
            found.append(Sentence(text, names))
    return Cut(code, tuple(found), frozenset(whole))


def _coverage(terms: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)
