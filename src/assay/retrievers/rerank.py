"""The second stage, written `+rerank` behind a variant: the first results are ranked again by a closer look.

Which reranker is a setting (`retrieval.rerank`). No neural cross-encoder comes with the package; one is plugged in as
`python:module:function`, called with the query and the list of texts, giving one number for each.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay.errors import AssayError
from assay.records import Chunk, Fault, Ranking
from assay.retrievers.answers import BadAnswer, check_score, ordered
from assay.retrievers.loading import load_function
from assay.retrievers.protocol import RERANKERS, Context, Query, Request, Reranker, Retriever

PHASE = "rerank"


class Reranked:
    """A variant with a second stage. Gives at most as many results as there are candidates, because what was not
    looked at again has no score on the new scale."""

    def __init__(self, first: Retriever, context: Context):
        options = context.config.retrieval.rerank
        self._first = first
        self._index = context.need_index("a reranker")
        self._candidates = options.candidates
        self._reranker = create(options.name, context)
        self.name = f"{first.name}+rerank"
        self.scale = self._reranker.scale
        self.local = first.local and options.name == "overlap"

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        found = self._first.search(queries, msgspec.structs.replace(request, k=self._candidates))
        ids = [id_ for ranking in found if isinstance(ranking, Ranking) for id_ in ranking.ids]
        chunks = self._index.chunks(ids)
        return [
            self._rank_again(query, ranking, chunks, request.k) if isinstance(ranking, Ranking) else ranking
            for query, ranking in zip(queries, found, strict=True)
        ]
