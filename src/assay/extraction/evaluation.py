"""An extraction run from samples to a finished folder: extracted, matched, scored, timed, costed, resumable."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from assay.config import Config
from assay.errors import AssayError
from assay.evaluate import Plan, System, evaluate_async
from assay.extraction.bench import Bench, Order, prepare, record_path, record_type_of
from assay.extraction.build import build, spelling_of
from assay.extraction.protocol import Context, Fingerprinted, Output, Sample
from assay.extraction.record_type import RecordType
from assay.extraction.samples import read_sample
from assay.extraction.scoring import ExtractionScorer
from assay.extraction.subject import Subject
from assay.records import Progress
from assay.runs import manifest, sessions
from assay.runs.folder import RESULTS, RunFolder, find_run
from assay.runs.results import ResultsFile
from assay.runs.writing import writing

KIND = "extraction"
RECORDED = "recorded"
"""The extractor that gives each sample's own recorded answer."""


def run_extraction(order: Order, progress: Progress = lambda _: None) -> RunFolder:
    """The sync door."""
    return asyncio.run(_run(order, progress))


async def _run(order: Order, progress: Progress) -> RunFolder:
    from assay.llm import connect

    started = perf_counter()
    async with connect(order.config) as models:
        bench = prepare(order, models)
        subject = Subject(bench.extractor, order.config.extraction.delay, len(bench.samples.samples))
        return await execute(bench, subject, progress, started)


async def execute(bench: Bench, system: System[Sample], progress: Progress, started: float) -> RunFolder:
    """Extract and score every sample that has no result yet, then conclude."""
    now = datetime.now(UTC)
    try:
        run = _folder(bench, now)
        with writing(run, new=bench.order.resume is None):
            await _fill(run, bench, system, progress, sessions.Start(now, started))
    finally:
        await bench.extractor.close()
    return run


async def _fill(
    run: RunFolder, bench: Bench, system: System[Sample], progress: Progress, start: sessions.Start
) -> None:
    """Everything that belongs into the folder."""
    options = bench.config.extraction
    listed, results = run.finished, ResultsFile(run.path / RESULTS)
    scorer = ExtractionScorer(bench.record, options.level)
    plan = Plan(
        cases=bench.samples.samples,
        systems=(system,),
        scorer=scorer,
        results=results,
        workers=options.workers,
        progress=progress,
        spent=lambda: bench.models.budget.spent,
    )
    with sessions.recorded(run.path, start, lambda: (scorer.rows, bench.models.budget.spent)):
        await evaluate_async(plan)
    results.finish(lambda row: row["case_id"])
    from assay.extraction.conclusion import conclude  # numpy and all that figures need: not before there are any

    await conclude(run, bench, listed=listed and not scorer.rows)


async def _extract_one(config: Config, path: Path, record: RecordType) -> Output:
    from assay.llm import connect

    options = config.extraction
    async with connect(config) as models:
        context = Context(config=config, models=models, record=record)
        extractor = build(spelling_of(options.system, options.model), context)
        try:
            (output,) = await Subject(extractor).answer([read_sample(path, path.stem, record)])
        finally:
            await extractor.close()
    if output.fault is not None:
        raise AssayError(f"extraction failed: {output.fault.message}", where=str(path))
    return output


def extract_file(order: Order) -> Output:
    """The records of one text. Its sidecar, if there is one, says when and by whom it was written."""
    return asyncio.run(_extract_one(order.config, order.samples, record_type_of(order)))


def _folder(bench: Bench, now: datetime) -> RunFolder:
    order, config = bench.order, bench.config
    inputs = _inputs(bench)
    if order.resume:
        run = find_run(config.path("runs"), order.resume, KIND)
        run.require_same(inputs.fingerprint())
        return run
    data = (
        manifest.build(inputs, config, list(order.command), now)
        | _ordered(bench)
        | {"rows": len(bench.samples.samples)}
    )
    return RunFolder.create(config.path("runs"), data, bench.extractor.name, None)


def _ordered(bench: Bench) -> dict[str, Any]:
    """What it takes to score again, beside the settings, and the folder whose texts were read."""
    path, samples, root = record_path(bench.order), bench.order.samples, bench.config.root
    order = {
        "record": relpath(path, root) if path else None,
        "samples": relpath(samples, root) if bench.source is None and samples.is_dir() else None,
    }
    return {"order": order} | ({"source": bench.source} if bench.source else {})


def _inputs(bench: Bench) -> manifest.Inputs:
    config, options = bench.config, bench.config.extraction
    made_from = dict(bench.extractor.inputs) if isinstance(bench.extractor, Fingerprinted) else {}
    if bench.extractor.name == RECORDED and bench.source is None:
        made_from["mock_llm_response"] = bench.samples.recorded_sha256
    return manifest.Inputs(
        kind=KIND,
        gold=bench.samples.sha256,
        index=None,
        settings={
            "extractor": [bench.extractor.name, options.model, made_from],
            "record type": [bench.record.sha256, options.level],
            "models": msgspec.to_builtins(config.llm.models),
            "seed": config.seed,
        },
    )
