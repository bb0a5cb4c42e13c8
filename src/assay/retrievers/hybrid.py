"""Words and meaning together: reciprocal rank fusion of the bm25 and the vector list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

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

    def __init__(self, context: Context) -> None:
        self._options = context.config.retrieval.hybrid
        self._lists = (Bm25(context), Vector(context))

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        options = self._options
        weights = (options.bm25_weight, options.vector_weight)
        lists = [each.search(queries, self._deeper(request)) for each in self._lists]
        return [fuse(pair, weights, options.constant, request.k) for pair in zip(*lists, strict=True)]

    def stages(self, query: Query, request: Request) -> dict[str, Ranking | Fault]:
        return {each.name: each.search([query], self._deeper(request))[0] for each in self._lists}

    def _deeper(self, request: Request) -> Request:
        """The same filter for both."""
        return msgspec.structs.replace(request, k=self._options.candidates)


def fuse(lists: Sequence[Ranking | Fault], weights: Sequence[float], constant: float, k: int) -> Ranking | Fault:
    """Σ weight / (constant + rank), ranks from 1 (Cormack, Clarke and Büttcher, SIGIR 2009).

    A list whose weight is 0 adds no results. In single precision, as ranks are compared everywhere.
    """
    sums: dict[str, float] = {}
    for ranking, weight in zip(lists, weights, strict=True):
        if isinstance(ranking, Fault):
            return ranking
        if weight:
            for id_, share in zip(ranking.ids, _shares(weight, constant, len(ranking.ids)), strict=True):
                sums[id_] = sums.get(id_, 0.0) + share
    single = np.array(list(sums.values()), dtype=np.float32).tolist()
    best = sorted(zip(single, sums, strict=True), reverse=True)[:k]
    return Ranking(tuple([id_ for _, id_ in best]), tuple([score for score, _ in best]), SCALE)


@lru_cache(maxsize=64)
def _shares(weight: float, constant: float, count: int) -> tuple[float, ...]:
    """Of the first ranks: the same for every query."""
    return tuple([weight / (constant + rank) for rank in range(1, count + 1)])
