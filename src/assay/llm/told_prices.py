"""Prices of models that a system of the user's own names in its answers."""

from __future__ import annotations

from collections.abc import Mapping

from assay.config import Prices
from assay.llm.prices import Price, price_of

PROVIDERS = ("openai", "anthropic", "gemini")
"""Whose models the price library knows by their names alone."""


class ToldPrices:
    """From a model's name, with or without its provider, to its price.

    None where it is unknown, or not the same with all providers that have a model of that name.
    """

    def __init__(self, own: Mapping[str, Prices]) -> None:
        self._own = own
        self._known: dict[str, Price | None] = {}

    def __call__(self, model: str) -> Price | None:
        if model not in self._known:
            self._known[model] = self._find(model)
        return self._known[model]

    def _find(self, model: str) -> Price | None:
        if "/" in model or model in self._own:
            return price_of(model, self._own)
        spellings = [name for name in self._own if name.partition("/")[2] == model]
        spellings = spellings or [f"{provider}/{model}" for provider in PROVIDERS]
        found = [price for name in spellings if (price := price_of(name, self._own)) is not None]
        return found[0] if found and all(price == found[0] for price in found) else None
