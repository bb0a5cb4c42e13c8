"""A pipeline in Python under test: `python:module:name`. How it is called: `calls.py`; what it may return: `told.py`.

It runs in threads of its own (an async one in an event loop of its own): one that hangs is given up after
`pipeline.timeout` seconds, and holds up neither the others nor Ctrl-C. What it raises, and what cannot be read, is the
record of that one question.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec.structs import replace

from assay.errors import IncompleteRun
from assay.records import Case, Fault
from assay.retrievers.answers import BadAnswer
from assay.retrievers.loading import load_object
from assay.systems.calls import Call, calls_of
from assay.systems.fields import well_formed
from assay.systems.finished import finished
from assay.systems.protocol import SYSTEMS, Context, Output, Passage, Timing
from assay.systems.secrets import without_secrets
from assay.systems.threads import Raised, SideLoop, in_thread, within
from assay.systems.told import read_candidates, read_output

MOST_HANGING = 100
"""Threads that were given up and have not come back: each keeps its memory."""

_LONGEST = 500

Read = Callable[[Any], Any]


class _Failed(Exception):
    """The call gave nothing that can be used."""


@SYSTEMS.register("python")
class Python:
    """Somebody's pipeline."""

    def __init__(self, context: Context) -> None:
        pipeline = context.config.run.pipeline
        self.name = f"python:{context.argument}"
        self._calls = calls_of(load_object(context.argument, "python"), self.name)
        self.calls_per_question = 2 if self._calls.retrieve else 1
        self.inputs = _source(context.argument.partition(":")[0])
        self._index = context.index
        self._recall_k, self._precision_k = pipeline.recall_k, pipeline.precision_k
        self._timeout = pipeline.timeout
        self._loop = SideLoop()
        self._running: set[object] = set()
        self._given_up: set[object] = set()

    async def run(self, case: Case) -> Output:
        before = Output()
        passages: Any = None
        if self._calls.retrieve is not None:
            try:
                (passages, candidates), seconds = await self._ask(
                    self._calls.retrieve, (case.question, self._recall_k), self._retrieved
                )
            except _Failed as fault:
                return Output(fault=Fault("retrieval", str(fault)))
            before = Output(candidates=candidates, timing=Timing(retrieval=seconds))
        try:
            output, seconds = await self._ask(
                self._calls.answer, (case.question, self._precision_k, passages), self._answered
            )
        except _Failed as fault:
            return replace(before, fault=Fault("generation" if self._calls.retrieve else "unknown", str(fault)))
        return self._joined(before, output, seconds)

    async def close(self) -> None:
        self._loop.close()

    def _joined(self, before: Output, output: Output, seconds: float) -> Output:
        """With what the retrieval gave, and the times that can be told from outside."""
        told, retrieval = output.timing, before.timing.retrieval
        generation = told.generation
        if self._calls.answer.takes_passages:
            generation = seconds if generation is None else generation
            seconds += retrieval or 0.0
        timing = Timing(
            retrieval=retrieval if told.retrieval is None else told.retrieval,
            rerank=told.rerank,
            generation=generation,
            total=seconds if told.total is None else told.total,
        )
        candidates = output.candidates if before.candidates is None else before.candidates
        return replace(output, candidates=candidates, timing=timing)

    async def _ask(self, call: Call, arguments: tuple[Any, ...], read: Read) -> tuple[Any, float]:
        """What the call gave, as read, and its seconds. Reading may run the user's code, so it is done over there."""
        ticket = object()
        self._running.add(ticket)

        def work() -> tuple[Any, float]:
            start = perf_counter()
            try:
                given = call.to_end(*arguments)
                seconds = perf_counter() - start
                return read(given), seconds
            finally:
                self._running.discard(ticket)

        async def work_async() -> tuple[Any, float]:
            start = perf_counter()
            try:
                given = await call(*arguments)
                seconds = perf_counter() - start
                return read(given), seconds
            finally:
                self._running.discard(ticket)

        try:
            done = await within(self._timeout, self._loop.run(work_async) if call.is_async else in_thread(work))
        except TimeoutError:
            self._give_up(ticket)
            raise _Failed(f"no answer within {self._timeout:g} s") from None
        if isinstance(done, Raised):
            raise _Failed(_message(done.fault))
        answer: tuple[Any, float] = done
        return answer

    def _give_up(self, ticket: object) -> None:
        self._given_up.add(ticket)
        self._given_up &= self._running
        if len(self._given_up) >= MOST_HANGING:
            raise IncompleteRun(
                f"{len(self._given_up)} calls of {self.name} hang and were given up after {self._timeout:g} s each",
                hint="Mend the pipeline, or raise run.pipeline.timeout",
            )

    def _retrieved(self, given: Any) -> tuple[Any, tuple[Passage, ...] | None]:
        return given, finished(Output(candidates=read_candidates(given)), self._index, self._recall_k).candidates

    def _answered(self, given: Any) -> Output:
        return finished(read_output(given), self._index, self._recall_k)


def _source(module: str) -> dict[str, str]:
    """The hash of the module's file: answers of two versions of a pipeline do not belong into one run."""
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return {"module": sha256(Path(path).read_bytes()).hexdigest()} if path else {}
    except OSError:
        return {}


def _message(fault: BaseException) -> str:
    """Type and message; no traceback, no key."""
    text = str(fault) if isinstance(fault, BadAnswer) else f"{type(fault).__name__}: {fault}"
    return well_formed(without_secrets(" ".join(text.split()))[:_LONGEST].rstrip(": "))
