"""What one answer and its judgment cost, at the prices the run itself was counted with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.config import Prices
from assay.llm.prices import FREE, Price, cost, price_of
from assay.llm.protocol import Usage
from assay.rag.pricing import ToldPrices

PARTS = ("prompt", "completion", "thinking", "cached")


def expense(row: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, float | None]:
    """US dollars by who was paid; `config` is that of the run's manifest. None: tokens or price are not known."""
    own = msgspec.convert(config["llm"]["prices"], dict[str, Prices])
    judge = config["run"]["judging"]["judge"]
    return {
        "answer": _dollars(row["tokens"], _writer(row, config, own)),
        "judge": _dollars(row["judge_tokens"], FREE if judge == "reference" else _price(judge, config, own)),
    }


def _writer(row: Mapping[str, Any], config: Mapping[str, Any], own: Mapping[str, Prices]) -> Price | None:
    """What needs no model is free. A system of the user's own is priced by the model it names."""
    pipeline = config["run"]["pipeline"]
    if pipeline["system"] == "embedded":
        return _price(pipeline["model"], config, own) if pipeline["model"] else FREE
    if pipeline["model"]:
        return price_of(pipeline["model"], own)
    told = (row["llm_metadata"] or {}).get("model")
    return ToldPrices(own)(told) if told else None


def _price(name: str, config: Mapping[str, Any], own: Mapping[str, Prices]) -> Price | None:
    """Of a model by its name in the settings, or by `provider/model`."""
    model = config["llm"]["models"].get(name)
    if model is None:
        return price_of(name, own)
    return price_of(model["model"], own, base_url=model["base_url"])


def _dollars(used: Mapping[str, int] | None, price: Price | None) -> float | None:
    if price == FREE:
        return 0.0
    if used is None or price is None:
        return None
    return cost(Usage(**{part: used[part] for part in PARTS}), price).total
