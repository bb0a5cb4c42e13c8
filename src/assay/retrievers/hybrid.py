"""Words and meaning together: reciprocal rank fusion of the bm25 and the vector list."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.records import Fault, Ranking
from assay.retrievers.bm25 import Bm25
from assay.retrievers.protocol import RETRIEVERS, Context, Query, Request
from assay.retrievers.vector import Vector

SCALE = "rrf"


@RETRIEVERS.register("hybrid")
class Hybrid:
    """Both lists are always cut at the same number of candidates, however many results are asked for: a deeper
    search must not change the order of the first ones."""

    name = "hybrid"
    scale = SCALE
    local = True

    def __init__(self, context: Context):
        self._options = context.config.retrieval.hybrid
        self.lists = (Bm25(context), Vector(context))

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        return [self.fuse(lists, request.k) for lists in zip(*self.search_lists(queries, request), strict=True)]

    def search_lists(self, queries: Sequence[Query], request: Request) -> list[list[Ranking | Fault]]:
        """The bm25 and the vector lists, with the same filter for both."""
        deep = msgspec.structs.replace(request, k=self._options.candidates)
        return [each.search(queries, deep) for each in self.lists]

    def fuse(self, lists: Sequence[Ranking | Fault], k: int) -> Ranking | Fault:
        weights = (self._options.bm25_weight, self._options.vector_weight)
        return fuse(lists, weights, self._options.constant, k)


def fuse(lists: Sequence[Ranking | Fault], weights: Sequence[float], constant: float, k: int) -> Ranking | Fault:
    """Σ weight / (constant + rank), ranks from 1 (Cormack, Clarke and Büttcher, SIGIR 2009).

    A list whose weight is 0 adds no results. In single precision, as ranks are compared everywhere.
    """
    sums: dict[str, float] = {}
    for ranking, weight in zip(lists, weights, strict=True):
        if isinstance(ranking, Fault):
            return ranking
        for rank, id_ in enumerate(ranking.ids if weight else (), 1):
            sums[id_] = sums.get(id_, 0.0) + weight / (constant + rank)
    single = dict(zip(sums, np.array(list(sums.values()), dtype=np.float32).tolist(), strict=True))
    ids = sorted(single, key=lambda id_: (single[id_], id_), reverse=True)[:k]
    return Ranking(tuple(ids), tuple([single[id_] for id_ in ids]), SCALE)
