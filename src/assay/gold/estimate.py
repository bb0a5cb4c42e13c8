"""What a build would ask, with how many tokens and at what cost. Nothing is sent."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from assay.gold.absence import SHOWN, Asked
from assay.gold.absence import messages as absence_messages
from assay.gold.asking import Kind
from assay.gold.bench import Bench
from assay.gold.candidate import read_log
from assay.gold.generate import finished, request_of
from assay.llm import Estimate, connect, estimate
from assay.llm.connect import Model

_TOKENS_A_QUESTION = {"answerable": 220, "unanswerable": 160}
"""Of a reply: about what the labels and a sentence or two take."""
_TOKENS_A_PROOF = 60


class Forecast(Struct, frozen=True, kw_only=True):
    """One phase. A cost that is not known is None, never a guess."""

    phase: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class BuildEstimate(Struct, frozen=True, kw_only=True):
    model: str
    forecasts: tuple[Forecast, ...]
    again: Forecast | None = None
    """A second round at its largest, if hardly a question of the first passes; not in the sums."""
    warnings: tuple[str, ...] = ()

    @property
    def cost(self) -> float | None:
        known = [forecast.cost for forecast in self.forecasts if forecast.cost is not None]
        return sum(known) if len(known) == len(self.forecasts) else None

    @property
    def calls(self) -> int:
        return sum(forecast.calls for forecast in self.forecasts)

    def as_data(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self)
        return data | {"calls": self.calls, "cost_usd": self.cost}


async def estimate_build(bench: Bench) -> BuildEstimate | None:
    """Of what is still to be asked; None without a model, for then nothing is."""
    name = bench.order.config.gold.model
    if not name:
        return None
    async with connect(bench.order.config) as models:
        model = models.model(name)
        kinds: tuple[Kind, ...] = ("answerable", "unanswerable")
        forecasts = [_questions(bench, model, kind) for kind in kinds]
        return BuildEstimate(
            model=str(model.spelling),
            forecasts=(*forecasts, _proofs(bench, model)),
            again=_again(bench, model) if bench.order.config.gold.ask_again and bench.second is None else None,
            warnings=tuple(models.warnings),
        )


def _questions(bench: Bench, model: Model, kind: Kind) -> Forecast:
    done = finished(read_log(bench.shop.log)) | set(bench.shop.given)
    batches = [batch for batch in bench.shop.batches if batch.kind == kind and batch.id not in done]
    length = _TOKENS_A_QUESTION[kind]
    found = [
        estimate([request_of(batch, bench.shop.chunks, model)], model.price, batch.wanted * length) for batch in batches
    ]
    return _sum(f"{kind} questions", found)


def _proofs(bench: Bench, model: Model) -> Forecast:
    """Each unanswerable question is shown the passages nearest to it: as long as the chosen ones, on average."""
    count = sum(len(stratum.chosen_unanswerable) for stratum in bench.strata.strata)
    some = list(bench.shop.chunks.values())[:SHOWN]
    asked = Asked(id="", question="x" * 100)
    request = model.request(absence_messages(asked, some))
    one = estimate([request], model.price, _TOKENS_A_PROOF)
    return _sum("proofs of absence", [one] * count)


def _again(bench: Bench, model: Model) -> Forecast:
    """As much as the first round: more is never asked for."""
    found = [
        estimate(
            [request_of(batch, bench.shop.chunks, model)], model.price, batch.wanted * _TOKENS_A_QUESTION[batch.kind]
        )
        for batch in bench.shop.batches
    ]
    parts = [_sum("", found), _proofs(bench, model)]
    costs = [part.cost for part in parts if part.cost is not None]
    return Forecast(
        phase="asked again",
        calls=sum(part.calls for part in parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        completion_tokens=sum(part.completion_tokens for part in parts),
        cost=sum(costs) if len(costs) == len(parts) else None,
    )


def _sum(phase: str, parts: list[Estimate]) -> Forecast:
    costs = [part.cost for part in parts if part.cost is not None]
    return Forecast(
        phase=phase,
        calls=len(parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        completion_tokens=sum(part.completion_tokens for part in parts),
        cost=sum(costs) if len(costs) == len(parts) else None,
    )
