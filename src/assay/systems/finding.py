"""The retrieval half of the embedded pipeline: candidates, a second stage if one is wanted, and the texts."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from msgspec import Struct

from assay.corpus.index import Index
from assay.records import Case, Chunk, Fault, Lane, Ranking
from assay.retrievers.asking import ask
from assay.retrievers.protocol import Context as RetrieverContext
from assay.retrievers.protocol import Query, Request, Retriever
from assay.retrievers.rerank import Reranked
from assay.retrievers.variants import RERANK, build
from assay.systems.protocol import Context, Passage


class Found(Struct, frozen=True, kw_only=True):
    """What came back for one case. What a fault left undone is None."""

    candidates: tuple[Passage, ...] | None = None
    context: tuple[Passage, ...] | None = None
    chunks: tuple[Chunk, ...] = ()
    """Of the context."""
    scale: str | None = None
    context_scale: str | None = None
    retrieval: float | None = None
    rerank: float | None = None
    fault: Fault | None = None


class Finder:
    """Searches many questions together. The time of a search is shared evenly among them; a question that is ranked
    again has a time of its own for that."""

    def __init__(self, context: Context, index: Index) -> None:
        config, pipeline = context.config, context.config.run.pipeline
        first = pipeline.retriever.strip().removesuffix(RERANK)
        self._index = index
        self._retriever: Retriever = build(first, config, index)
        self._second: Reranked | None = None
        if first != pipeline.retriever.strip():
            self._second = Reranked(self._retriever, RetrieverContext(config=config, index=index))
        self._sources = config.retrieval.sources
        self._recall_k, self._precision_k = pipeline.recall_k, pipeline.precision_k
        self._again = max(config.retrieval.rerank.candidates, pipeline.precision_k)

    def find(self, cases: Sequence[Case]) -> list[Found]:
        """In the order of the cases, whatever their lanes."""
        lanes: dict[Lane | None, list[Case]] = {}
        for case in cases:
            lanes.setdefault(case.lane, []).append(case)
        found = {lane: iter(self._find(some, lane)) for lane, some in lanes.items()}
        return [next(found[case.lane]) for case in cases]

    def _find(self, cases: Sequence[Case], lane: Lane | None) -> list[Found]:
        start = perf_counter()
        request = Request(k=self._recall_k, sources=self._sources, lane=lane)
        rankings = ask(self._retriever, [Query(case.id, case.question) for case in cases], request)
        looked_at = self._again if self._second else self._precision_k
        wanted = [id_ for ranking in rankings if isinstance(ranking, Ranking) for id_ in ranking.ids[:looked_at]]
        chunks = self._index.chunks(wanted)
        seconds = (perf_counter() - start) / len(cases)
        return [self._one(case, ranking, chunks, seconds) for case, ranking in zip(cases, rankings, strict=True)]

    def _one(self, case: Case, ranking: Ranking | Fault, chunks: dict[str, Chunk], seconds: float) -> Found:
        if isinstance(ranking, Fault):
            return Found(retrieval=seconds, fault=Fault("retrieval", ranking.message))
        candidates = tuple(map(self._candidate, ranking.ids, ranking.scores))
        best, rerank = ranking, None
        if self._second is not None:
            start = perf_counter()
            ids = ranking.ids[: self._again]
            again = self._second.rank_again(case.question, ids, chunks, self._precision_k)
            rerank = perf_counter() - start
            if isinstance(again, Fault):
                return Found(candidates=candidates, scale=ranking.scale, retrieval=seconds, rerank=rerank, fault=again)
            best = again
        shown = best.ids[: self._precision_k]
        absent = [id_ for id_ in shown if id_ not in chunks]
        fault = Fault("retrieval", f"{len(absent)} ids are not in the index, such as '{absent[0]}'") if absent else None
        return Found(
            candidates=candidates,
            context=None if absent else tuple(map(_shown, (chunks[id_] for id_ in shown), best.scores)),
            chunks=() if absent else tuple(chunks[id_] for id_ in shown),
            scale=ranking.scale,
            context_scale=best.scale if self._second else None,
            retrieval=seconds,
            rerank=rerank,
            fault=fault,
        )

    def _candidate(self, id_: str, score: float) -> Passage:
        row = self._index.rows.get(id_)
        if row is None:
            return Passage(id=id_, score=score)
        return Passage(id=id_, source=self._index.sources[row] or None, page=self._index.pages[row], score=score)


def _shown(chunk: Chunk, score: float) -> Passage:
    return Passage(id=chunk.id, source=chunk.source or None, page=chunk.page, score=score, text=chunk.text)
