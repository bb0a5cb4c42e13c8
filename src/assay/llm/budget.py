"""Money and time: what may be spent, what was, and what it would have been without the cache."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from assay.config import LlmOptions
from assay.errors import AssayError, IncompleteRun
from assay.llm.prices import Cost, Price, cost
from assay.llm.protocol import ChatReply, ChatRequest, Llm, Usage
from assay.llm.tokens import estimate_prompt

_REPLY_TOKENS = 256
"""Of a reply nothing is known of yet."""


class BudgetSpent(IncompleteRun):
    """The limit is reached. What is done is kept; the run can be resumed."""


class Budget:
    """Limits of a run, over all its models. Calls under way count with what they are expected to cost: a call that
    would only fit if they cost less waits for them."""

    def __init__(self, max_cost: float | None = None, max_seconds: float | None = None) -> None:
        self.max_cost, self.max_seconds = max_cost, max_seconds
        self.spent = 0.0
        self._held: list[float] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._start = time.monotonic()

    def spend(self, amount: float) -> None:
        self.spent += amount

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    def left_of(self, options: LlmOptions) -> LlmOptions:
        """The same settings with what is left of their limits, for what comes next in the same run."""
        cost, seconds = options.max_cost, options.max_seconds
        return replace(
            options,
            max_cost=None if cost is None else max(0.0, cost - self.spent),
            max_seconds=None if seconds is None else max(0.0, seconds - self.seconds),
        )

    def check(self, expected: float = 0.0) -> None:
        """Raises `BudgetSpent` when no call of that cost may begin."""
        if self.max_seconds is not None and self.seconds >= self.max_seconds:
            raise BudgetSpent(f"stopped after {self.seconds:.1f} s: max_seconds is {self.max_seconds:g}", hint=_RESUME)
        if self.max_cost is not None and self.spent + expected > self.max_cost:
            # of a run of several phases this one knows what was left to it, not what the user allowed in all
            left = max(0.0, self.max_cost - self.spent)
            raise BudgetSpent(
                f"stopped: ${left:.4f} of max_cost is left, and the next call may cost ${expected:.4f}", hint=_RESUME
            )

    @asynccontextmanager
    async def hold(self, forecast: Callable[[], float]) -> AsyncIterator[None]:
        """A call of about that cost is under way. The forecast is asked again after each wait: it learns."""
        self.check(expected := forecast())
        while self.max_cost is not None and self._held and self.spent + sum(self._held) + expected > self.max_cost:
            release = asyncio.get_running_loop().create_future()
            self._waiting.append(release)
            await release
            self.check(expected := forecast())
        self._held.append(expected)
        try:
            yield
        finally:
            self._held.remove(expected)
            for release in self._waiting:
                if not release.done():
                    release.set_result(None)
            self._waiting.clear()


_RESUME = "What was finished is kept, and whoever goes on has the whole limit again"


class Ledger:
    """What one model did for a run. Costs are None when the price is unknown."""

    def __init__(self, price: Price | None) -> None:
        self.price = price
        self.calls = self.paid_calls = self.reused = self.without_usage = 0
        self.spent_usage, self.usage = Usage(), Usage()
        self._spent = Cost()

    @property
    def spent(self) -> Cost | None:
        """Paid now, replies that could not be read included."""
        return self._spent if self.price is not None else None

    def paid(self, usage: Usage | None) -> float:
        """A call was answered; what it cost."""
        self.paid_calls += 1
        if usage is None:
            self.without_usage += 1
            return 0.0
        self.spent_usage += usage
        if self.price is None:
            return 0.0
        paid = cost(usage, self.price)
        self._spent += paid
        return paid.total

    def gave(self, reply: ChatReply) -> None:
        """A reply was given to whoever asked, wherever it came from."""
        self.reused += reply.source != "call"
        if reply.usage is not None:
            self.usage += reply.usage

    def expected(self, request: ChatRequest) -> float:
        """What a call may cost: the prompt by the rule of thumb, the reply as long as those before it."""
        if self.price is None:
            return 0.0
        output = self.spent_usage.completion + self.spent_usage.thinking
        length = output // self.paid_calls if self.paid_calls else request.max_tokens or _REPLY_TOKENS
        return cost(Usage(prompt=estimate_prompt(request), completion=length), self.price).total


class Metered:
    """A model whose every call, each try of it, is counted and paid from a budget."""

    def __init__(self, inner: Llm, ledger: Ledger, budget: Budget, where: str) -> None:
        if budget.max_cost is not None and ledger.price is None:
            raise AssayError(
                f"max_cost cannot be kept: no price is known for {where}", hint="Give it under llm.prices in assay.yaml"
            )
        self._inner, self._ledger, self._budget = inner, ledger, budget

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self._budget.max_cost is None:
            self._budget.check()
            return await self._call(request)
        async with self._budget.hold(lambda: self._ledger.expected(request)):
            return await self._call(request)

    async def _call(self, request: ChatRequest) -> ChatReply:
        self._ledger.calls += 1
        reply = await self._inner.complete(request)
        self._budget.spend(self._ledger.paid(reply.usage))
        return reply


class Estimate(Struct, frozen=True, kw_only=True):
    """A forecast. Cost is None when the price is unknown."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def estimate(requests: Iterable[ChatRequest], price: Price | None, reply_tokens: int = _REPLY_TOKENS) -> Estimate:
    """Calls × tokens → cost, if each reply has `reply_tokens`, or the request's `max_tokens` if that is less."""
    calls = prompt = completion = 0
    total = 0.0
    for request in requests:
        usage = Usage(prompt=estimate_prompt(request), completion=min(reply_tokens, request.max_tokens or reply_tokens))
        calls, prompt, completion = calls + 1, prompt + usage.prompt, completion + usage.completion
        total += cost(usage, price).total if price is not None else 0.0
    return Estimate(
        calls=calls,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=total if price is not None else None,
    )
