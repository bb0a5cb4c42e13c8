"""What one sample cost, at the prices the run itself was counted with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from assay.llm.prices import Price, price_of
from assay.llm.tariff import Tariff, dollars_of


class Expenses:
    """Of every row of a run, by its summary. The price is looked up once, and only if a row tells its tokens."""

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self._model = summary["model"]
        self._config = summary["config"]

    def __call__(self, row: Mapping[str, Any]) -> float | None:
        """US dollars. None: tokens or price are not known."""
        return dollars_of(row["tokens"], self._price) if row["tokens"] is not None else None

    @cached_property
    def _price(self) -> Price | None:
        """A user's own extractor may name its model in the settings."""
        tariff = Tariff(self._config["llm"])
        if self._model:
            return tariff.of(self._model)
        named = self._config["extraction"]["model"]
        return price_of(named, tariff.own) if named else None
