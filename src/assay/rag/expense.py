"""What one answer and its judgment cost, at the prices the run itself was counted with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from assay.llm.prices import FREE, Price, price_of
from assay.llm.tariff import Tariff, dollars_of
from assay.llm.told_prices import ToldPrices

Row = Mapping[str, Any]


class Expenses:
    """Of every row of a run; `config` is what it was run with. Each price is looked up once, and only if needed."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._run = config["run"]
        self._tariff = Tariff(config["llm"])
        self._told = ToldPrices(self._tariff.own)

    def __call__(self, row: Row) -> dict[str, float | None]:
        """US dollars by who was paid. None: tokens or price are not known."""
        return {
            "answer": dollars_of(row["tokens"], self._writer or self._named(row)),
            "judge": dollars_of(row["judge_tokens"], self._judge),
        }

    @cached_property
    def _writer(self) -> Price | None:
        """What needs no model is free."""
        pipeline = self._run["pipeline"]
        if pipeline["system"] == "embedded":
            return self._tariff.of(pipeline["model"]) if pipeline["model"] else FREE
        return price_of(pipeline["model"], self._tariff.own) if pipeline["model"] else None

    def _named(self, row: Row) -> Price | None:
        """A system of the user's own is priced by the model it names, where the settings name none."""
        told = None if self._run["pipeline"]["model"] else (row["llm_metadata"] or {}).get("model")
        return self._told(told) if told else None

    @cached_property
    def _judge(self) -> Price | None:
        judge = self._run["judging"]["judge"]
        return FREE if judge == "reference" else self._tariff.of(judge)
