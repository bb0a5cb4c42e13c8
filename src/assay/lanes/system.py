"""A retriever as a system under test: each case is searched for in its own lane of its own index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from assay.lanes.tasks import Task
from assay.records import Fault, Lane, Ranking
from assay.retrieval.system import batch_of
from assay.retrievers.asking import ask
from assay.retrievers.protocol import Query, Request, Retriever


class LaneSystem(Struct, frozen=True, kw_only=True):
    """One variant over all indexes."""

    name: str
    retrievers: Mapping[Path, Retriever]

    @property
    def batch_size(self) -> int:
        """As many as suits the retriever: what is lost by a crash is at most one batch."""
        return min(map(batch_of, self.retrievers.values()))

    def answer(self, cases: Sequence[Task]) -> Sequence[Ranking | Fault]:
        return self.search(cases)

    def search(self, tasks: Sequence[Task], depth: int | None = None) -> list[Ranking | Fault]:
        """Each as far as its own k, or all to that depth. What is searched alike is searched together."""
        alike: dict[tuple[Path, Lane, int], list[int]] = {}
        for place, task in enumerate(tasks):
            alike.setdefault((task.index, task.lane, depth or task.k), []).append(place)
        found: dict[int, Ranking | Fault] = {}
        for (index, lane, k), places in alike.items():
            queries = [Query(tasks[place].id, tasks[place].case.question) for place in places]
            rankings = ask(self.retrievers[index], queries, Request(k=k, lane=lane))
            found.update(zip(places, rankings, strict=True))
        return [found[place] for place in range(len(tasks))]
