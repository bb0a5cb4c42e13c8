"""Expected units that are in the index but not among the first k: where they stand instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.corpus.index import Index
from assay.lanes.system import LaneSystem
from assay.lanes.tasks import Task
from assay.records import Chunk, Ranking
from assay.runs.results import Row

SHOWN = 3


def collect(
    systems: Sequence[LaneSystem],
    tasks: Iterable[Task],
    rows: Iterable[Row],
    indexes: Mapping[Path, Index],
    depth: int,
) -> list[dict[str, Any]]:
    """One record for each variant and case with an expected unit beyond its k."""
    by_id = {task.id: task for task in tasks}
    missed: dict[str, list[Row]] = {system.name: [] for system in systems}
    for row in rows:
        if row["status"] == "ok" and (row["recall_at_k"] or 0) < 1:
            missed[row["variant"]].append(row)
    found = []
    for system in systems:
        beyond = [by_id[row["case_id"]] for row in missed[system.name]]
        for row, task, ranks in zip(missed[system.name], beyond, _deep(system, beyond, depth), strict=True):
            found.append(_record(row, task, ranks, indexes[task.index]))
    return found


def _deep(system: LaneSystem, tasks: Sequence[Task], depth: int) -> list[dict[str, int]]:
    """Rank of each result of a deep search, where searching costs nothing; a service is not asked again."""
    if not all(retriever.local for retriever in system.retrievers.values()):
        return [{} for _ in tasks]
    found = system.search(tasks, depth)
    return [
        {id_: rank for rank, id_ in enumerate(ranking.ids, 1)} if isinstance(ranking, Ranking) else {}
        for ranking in found
    ]


def _record(row: Row, task: Task, ranks: Mapping[str, int], index: Index) -> dict[str, Any]:
    beyond = [id_ for id_ in task.case.expected if id_ not in row["hits"]]
    first = row["top_ids"][:SHOWN]
    chunks = index.chunks([*beyond, *first])
    return {
        "variant": row["variant"],
        "case_id": row["case_id"],
        "question": row["question"],
        "tags": row["tags"],
        "lane": row["lane"],
        "k": row["k"],
        "beyond": [_shown(chunks[id_]) | {"rank": ranks.get(id_)} for id_ in beyond],
        "retrieved": [_shown(chunks[id_]) | {"rank": rank} for rank, id_ in enumerate(first, 1) if id_ in chunks],
    }


def _shown(chunk: Chunk) -> dict[str, Any]:
    return {"id": chunk.id, "source": chunk.source, "text": chunk.text}
