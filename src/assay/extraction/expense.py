"""What one sample cost, at the prices the run itself was counted with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from assay.llm.prices import Price, price_of
from assay.llm.tariff import Tariff, dollars_of
from assay.llm.told_prices import ToldPrices


class Expenses:
    """Of every row of a run, by its summary. A price is looked up once, and only if a row tells its tokens."""

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self._model, config = summary["model"], summary["config"]
        self._named = config["extraction"]["model"]
        self._tariff = Tariff(config["llm"])
        self._told = ToldPrices(self._tariff.own)

    def __call__(self, row: Mapping[str, Any]) -> float | None:
        """US dollars. None: tokens or price are not known."""
        return dollars_of(row["tokens"], self.price(row)) if row["tokens"] is not None else None

    def price(self, row: Mapping[str, Any]) -> Price | None:
        """A user's own extractor is priced by the model in the settings, else by the one it names itself."""
        if self._model or self._named:
            return self._price
        return self._told(row["model"]) if row["model"] else None

    @cached_property
    def _price(self) -> Price | None:
        return self._tariff.of(self._model) if self._model else price_of(self._named, self._tariff.own)
