"""An extractor in Python: `python:module:function`, or simply `module:function`.

It is given the text; a parameter called `sample`, `reference_datetime`, `timezone`, `calendar_context` or `owner` is
given that. It may be async. What it raises is the fault of that one sample.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from time import perf_counter
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.errors import AssayError
from assay.extraction.protocol import EXTRACTORS, Context, Output, Sample
from assay.extraction.told import read_output
from assay.records import Fault
from assay.retrievers.answers import BadAnswer
from assay.retrievers.loading import load_function
from assay.systems.secrets import without_secrets
from assay.systems.threads import Raised, SideLoop, in_thread

PARAMETERS = ("sample", "reference_datetime", "timezone", "calendar_context", "owner")
_LONGEST = 500


def payload_of(sample: Sample) -> dict[str, Any]:
    """What an extractor may know of a sample: everything but the truth."""
    return {
        "id": sample.id,
        "text": sample.text,
        "owner": sample.owner,
        "reference_datetime": sample.reference_datetime,
        "timezone": sample.timezone,
        "calendar_context": msgspec.to_builtins(sample.calendar),
    }


@EXTRACTORS.register("python")
class Python:
    """Somebody's function, in threads of its own."""

    def __init__(self, context: Context) -> None:
        self.name = f"python:{context.argument}"
        self._function = load_function(context.argument, "python")
        self._names = _parameters(self._function, self.name)
        self._timeout = context.config.extraction.timeout
        self._loop = SideLoop()

    async def extract(self, sample: Sample) -> Output:
        payload = payload_of(sample)
        named = {name: payload if name == "sample" else payload[name] for name in self._names}
        try:
            async with asyncio.timeout(self._timeout):
                done = await self._call(sample.text, named)
        except TimeoutError:
            return Output(fault=Fault("extract", f"no answer within {self._timeout:g} s"), seconds=self._timeout)
        if isinstance(done, Raised):
            return Output(fault=Fault("extract", _message(done.fault)))
        output: Output = done[0]
        seconds: float = done[1]
        return replace(output, seconds=seconds if output.seconds is None else output.seconds)

    async def close(self) -> None:
        self._loop.close()

    async def _call(self, text: str, named: dict[str, Any]) -> Any:
        """Reading may run the user's code, so it is done over there."""

        def work() -> tuple[Output, float]:
            start = perf_counter()
            given = self._function(text, **named)
            if inspect.isawaitable(given):
                given = asyncio.run(_awaited(given))
            seconds = perf_counter() - start
            return read_output(given), seconds

        async def work_async() -> tuple[Output, float]:
            start = perf_counter()
            given = await self._function(text, **named)
            seconds = perf_counter() - start
            return read_output(given), seconds

        if inspect.iscoroutinefunction(self._function):
            return await self._loop.run(work_async)
        return await in_thread(work)


async def _awaited(given: Any) -> Any:
    return await given


def _parameters(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    """Which of ours it takes; one that cannot be called is an error now, not a fault of every sample."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return ()
    known = [each for each in list(signature.parameters)[1:] if each in PARAMETERS]
    try:
        signature.bind("", **dict.fromkeys(known))
    except TypeError as fault:
        raise AssayError(
            f"'{name}{signature}' cannot be called: {fault}", expected=f"(text) and any of {', '.join(PARAMETERS)}"
        ) from None
    return tuple(known)


def _message(fault: BaseException) -> str:
    text = str(fault) if isinstance(fault, BadAnswer) else f"{type(fault).__name__}: {fault}"
    return without_secrets(" ".join(text.split()))[:_LONGEST].rstrip(": ")
