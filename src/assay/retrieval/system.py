"""A retriever as a system under test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.records import Case, Fault, Ranking
from assay.retrievers.asking import ask
from assay.retrievers.protocol import Batched, Query, Ranked, Request, Retriever

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
    skip_own: bool = False
    """Leave out of a question's results the chunk that has its id: BEIR's `ignore_identical_ids`."""

    @property
    def batch_size(self) -> int:
        return batch_of(self.retriever)

    def answer(self, cases: Sequence[Case]) -> Sequence[Ranking | Fault]:
        return self.search(cases, self.request.k)

    def search(self, cases: Sequence[Case], k: int) -> Sequence[Ranking | Fault]:
        """One more where one may have to go."""
        found = ask(self.retriever, _queries(cases), replace(self.request, k=k + self.skip_own))
        if not self.skip_own:
            return found
        return [
            _without(case.id, ranking, k) if isinstance(ranking, Ranking) else ranking
            for case, ranking in zip(cases, found, strict=True)
        ]

    def ranks(self, cases: Sequence[Case], depth: int) -> list[int | None]:
        """Of the first expected chunk of each, as deep as the retriever can tell, but at least to that depth."""
        depth = max(depth, self.request.k)
        wanted = [[id_ for id_ in case.expected_ids if not (self.skip_own and id_ == case.id)] for case in cases]
        if not isinstance(self.retriever, Ranked):
            found = self.search(cases, depth)
            return [
                first_rank(each.ids, ids) if isinstance(each, Ranking) else None
                for each, ids in zip(found, wanted, strict=True)
            ]
        queries, request = _queries(cases), replace(self.request, k=depth)
        ranks = self.retriever.ranks(queries, wanted, request)
        if not self.skip_own:
            return ranks
        own = self.retriever.ranks(queries, [[case.id] for case in cases], request)
        return [rank - 1 if rank and above and above < rank else rank for rank, above in zip(ranks, own, strict=True)]


def first_rank(ids: Sequence[str], expected: Iterable[str]) -> int | None:
    """Where the first expected id stands, from 1."""
    wanted = set(expected)
    for rank, id_ in enumerate(ids, 1):
        if id_ in wanted:
            return rank
    return None


def _queries(cases: Sequence[Case]) -> list[Query]:
    return [Query(case.id, case.question) for case in cases]


def _without(own: str, ranking: Ranking, k: int) -> Ranking:
    kept = [(id_, score) for id_, score in zip(ranking.ids, ranking.scores, strict=True) if id_ != own][:k]
    return Ranking(tuple(id_ for id_, _ in kept), tuple(score for _, score in kept), ranking.scale)
