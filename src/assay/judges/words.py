"""What the reference judge needs to know about words: those that carry content, and how alike two texts are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.corpus.language import detect_joined
from assay.embedders.protocol import Embedder
from assay.judges.judgment import Answer
from assay.metrics.answers import Terms, cosine
from assay.retrievers.analysis import Analyzer, pieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FALLBACK = "en"


class Similarity:
    """The cosine of two texts under an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model_id = embedder.model_id
        self.is_slow: bool = getattr(embedder, "is_slow", False)
        """Whether a vector costs money or milliseconds; it is then kept, and soon there the second time."""

    def prepare(self) -> None:
        """Loads what it needs, or tells that it cannot: before anything is asked, not while replies wait to be read."""
        self.embed(("ready",))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Their vectors, as they are compared."""
        return self._embedder.embed(texts, kind="document")

    def __call__(self, first: str, second: str) -> float:
        """0 if either text has no vector."""
        vectors = self.embed([first, second])
        return cosine(vectors[0], vectors[1]) or 0.0


def language_of(answer: Answer, language: str) -> str:
    """The given language or, with `auto`, that of the case."""
    if language != "auto":
        return language
    known = (answer.question, *answer.references, answer.text, answer.context or "")
    return detect_joined([text[:5000] for text in known]) or FALLBACK


@lru_cache(maxsize=16)
def content_terms(language: str) -> Terms:
    """From a text to its distinct stems without stop words."""
    analyzer = Analyzer(language)

    def terms(text: str) -> set[str]:
        return {term.text for piece in set(pieces(text)) for term in analyzer.terms(piece) if not term.is_stop}

    return terms
