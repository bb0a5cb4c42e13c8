"""The one engine: cases × system × scorer → results, appended as they finish.

Retrieval, RAG and extraction differ in the system's outputs and in the scorer; what is common stands here:
batches, workers, faults as records, the checkpoint, going on after a crash.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from threading import Thread
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from assay.errors import IncompleteRun
from assay.records import Progress, Step
from assay.runs.results import ResultsFile, Row

Outputs = Sequence[Any]


class Identified(Protocol):
    """A case of any kind: a question, a sample."""

    @property
    def id(self) -> str: ...


C = TypeVar("C", bound=Identified)
C_contra = TypeVar("C_contra", bound=Identified, contravariant=True)


class Named(Protocol):
    """All that a scorer needs to know of a system."""

    @property
    def name(self) -> str: ...


class System(Named, Protocol[C_contra]):
    """What is under test. A case's fault is an output, not an exception. A plain `answer` is called in a thread."""

    @property
    def batch_size(self) -> int: ...

    def answer(self, cases: Sequence[C_contra]) -> Outputs | Awaitable[Outputs]: ...


class Scorer(Protocol[C_contra]):
    """Turns outputs into rows of the results file: `variant`, `case_id`, `status`, `scores`, ..."""

    def __call__(self, system: Named, cases: Sequence[C_contra], outputs: Sequence[Any]) -> list[Row]: ...


class Ended(Exception):
    """No other case can be evaluated, for that reason; these outputs are there and are kept."""

    def __init__(self, outputs: Outputs, why: Exception) -> None:
        super().__init__(str(why))
        self.outputs, self.why = outputs, why


class Timing(Struct, frozen=True):
    """What a system needed for how many cases. Cases of an earlier, resumed part are not in it."""

    seconds: float
    cases: int


class Plan(Struct, Generic[C], frozen=True, kw_only=True):
    """All that one call of the engine needs."""

    cases: Sequence[C]
    systems: Sequence[System[C]]
    scorer: Scorer[C]
    results: ResultsFile
    workers: int = 1
    progress: Progress = lambda _: None
    spent: Callable[[], float | None] = lambda: None
    """US dollars so far, where something is paid for."""


def evaluate(plan: Plan[C]) -> dict[str, Timing]:
    """Run every case that has no result yet. The sync door to what is async inside."""
    return asyncio.run(evaluate_async(plan))


async def evaluate_async(plan: Plan[C]) -> dict[str, Timing]:
    try:
        return await _evaluate(plan)
    except ExceptionGroup as group:
        raise _first(group) from None


def _first(group: ExceptionGroup[Exception]) -> Exception:
    """The first fault of several at once is the one that is told; the others are its echo."""
    fault = group.exceptions[0]
    return _first(fault) if isinstance(fault, ExceptionGroup) else fault


async def _evaluate(plan: Plan[C]) -> dict[str, Timing]:
    pending = _pending(plan)
    return {
        system.name: await _Run(plan, system, places).all()
        for system, places in zip(plan.systems, pending, strict=True)
    }


def _pending(plan: Plan[C]) -> list[array[int]]:
    """For each system the places of what has no result yet. Not the cases: they may stand on disk."""
    done = plan.results.recover()
    return [
        array("q", (place for place, case in enumerate(plan.cases) if (system.name, case.id) not in done))
        for system in plan.systems
    ]


class _Run(Generic[C]):
    """One system over its pending cases, by several workers that share one queue."""

    def __init__(self, plan: Plan[C], system: System[C], pending: Sequence[int]) -> None:
        self.plan, self.system, self.pending = plan, system, pending
        self.finished, self.seconds = len(plan.cases) - len(pending), 0.0
        self.errors = 0
        self.stopped: IncompleteRun | None = None
        self.fault: Exception | None = None
        self.is_async = asyncio.iscoroutinefunction(system.answer)
        self.unscored: deque[tuple[Sequence[C], Outputs]] = deque()

    async def all(self) -> Timing:
        batches = self._batches()
        if self.pending:
            self.plan.progress(self._step(()))  # what was done before does not count for the pace
        start = perf_counter()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.plan.workers):
                    group.create_task(self._work(batches))
        finally:
            self._score_all()
        if wrong := self.fault or self.stopped:
            raise wrong
        return Timing(perf_counter() - start, len(self.pending))

    def _batches(self) -> Iterator[Sequence[C]]:
        size = self.system.batch_size
        for start in range(0, len(self.pending), size):
            yield [self.plan.cases[place] for place in self.pending[start : start + size]]

    async def _work(self, batches: Iterator[Sequence[C]]) -> None:
        """A run that may not go on (budget, quota, disk) takes no new case; what is under way was paid for and ends."""
        for batch in batches:
            if self.stopped or self.fault:
                return
            try:
                outputs = await self._answer(batch)
            except IncompleteRun as fault:
                self.stopped = self.stopped or fault
                return
            except Ended as end:
                self.fault = self.fault or end.why
                outputs = end.outputs
            self._take(batch, outputs)

    def _take(self, batch: Sequence[C], outputs: Outputs) -> None:
        """Scored when the calls that are ready to be sent have been: nobody's question waits for another's score. Where
        the system works in a thread, its times would show it: scored at once."""
        self.unscored.append((batch, outputs))
        if not self.is_async or len(self.unscored) > self.plan.workers:
            self._score_all()
        elif len(self.unscored) == 1:
            asyncio.get_running_loop().call_soon(self._score_next)

    def _score_next(self) -> None:
        try:
            if self.unscored:
                self._score(*self.unscored.popleft())
        except Exception as fault:  # noqa: BLE001 - nobody waits here: it is raised when the workers have ended
            self.fault = self.fault or fault
        if self.unscored:
            asyncio.get_running_loop().call_soon(self._score_next)

    def _score_all(self) -> None:
        while self.unscored:
            self._score(*self.unscored.popleft())

    def _score(self, batch: Sequence[C], outputs: Outputs) -> None:
        try:
            rows = self.plan.scorer(self.system, batch, outputs)
            self.plan.results.append(rows)
        except IncompleteRun as fault:
            self.stopped = self.stopped or fault
            return
        self.finished += len(batch)
        self.errors += sum(row["status"] == "error" for row in rows)
        self.plan.progress(self._step(rows))

    def _step(self, rows: Sequence[Row]) -> Step:
        last = rows[-1] if rows else None
        return Step(
            self.system.name, self.finished, len(self.plan.cases), self.plan.spent(), errors=self.errors, last=last
        )

    async def _answer(self, batch: Sequence[C]) -> Outputs:
        if self.is_async:
            outputs: Outputs = await self.system.answer(batch)  # type: ignore[misc]
            return outputs
        return await _in_thread(self.system.answer, batch)


def _awaitable(fault: BaseException) -> Exception:
    """As it can be passed to who waits: `sys.exit()` in a system ends the run, not the program with a code of its own;
    a StopIteration would be taken for an end of waiting."""
    if isinstance(fault, Exception) and not isinstance(fault, StopIteration):
        return fault
    return IncompleteRun(
        f"the system under test ended with {fault!r}", hint="What was finished is kept; go on with --resume last"
    )


async def _in_thread(function: Callable[[Sequence[C]], Any], cases: Sequence[C]) -> Outputs:
    """Like `asyncio.to_thread`, but Ctrl-C does not wait for a system that hangs."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Outputs] = loop.create_future()

    def settle(outputs: Outputs | None, fault: Exception | None) -> None:
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
        except BaseException as raised:  # noqa: BLE001 - passed on to whoever waits, in its own thread
            fault = _awaitable(raised)
        with suppress(RuntimeError):  # nobody waits any more: the run was interrupted
            loop.call_soon_threadsafe(settle, outputs, fault)

    Thread(target=work, daemon=True).start()
    return await future
