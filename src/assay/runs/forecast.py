"""What a run would call, how often, with how many tokens and at what cost: told before a cent is spent."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from assay.llm import Estimate


class Forecast(Struct, frozen=True, kw_only=True):
    """One phase that costs something."""

    phase: str
    who: str
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class RunEstimate(Struct, frozen=True, kw_only=True):
    """The whole forecast. A cost that is not known is None, never a guess."""

    questions: int
    unit: str = "questions"
    """What a case of this kind of run is called."""
    forecasts: tuple[Forecast, ...]
    warnings: tuple[str, ...]

    @property
    def cost(self) -> float | None:
        known = [forecast.cost for forecast in self.forecasts if forecast.cost is not None]
        return sum(known) if len(known) == len(self.forecasts) else None

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data | {"cost_usd": self.cost}


def scaled(phase: str, who: str, found: Estimate, calls: int) -> Forecast:
    """So many calls like those that were estimated."""
    factor = calls / found.calls
    return Forecast(
        phase=phase,
        who=who,
        calls=calls,
        prompt_tokens=round(found.prompt_tokens * factor),
        completion_tokens=round(found.completion_tokens * factor),
        cost=None if found.cost is None else found.cost * factor,
    )


def unknown(phase: str, who: str, calls: int) -> Forecast:
    """Of a system that does not tell what it will spend."""
    return Forecast(phase=phase, who=who, calls=calls, prompt_tokens=None, completion_tokens=None, cost=None)
