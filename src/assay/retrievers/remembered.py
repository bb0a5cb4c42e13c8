"""Memories ranked by more than relevance: how recent they are, and how important somebody said they are.

    score = relevance / best relevance + recency · 2^(−age in days / half life) + priority · own priority

Relevance is what the retriever found; a memory without a date adds nothing for its age, one without a priority nothing
for that. The age is counted to a given day, else to the newest memory, so that the same index gives the same ranking
on any day. Priorities above 1 are divided by the largest. Both weights are 0 unless set: then nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cached_property

import msgspec
import numpy as np

from assay.config import MemoryRanking
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Chunk, Fault, Ranking
from assay.retrievers.protocol import Context, Query, Request, Retriever, stages_of

SCALE = "memory"


class Remembered:
    """A retriever whose memories are ranked again; other lanes are left as they are."""

    def __init__(self, first: Retriever, context: Context) -> None:
        self._first = first
        self._index = context.need_index("ranking memories")
        self._options = context.config.retrieval.memory
        self.name, self.scale, self.local = first.name, first.scale, first.local

    def search(self, queries: Sequence[Query], request: Request) -> list[Ranking | Fault]:
        if request.lane != "memory":
            return self._first.search(queries, request)
        found = self._first.search(queries, self._deeper(request))
        return [self._again(ranking, request.k) if isinstance(ranking, Ranking) else ranking for ranking in found]

    def stages(self, query: Query, request: Request) -> dict[str, Ranking | Fault]:
        if request.lane != "memory":
            return stages_of(self._first, query, request)
        deeper = self._deeper(request)
        return stages_of(self._first, query, deeper) | {self._first.name: self._first.search([query], deeper)[0]}

    def _deeper(self, request: Request) -> Request:
        return msgspec.structs.replace(request, k=max(request.k, self._options.candidates))

    @cached_property
    def _notes(self) -> _Notes:
        return _Notes(self._index, self._options)

    def _again(self, ranking: Ranking, k: int) -> Ranking:
        best = max(ranking.scores, default=0.0)
        sums = {
            id_: (score / best if best > 0 else 0.0) + self._notes.bonus(id_)
            for id_, score in zip(ranking.ids, ranking.scores, strict=True)
        }
        single = dict(zip(sums, np.array(list(sums.values()), dtype=np.float32).tolist(), strict=True))
        ids = sorted(single, key=lambda id_: (single[id_], id_), reverse=True)[:k]
        return Ranking(tuple(ids), tuple([single[id_] for id_ in ids]), SCALE)


class _Notes:
    """What is known of each memory beside its text."""

    def __init__(self, index: Index, options: MemoryRanking) -> None:
        ids = [id_ for id_, lane in zip(index.ids, index.lanes, strict=True) if lane == "memory"]
        chunks = index.chunks(ids).values()
        self._options = options
        self._dates = {chunk.id: day for chunk in chunks if (day := _day(chunk)) is not None}
        priorities = {chunk.id: _priority(chunk) for chunk in chunks}
        largest = max([1.0, *priorities.values()])
        self._priorities = {id_: value / largest for id_, value in priorities.items()}
        self._today = _today(options.today) or max(self._dates.values(), default=0.0)

    def bonus(self, id_: str) -> float:
        recency = 0.0
        if id_ in self._dates:
            age = max(0.0, self._today - self._dates[id_])
            recency = 2.0 ** (-age / self._options.half_life_days)
        return float(self._options.recency * recency + self._options.priority * self._priorities.get(id_, 0.0))


def _day(chunk: Chunk) -> float | None:
    """Days since 1970."""
    try:
        return _days(str(chunk.metadata["date"])) if "date" in chunk.metadata else None
    except ValueError:
        return None


def _days(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86_400


def _priority(chunk: Chunk) -> float:
    value = chunk.metadata.get("priority")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0.0


def _today(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return _days(text)
    except ValueError:
        raise AssayError(
            f"retrieval.memory.today is '{text}'", expected=f"a date such as {date(2026, 1, 31)}"
        ) from None
