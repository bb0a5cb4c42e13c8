"""Retrieval inside a run: by chunk where the corpus names chunks, else by document; every expected one counts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay.corpus.documents import same_document
from assay.records import Case
from assay.systems.protocol import Passage


class Found(Struct, frozen=True, kw_only=True):
    """Where the expected ones stand. Without an expectation, or without candidates, undefined: never a hit."""

    by: str | None
    """chunk or document; None: undefined."""
    ranks: tuple[int | None, ...] = ()
    """Rank of each expected one, from 1; None: not among the candidates."""
    reason: str = ""

    @property
    def recall(self) -> float | None:
        return sum(rank is not None for rank in self.ranks) / len(self.ranks) if self.ranks else None

    @property
    def hit(self) -> bool | None:
        """Everything that is needed was found."""
        return None if not self.ranks else all(rank is not None for rank in self.ranks)

    @property
    def reciprocal_rank(self) -> float | None:
        if not self.ranks:
            return None
        known = [rank for rank in self.ranks if rank is not None]
        return 1 / min(known) if known else 0.0


def find(case: Case, candidates: Sequence[Passage] | None) -> Found:
    """The expected chunks or documents of the case among the candidates, best first."""
    if not case.expected_ids and not case.sources:
        return Found(by=None, reason="nothing is expected")
    if candidates is None:
        return Found(by=None, reason="the system does not tell what it retrieved")
    if case.expected_ids and all(passage.id is not None for passage in candidates):
        place = {passage.id: rank for rank, passage in reversed(list(enumerate(candidates, 1)))}
        return Found(by="chunk", ranks=tuple(place.get(id_) for id_ in case.expected_ids))
    if case.sources and all(passage.source is not None for passage in candidates):
        return Found(by="document", ranks=tuple(_document_rank(source, candidates) for source in case.sources))
    return Found(by=None, reason="the system does not name what it retrieved")


def _document_rank(source: str, candidates: Sequence[Passage]) -> int | None:
    named = enumerate(candidates, 1)
    return next((rank for rank, passage in named if same_document(source, passage.source or "")), None)
