"""What a run would call, how often, with how many tokens and at what cost. Nothing is sent."""

from __future__ import annotations

import asyncio

from assay.judges import Answer, LlmJudge
from assay.llm import ChatRequest, connect, estimate
from assay.llm.prices import Price
from assay.rag.bench import Bench, Order, prepare, prices
from assay.records import Case
from assay.runs.forecast import Forecast, RunEstimate, scaled, unknown
from assay.sampling import stratified

SAMPLE = 40
"""Questions whose prompts are really made; the others are taken to be like them."""
ANSWER = "x" * 1024
"""An answer of about 256 tokens, for the judge's prompt."""


def estimate_run(order: Order) -> RunEstimate:
    return asyncio.run(_estimate(order))


async def _estimate(order: Order) -> RunEstimate:
    async with connect(order.config) as models:
        bench = prepare(order, models)
        try:
            sample = stratified(bench.cases, SAMPLE, order.config.seed)
            writes, judges = prices(bench)
            forecasts = [await _answers(bench, sample, writes), await _judge(bench, sample, judges)]
        finally:
            await bench.system.close()
        return RunEstimate(
            questions=len(bench.cases),
            forecasts=tuple(forecast for forecast in forecasts if forecast is not None),
            warnings=tuple(models.warnings),
        )


async def _answers(bench: Bench, sample: tuple[Case, ...], price: Price | None) -> Forecast | None:
    """Of the embedded pipeline; what a system of the user's own spends is not known here."""
    make = getattr(bench.system, "request", None)
    if make is None:
        calls = len(bench.cases) * getattr(bench.system, "calls_per_question", 1)
        return unknown("answers", bench.system.name, calls)
    made = [await make(case) for case in sample]
    requests: list[ChatRequest] = [request for request in made if request is not None]
    return scaled("answers", bench.system.name, estimate(requests, price), len(bench.cases)) if requests else None


async def _judge(bench: Bench, sample: tuple[Case, ...], price: Price | None) -> Forecast | None:
    if not isinstance(bench.judge, LlmJudge):
        return None
    requests = [bench.judge.request(await _judged(bench, case)) for case in sample]
    return scaled("judge", bench.judge.name, estimate(requests, price), len(bench.cases))


async def _judged(bench: Bench, case: Case) -> Answer:
    """What the judge would be shown, with the context as long as the generator's prompt."""
    make = getattr(bench.system, "request", None)
    request = await make(case) if make else None
    context = "\n".join(message.content for message in request.messages) if request else None
    return Answer(
        case_id=case.id,
        question=case.question,
        text=ANSWER,
        references=case.references,
        context=context,
        answerable=case.answerable,
        category=case.category,
    )
