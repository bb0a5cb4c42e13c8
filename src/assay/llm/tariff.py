"""Prices as a finished run was counted with them, from the `llm` part of the settings it recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.config import Prices
from assay.llm.prices import FREE, Price, cost, price_of
from assay.llm.protocol import Usage

PARTS = ("prompt", "completion", "thinking", "cached")


class Tariff:
    """The models a run named, and the prices it was given."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.own = msgspec.convert(settings["prices"], dict[str, Prices])
        self._models = settings["models"]

    def of(self, name: str) -> Price | None:
        """Of a model by its name in the settings, or by `provider/model`. None: not known."""
        model = self._models.get(name)
        if model is None:
            return price_of(name, self.own)
        return price_of(model["model"] or name, self.own, base_url=model["base_url"])


def dollars_of(used: Mapping[str, int] | None, price: Price | None) -> float | None:
    """Of the tokens that one row tells. None: tokens or price are not known; what is free costs nothing anyhow."""
    if price == FREE:
        return 0.0
    if used is None or price is None:
        return None
    return cost(Usage(**{part: used[part] for part in PARTS}), price).total
