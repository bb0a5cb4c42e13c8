"""The one engine: cases × system × scorer → results, appended as they finish.

Retrieval, RAG and extraction differ in the system's outputs and in the scorer; what is common stands here:
batches, workers, faults as records, the checkpoint, going on after a crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol

from msgspec import Struct

from assay.records import Case
from assay.runs.results import ResultsFile, Row

Progress = Callable[[str, int, int], None]
"""Told of the system, how many cases are done, and how many there are."""


class System(Protocol):
    """What is under test. Called in a worker thread; a case's fault is an output, not an exception."""

    @property
    def name(self) -> str: ...

    @property
    def batch_size(self) -> int: ...

    def answer(self, cases: Sequence[Case]) -> Sequence[Any]: ...


class Scorer(Protocol):
    """Turns outputs into rows of the results file: `variant`, `case_id`, `status`, `scores`, ..."""

    def __call__(self, system: System, cases: Sequence[Case], outputs: Sequence[Any]) -> list[Row]: ...


class Timing(Struct, frozen=True):
    """What a system needed for how many cases. Cases of an earlier, resumed part are not in it."""

    seconds: float
    cases: int


class Plan(Struct, frozen=True, kw_only=True):
    """All that one call of the engine needs."""

    cases: Sequence[Case]
    systems: Sequence[System]
    scorer: Scorer
    results: ResultsFile
    workers: int = 1
    progress: Progress = lambda _system, _done, _total: None


def evaluate(plan: Plan) -> dict[str, Timing]:
    """Run every case that has no result yet. The sync door to what is async inside."""
    return asyncio.run(_evaluate(plan))


async def _evaluate(plan: Plan) -> dict[str, Timing]:
    done = {(row["variant"], row["case_id"]) for row in plan.results.recover()}
    timings = {}
    for system in plan.systems:
        pending = [case for case in plan.cases if (system.name, case.id) not in done]
        timings[system.name] = await _run_system(plan, system, pending)
    return timings


async def _run_system(plan: Plan, system: System, pending: Sequence[Case]) -> Timing:
    total, finished, seconds = len(plan.cases), len(plan.cases) - len(pending), 0.0
    gate = asyncio.Semaphore(plan.workers)

    async def one(batch: Sequence[Case]) -> None:
        nonlocal finished, seconds
        async with gate:
            start = perf_counter()
            outputs = await asyncio.to_thread(system.answer, batch)
            seconds += perf_counter() - start
        plan.results.append(plan.scorer(system, batch, outputs))
        finished += len(batch)
        plan.progress(system.name, finished, total)

    size = system.batch_size
    async with asyncio.TaskGroup() as group:
        for start in range(0, len(pending), size):
            group.create_task(one(pending[start : start + size]))
    return Timing(seconds, len(pending))
