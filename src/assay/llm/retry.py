"""Patience: what may pass is tried again, what cannot is not, and what was tried is counted."""

from __future__ import annotations

import asyncio
from random import Random
from time import perf_counter

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.llm.faults import LONGEST_ASKED_WAIT, CallFault, FatalLlmError, LlmError, QuotaSpent
from assay.llm.protocol import ChatReply, ChatRequest, Llm, RetryInfo, Usage
from assay.llm.rate import Limiter
from assay.llm.structured import Unparsed, parse_json_reply
from assay.llm.tokens import estimate_prompt

_JITTER = 0.2
_CUT = {"length", "content_filter", "refusal"}
"""Asked again, the reply would end the same way."""


class Patience(Struct, frozen=True, kw_only=True):
    """At most `tries`; waits of `first_wait` × 1, 2, 4, 8, ... ± 20 %, or what the service asks for if that is more."""

    tries: int = 5
    first_wait: float = 2.0
    seed: int = 0


class Timed:
    """A model with a limit to each call. Waiting for a place or a budget is not part of the call."""

    def __init__(self, inner: Llm, timeout: float) -> None:
        self._inner, self._timeout = inner, timeout

    async def complete(self, request: ChatRequest) -> ChatReply:
        start = perf_counter()
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._inner.complete(request)
        except TimeoutError:
            raise CallFault("timeout", f"no answer within {self._timeout:g} s") from None
        return msgspec.structs.replace(reply, latency=round(perf_counter() - start, 6))


class Retrying:
    """A model that is asked again after faults that may pass. After a fatal one nothing more is sent."""

    def __init__(self, inner: Llm, patience: Patience, limiter: Limiter, where: str) -> None:
        self._inner, self._patience, self._limiter, self._where = inner, patience, limiter, where
        self._random = Random(patience.seed)  # noqa: S311 (spreads calls, guards nothing)
        self._fatal: AssayError | None = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        discarded, error = Usage(), None
        for attempt in range(1, self._patience.tries + 1):
            try:
                reply = await self._try(request)
            except CallFault as fault:
                discarded, error = discarded + fault.usage, fault.what
                retry = RetryInfo(attempt, False, error, discarded)
                if not fault.retry or attempt == self._patience.tries:
                    tries = f" ({attempt} tries)" if attempt > 1 else ""
                    raise LlmError(f"{error}{tries}", where=self._where, kind=fault.kind, retry=retry) from None
                await asyncio.sleep(self._wait(fault, retry))
            else:
                retry = RetryInfo(attempt, attempt > 1, error, discarded)
                return msgspec.structs.replace(reply, retry=retry) if attempt > 1 else reply
        raise AssertionError("at least one try is made")

    async def _try(self, request: ChatRequest) -> ChatReply:
        estimated = estimate_prompt(request)
        async with self._limiter.place(estimated) as started_in:
            if self._fatal is not None:
                raise self._fatal
            try:
                reply = await self._inner.complete(request)
            except CallFault as fault:
                if fault.kind == "rate_limited":
                    self._limiter.places.refused(started_in)
                raise
            except (FatalLlmError, QuotaSpent) as fault:
                self._fatal = fault
                raise
            self._limiter.places.succeeded()
        if reply.usage is not None:
            self._limiter.settle(estimated, reply.usage.total)
        return _readable(reply, request)

    def _wait(self, fault: CallFault, retry: RetryInfo) -> float:
        if fault.wait is not None and fault.wait > LONGEST_ASKED_WAIT:
            raise LlmError(
                f"{fault.what} (asks to wait {fault.wait:.0f} s)",
                where=self._where,
                kind=fault.kind,
                retry=retry,
            )
        wait = self._patience.first_wait * 2.0 ** (retry.attempts - 1) * self._random.uniform(1 - _JITTER, 1 + _JITTER)
        return max(wait, fault.wait * self._random.uniform(1, 1 + _JITTER)) if fault.wait else wait


def _readable(reply: ChatReply, request: ChatRequest) -> ChatReply:
    """A structured reply that breaks its schema was paid for and is of no use."""
    if request.json_schema is None or not request.json_schema.checked:
        return reply
    parsed = parse_json_reply(reply.text, request.json_schema.schema)
    if not isinstance(parsed, Unparsed):
        return reply
    cut = reply.finish_reason in _CUT
    reason = f"the reply ended with {reply.finish_reason}: " if cut else ""
    fault = CallFault("unreadable", f"unreadable reply: {reason}{parsed.reason}", retry=not cut)
    fault.usage = reply.usage or Usage()
    raise fault
