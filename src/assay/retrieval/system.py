"""A retriever as a system under test."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay.records import Case, Fault, Ranking
from assay.retrievers.protocol import Query, Request, Retriever

BATCH = 256
"""Questions searched together; what is lost by a crash is at most one batch."""


class Variant(Struct, frozen=True):
    """A retriever as a system under test."""

    name: str
    retriever: Retriever
    request: Request
    batch_size: int = BATCH

    def answer(self, cases: Sequence[Case]) -> Sequence[Ranking | Fault]:
        return self.retriever.search([Query(case.id, case.question) for case in cases], self.request)
