"""What an extraction run would call, with how many tokens and at what cost. Nothing is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from assay.extraction import summary
from assay.extraction.bench import Bench, Order, prepare
from assay.extraction.extractors.llm import LlmExtractor
from assay.extraction.narrative import WORST, messages
from assay.extraction.protocol import Output, Sample
from assay.extraction.scoring import ExtractionScorer
from assay.llm import connect, estimate
from assay.runs.forecast import Forecast, RunEstimate, scaled, unknown

SAMPLES = 40
"""Samples whose prompts are really made; the others are taken to be like them."""
FREE = ("rules", "recorded")
"""Extractors that call nobody."""


def estimate_extraction(order: Order) -> RunEstimate:
    return asyncio.run(_estimate(order))


async def _estimate(order: Order) -> RunEstimate:
    async with connect(order.config) as models:
        bench = prepare(order, models)
        try:
            forecasts = [_extraction(bench), _summary(bench)]
        finally:
            await bench.extractor.close()
        return RunEstimate(
            questions=len(bench.samples.samples),
            unit="samples",
            forecasts=tuple(forecast for forecast in forecasts if forecast is not None),
            warnings=tuple(models.warnings),
        )


def _some(bench: Bench) -> Sequence[Sample]:
    """Spread over all of them."""
    samples = bench.samples.samples
    return samples[:: max(1, len(samples) // SAMPLES)]


def _extraction(bench: Bench) -> Forecast | None:
    """What a user's own extractor spends is not known here."""
    extractor, calls = bench.extractor, len(bench.samples.samples)
    if isinstance(extractor, LlmExtractor):
        found = estimate([extractor.request(sample) for sample in _some(bench)], bench.price)
        return scaled("extraction", extractor.name, found, calls) if calls else None
    if extractor.name.partition(":")[0] in FREE:
        return None
    return unknown("extraction", extractor.name, calls)


def _summary(bench: Bench) -> Forecast | None:
    """One call, shown figures as long as those of a run that finds everything, and as many samples as there will be."""
    options = bench.config.extraction
    name = options.summary_model or bench.model
    if not options.summary or name is None:
        return None
    some = _some(bench)
    rows = ExtractionScorer(bench.record, options.level)(bench.extractor, some, [_right(sample) for sample in some])
    figures = summary.figures(summary.Tally(rows, bench.record.scheme.names), bench.config)
    model = bench.models.model(name)
    scored = [row for row in rows if row["scored"]]
    told = messages(figures, scored[:WORST], {sample.id: sample.text for sample in some})
    return scaled("summary", name, estimate([model.request(told, label="summary")], model.price), 1)


def _right(sample: Sample) -> Output:
    return Output(records=sample.expected or ())
