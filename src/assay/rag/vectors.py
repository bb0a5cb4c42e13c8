"""Vectors of what will be compared, made beside the event loop and many at a time where an embedder is slow.

Scores and the reference judge compare texts at once, one pair after the other: by then the vectors are in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AssayError, IncompleteRun
from assay.judges import Answer
from assay.judges.reference import NAME as REFERENCE
from assay.judges.reference import said_in
from assay.judges.words import Similarity
from assay.metrics.answers import without_citations
from assay.systems.batching import Batched

Texts = tuple[str, ...]


class Vectors:
    """For an embedder that costs money or milliseconds."""

    def __init__(self, similarity: Similarity, judge: str) -> None:
        self._similarity, self._judge = similarity, judge
        self._batched: Batched[Texts, None] = Batched(self._embed)

    @classmethod
    def where_slow(cls, similarity: Similarity, judge: str) -> Vectors | None:
        return cls(similarity, judge) if similarity.is_slow else None

    async def ready(self, answer: Answer) -> None:
        """Returns when this answer can be compared without waiting. A service that fails now may be there later."""
        if not (answer.answerable and answer.references):
            return
        try:
            await self._batched.ask(self._compared(answer))
        except AssayError as fault:
            raise IncompleteRun(fault.what, where=fault.where, expected=fault.expected, hint=fault.hint) from None

    def _compared(self, answer: Answer) -> Texts:
        scored = (without_citations(answer.text), *answer.references)
        return (*scored, said_in(answer), answer.question) if self._judge == REFERENCE else scored

    def _embed(self, waiting: Sequence[Texts]) -> list[None]:
        self._similarity.embed(list(dict.fromkeys(text for texts in waiting for text in texts)))
        return [None] * len(waiting)
