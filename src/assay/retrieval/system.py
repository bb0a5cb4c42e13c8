"""A retriever as a system under test."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay.records import Case, Fault, Ranking
from assay.retrievers.asking import ask
from assay.retrievers.protocol import Batched, Query, Request, Retriever

BATCH, SMALL = 512, 8
"""Questions searched together, here and elsewhere; what is lost by a crash is at most one batch."""


def batch_of(retriever: Retriever) -> int:
    """As many as it wants; else many where searching is quick, few where each may take seconds."""
    if isinstance(retriever, Batched):
        return retriever.batch_size
    return BATCH if retriever.local else SMALL


class Variant(Struct, frozen=True):
    """A retriever as a system under test."""

    name: str
    retriever: Retriever
    request: Request

    @property
    def batch_size(self) -> int:
        return batch_of(self.retriever)

    def answer(self, cases: Sequence[Case]) -> Sequence[Ranking | Fault]:
        return ask(self.retriever, [Query(case.id, case.question) for case in cases], self.request)
