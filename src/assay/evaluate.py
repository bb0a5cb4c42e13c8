"""The one engine: cases × system × scorer → results, appended as they finish.

Retrieval, RAG and extraction differ in the system's outputs and in the scorer; what is common stands here:
batches, workers, faults as records, the checkpoint, going on after a crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
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
    try:
        return asyncio.run(_evaluate(plan))
    except ExceptionGroup as group:
        raise _first(group) from None


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """The first fault of several at once is the one that is told; the others are its echo."""
    fault = group.exceptions[0]
    return _first(fault) if isinstance(fault, ExceptionGroup) else fault


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
            outputs = await _in_thread(system.answer, batch)
            seconds += perf_counter() - start
        plan.results.append(plan.scorer(system, batch, outputs))
        finished += len(batch)
        plan.progress(system.name, finished, total)

    size = system.batch_size
    async with asyncio.TaskGroup() as group:
        for start in range(0, len(pending), size):
            group.create_task(one(pending[start : start + size]))
    return Timing(seconds, len(pending))


async def _in_thread(function: Callable[[Sequence[Case]], Sequence[Any]], cases: Sequence[Case]) -> Sequence[Any]:
    """Like `asyncio.to_thread`, but Ctrl-C does not wait for a system that hangs."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Sequence[Any]] = loop.create_future()

    def settle(outputs: Sequence[Any] | None, fault: Exception | None) -> None:
        if future.done():
            return
        if fault is not None:
            future.set_exception(fault)
        else:
            future.set_result(outputs or ())

    def work() -> None:
        outputs, fault = None, None
        try:
            outputs = function(cases)
        except Exception as raised:  # noqa: BLE001 - passed on to whoever waits, in its own thread
            fault = raised
        with suppress(RuntimeError):  # nobody waits any more: the run was interrupted
            loop.call_soon_threadsafe(settle, outputs, fault)

    Thread(target=work, daemon=True).start()
    return await future
