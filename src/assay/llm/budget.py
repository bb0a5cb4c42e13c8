"""Money and time: what may be spent, what was, and what it would have been without the cache."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from assay.errors import AssayError, IncompleteRun
from assay.llm.faults import LlmError
from assay.llm.prices import Cost, Price, cost
from assay.llm.protocol import ChatReply, ChatRequest, Llm, Usage
from assay.llm.tokens import estimate_prompt


class BudgetSpent(IncompleteRun):
    """The limit is reached. What is done is kept; the run can be resumed."""


class Budget:
    """Limits of a run, over all its models. Calls under way count with what they are expected to cost."""

    def __init__(self, max_cost: float | None = None, max_seconds: float | None = None):
        self.max_cost, self.max_seconds = max_cost, max_seconds
        self.spent = 0.0
        self._held = 0.0
        self._start = time.monotonic()

    def spend(self, amount: float) -> None:
        self.spent += amount

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    def check(self, expected: float = 0.0) -> None:
        """Raises `BudgetSpent` when no call of that cost may begin."""
        if self.max_seconds is not None and self.seconds >= self.max_seconds:
            raise BudgetSpent(f"stopped after {self.seconds:.0f} s: max_seconds is {self.max_seconds:g}", hint=_RESUME)
        if self.max_cost is not None and self.spent + self._held + expected > self.max_cost:
            raise BudgetSpent(f"stopped at ${self.spent:.4f}: max_cost is ${self.max_cost:g}", hint=_RESUME)

    @contextmanager
    def hold(self, expected: float) -> Iterator[None]:
        """A call of about that cost is under way."""
        self.check(expected)
        self._held += expected
        try:
            yield
        finally:
            self._held -= expected


_RESUME = "Resume the run with a higher limit"


class Ledger:
    """What one model did for a run. Costs are None when the price is unknown."""

    def __init__(self, price: Price | None):
        self.price = price
        self.calls = self.reused = self.failed = self.without_usage = 0
        self.spent_usage, self.usage = Usage(), Usage()
        self._spent, self._as_if = Cost(), Cost()

    @property
    def spent(self) -> Cost | None:
        """Paid now, with replies that could not be read."""
        return self._spent if self.price is not None else None

    @property
    def as_if(self) -> Cost | None:
        """What all replies are worth, the reused ones included."""
        return self._as_if if self.price is not None else None

    def called(self, reply: ChatReply) -> float:
        self.calls += reply.retry.attempts
        self._count(reply)
        return self._pay(reply.usage or Usage()) + self._pay(reply.retry.discarded)

    def gave_up(self, fault: LlmError) -> float:
        self.calls += fault.retry.attempts
        self.failed += 1
        return self._pay(fault.retry.discarded)

    def took_again(self, reply: ChatReply) -> None:
        self.reused += 1
        self._count(reply)

    def _count(self, reply: ChatReply) -> None:
        if reply.usage is None:
            self.without_usage += 1
            return
        self.usage += reply.usage
        if self.price is not None:
            self._as_if += cost(reply.usage, self.price)

    def _pay(self, usage: Usage) -> float:
        self.spent_usage += usage
        if self.price is None or not usage.total:
            return 0.0
        paid = cost(usage, self.price)
        self._spent += paid
        return paid.total


class Metered:
    """A model whose calls are paid from a budget."""

    def __init__(self, inner: Llm, ledger: Ledger, budget: Budget, where: str):
        if budget.max_cost is not None and ledger.price is None:
            raise AssayError(
                f"max_cost cannot be kept: no price is known for {where}", hint="Give it under llm.prices in assay.yaml"
            )
        self._inner, self._ledger, self._budget = inner, ledger, budget

    async def complete(self, request: ChatRequest) -> ChatReply:
        with self._budget.hold(self._expected(request)):
            try:
                reply = await self._inner.complete(request)
            except LlmError as fault:
                self._budget.spend(self._ledger.gave_up(fault))
                raise
            self._budget.spend(self._ledger.called(reply))
            return reply

    def _expected(self, request: ChatRequest) -> float:
        """The prompt by the rule of thumb; the reply as long as allowed, or as the replies so far were."""
        if self._ledger.price is None or self._budget.max_cost is None:
            return 0.0
        replies = max(1, self._ledger.calls)
        output = self._ledger.spent_usage.completion + self._ledger.spent_usage.thinking
        expected = Usage(prompt=estimate_prompt(request), completion=request.max_tokens or output // replies)
        return cost(expected, self._ledger.price).total


class Estimate(Struct, frozen=True, kw_only=True):
    """A forecast. Cost is None when the price is unknown."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def estimate(requests: Iterable[ChatRequest], price: Price | None, reply_tokens: int = 256) -> Estimate:
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
