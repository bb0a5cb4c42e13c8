"""A system within the limits of a run: no question begins beyond them, and what somebody's own system spends counts.

What it gives is clean of the user's keys from here on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.llm.budget import Budget
from assay.llm.prices import Price, cost, unknown_price
from assay.rag.clean import clean_output
from assay.records import Case
from assay.systems.protocol import Output, RagSystem

Priced = Callable[[Output], Price | None]


class Guarded:
    """`priced` gives the price of what an output used; None: the system's calls are counted elsewhere, or are free."""

    def __init__(self, system: RagSystem, budget: Budget, priced: Priced | None, secrets: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self.name = system.name
        self._system, self._budget, self._priced = system, budget, priced
        self._spent, self._asked = 0.0, 0
        self.unpriced: set[str] = set()

    async def run(self, case: Case) -> Output:
        if self._priced is None:
            self._budget.check()
            return clean_output(await self._system.run(case), self._secrets)
        async with self._budget.hold(self._expected):
            output = await self._system.run(case)
            self._count(output, self._priced)
            return clean_output(output, self._secrets)

    async def close(self) -> None:
        await self._system.close()

    @property
    def warnings(self) -> list[str]:
        """What the limit on the cost could not count."""
        if self._budget.max_cost is None:
            return []
        return [f"max_cost does not hold for the answers: {why}" for why in sorted(self.unpriced)]

    def _expected(self) -> float:
        """As much as the questions before it cost on average."""
        return self._spent / self._asked if self._asked else 0.0

    def _count(self, output: Output, priced: Priced) -> None:
        if output.usage is None:
            self.unpriced.add("the system does not tell what it uses")
            return
        price = priced(output)
        if price is None:
            self.unpriced.add(unknown_price(output.metadata.model or self.name))
            return
        spent = cost(output.usage, price).total
        self._budget.spend(spent)
        self._spent, self._asked = self._spent + spent, self._asked + 1
