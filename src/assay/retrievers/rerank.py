"""The second stage, written `+rerank` behind a variant: the first results are ranked again by a closer look.

Which reranker is a setting (`retrieval.rerank`). No neural cross-encoder comes with the package; one is plugged in as
`python:module:function`, called with the query and the list of texts, giving one number for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from assay.records import Chunk, Fault, Ranking
from assay.retrievers.answers import BadAnswer, ordered, raised, read_score
from assay.retrievers.loading import load_function
from assay.retrievers.protocol import RERANKERS, Context, Query, Request, Reranker, Retriever, stages_of

PHASE = "rerank"


class Reranked:
    """A variant with a second stage. Gives at most as many results as there are candidates, because what was not
    looked at again has no score on the new scale."""

    def __init__(self, first: Retriever, context: Context) -> None:
        options = context.config.retrieval.rerank
        self._first = first
        self._index = context.need_index("a reranker")
        self._candidates = options.candidates
        self._reranker = create(options.name, context)
        self.name = f"{first.name}+rerank"
        self.scale = self._reranker.scale
        self.local = first.local and not options.name.startswith("python:")

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        found = self._first.search(queries, self._deeper(request))
        chunks = self._index.chunks(id_ for ranking in found if isinstance(ranking, Ranking) for id_ in ranking.ids)
        return [
            self.rank_again(query.text, ranking.ids, chunks, request.k) if isinstance(ranking, Ranking) else ranking
            for query, ranking in zip(queries, found, strict=True)
        ]

    def stages(self, query: Query, request: Request) -> dict[str, Ranking | Fault]:
        deeper = self._deeper(request)
        return stages_of(self._first, query, deeper) | {self._first.name: self._first.search([query], deeper)[0]}

    def _deeper(self, request: Request) -> Request:
        return msgspec.structs.replace(request, k=self._candidates)

    def rank_again(self, query: str, ids: Sequence[str], chunks: Mapping[str, Chunk], k: int) -> Ranking | Fault:
        """The second stage alone: the best k of the given ids."""
        unknown = [id_ for id_ in ids if id_ not in chunks]
        if unknown:
            return Fault(PHASE, f"{len(unknown)} of {len(ids)} ids are not in the index, such as '{unknown[0]}'")
        try:
            scores = _checked(self._reranker.rerank(query, [chunks[id_] for id_ in ids]) if ids else [], len(ids))
        except BadAnswer as fault:
            return Fault(PHASE, str(fault))
        except (Exception, SystemExit) as fault:  # noqa: BLE001 (somebody else's code: its fault is this query's record)
            return raised(fault, PHASE)
        return ordered(list(zip(ids, scores, strict=True)), k, self.scale)


def create(name: str, context: Context) -> Reranker:
    kind, _, argument = name.partition(":")
    return RERANKERS.get(kind)(msgspec.structs.replace(context, argument=argument))


@RERANKERS.register("python")
class PythonReranker:
    """A function of the user's."""

    def __init__(self, context: Context) -> None:
        self.scale = "rerank"
        self._function = load_function(context.argument, "python")

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> list[float]:
        scores = self._function(query, [chunk.text for chunk in chunks])
        return list(scores.tolist() if hasattr(scores, "tolist") else scores)


def _checked(scores: object, n: int) -> list[float]:
    if not isinstance(scores, list) or len(scores) != n:
        given = f"{len(scores)} scores" if isinstance(scores, list) else type(scores).__name__
        raise BadAnswer(f"the reranker gave {given} for {n} texts")
    return [read_score(score, rank) for rank, score in enumerate(scores, 1)]
