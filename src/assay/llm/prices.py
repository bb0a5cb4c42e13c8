"""What tokens cost: the user's own prices first, then a maintained library, and never a guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from assay.config import Prices
from assay.llm.protocol import Usage

_MILLION = 1e6
_LIBRARY_NAMES = {"gemini": "google", "anthropic": "anthropic", "openai": "openai"}


class Tier(Struct, frozen=True):
    """From that many prompt tokens in one call, all its tokens have these prices."""

    above: int
    price: Price


class Price(Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens."""

    input: float
    output: float
    thinking: float | None = None
    """None: as output."""
    cached: float | None = None
    """None: as input."""
    tiers: tuple[Tier, ...] = ()

    def for_prompt(self, tokens: int) -> Price:
        """The price of a call with so long a prompt."""
        if not self.tiers:
            return self
        reached = [tier for tier in self.tiers if tokens > tier.above]
        return max(reached, key=lambda tier: tier.above).price if reached else self


FREE = Price(input=0.0, output=0.0)


class Cost(Struct, frozen=True, kw_only=True):
    """US dollars by kind. `input` is the part of the prompt that was not cached."""

    input: float = 0.0
    output: float = 0.0
    thinking: float = 0.0
    cached: float = 0.0

    @property
    def total(self) -> float:
        return self.input + self.output + self.thinking + self.cached

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            input=self.input + other.input,
            output=self.output + other.output,
            thinking=self.thinking + other.thinking,
            cached=self.cached + other.cached,
        )


def cost_block(calls: Cost | None, beside: tuple[str, Cost | None], cases: int) -> dict[str, float | None]:
    """As it stands in a summary: what the calls cost by kind, what was paid beside them (the judge, a summary) under
    its name, and both together. None: not known.

    >>> cost_block(Cost(input=0.5, output=0.25), ("judge_cost", Cost(output=0.25)), 2)["cost_per_question_usd"]
    0.5
    """
    name, other = beside
    total = None if calls is None or other is None else calls.total + other.total
    return {
        "input_cost": calls.input if calls else None,
        "output_cost": calls.output if calls else None,
        "thinking_cost": calls.thinking if calls else None,
        "cached_cost": calls.cached if calls else None,
        name: other.total if other else None,
        "total_cost_usd": total,
        "cost_per_question_usd": total / cases if total is not None and cases else None,
    }


def cost(usage: Usage, price: Price) -> Cost:
    """(tokens / 1e6) × price of one call. Cached prompt tokens at the cached price *instead of* the full one.

    >>> cost(Usage(prompt=1_000_000, cached=400_000, completion=100_000), Price(input=1.0, output=4.0, cached=0.25))
    Cost(input=0.6, output=0.4, thinking=0.0, cached=0.1)
    """
    price = price.for_prompt(usage.prompt)
    cached = min(usage.cached, usage.prompt)
    return Cost(
        input=(usage.prompt - cached) / _MILLION * price.input,
        output=usage.completion / _MILLION * price.output,
        thinking=usage.thinking / _MILLION * (price.output if price.thinking is None else price.thinking),
        cached=cached / _MILLION * (price.input if price.cached is None else price.cached),
    )


def price_of(
    spelling: str, own: Mapping[str, Prices], *, base_url: str | None = None, batch: bool = False
) -> Price | None:
    """The price of `provider/model`: from the user's table by that spelling or by the model alone, else the library's.

    At a `base_url` of its own a model is priced only if the library knows the service: a server of one's own that
    serves a well-known name is not billed by the well-known company. None: unknown.
    """
    provider, _, model = spelling.partition("/")
    for name in (spelling, model):
        if name in own:
            found = own[name]
            return Price(input=found.input, output=found.output, thinking=found.thinking, cached=found.cached)
    return _from_library(provider, model, base_url, batch=batch)


def unknown_price(spelling: str) -> str:
    """The one warning for a model without a price."""
    return f"no price is known for {spelling}: its cost is not counted. Give it in assay.yaml under llm.prices"


def _from_library(provider: str, model: str, base_url: str | None, *, batch: bool) -> Price | None:
    """Data inside the package; its updates over the network are not used."""
    if provider not in _LIBRARY_NAMES:
        return None
    from datetime import UTC, datetime

    from genai_prices.data_snapshot import get_snapshot

    place = (None, base_url) if base_url else (_LIBRARY_NAMES[provider], None)
    try:
        _, found = get_snapshot().find_provider_model(model, None, *place)
    except LookupError:
        return None
    prices = found.get_prices(datetime.now(UTC), {"processing": "batch"} if batch else None)
    return _price(prices.input_mtok, prices.output_mtok, prices.cache_read_mtok)


def _price(given: Any, out: Any, cached: Any) -> Price | None:
    if given is None or out is None:
        return None
    starts = {tier.start for value in (given, out, cached) for tier in getattr(value, "tiers", ())}
    tiers = tuple(Tier(start, _flat((given, out, cached), start + 1)) for start in sorted(starts))
    base = _flat((given, out, cached), 0)
    return Price(input=base.input, output=base.output, cached=base.cached, tiers=tiers)


def _flat(values: tuple[Any, Any, Any], tokens: int) -> Price:
    given, out, cached = (_at(value, tokens) for value in values)
    assert given is not None
    assert out is not None
    return Price(input=given, output=out, cached=cached)


def _at(value: Any, tokens: int) -> float | None:
    """A price in the library is a number, or a base with tiers that hold for the whole call."""
    if value is None:
        return None
    reached = [tier for tier in getattr(value, "tiers", ()) if tokens > tier.start]
    return float(reached[-1].price if reached else getattr(value, "base", value))
