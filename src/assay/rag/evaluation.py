"""A RAG run from questions to a finished folder: asked, judged, timed, costed, resumable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from os.path import relpath
from time import perf_counter
from typing import Any

from assay.evaluate import Plan, evaluate_async
from assay.llm import Price, connect
from assay.llm.told_prices import ToldPrices
from assay.rag.again import Stored, Unjudged
from assay.rag.archetypes import Kinds, ask_archetypes
from assay.rag.bench import Bench, Order, prepare, prices
from assay.rag.clean import Clean
from assay.rag.conclusion import conclude
from assay.rag.guarded import Guarded
from assay.rag.judging import rule_of
from assay.rag.rows import RagScorer
from assay.rag.settings import scoring
from assay.rag.subject import Subject
from assay.rag.vectors import Vectors
from assay.records import Progress
from assay.runs import manifest, sessions
from assay.runs.folder import RESULTS, RunFolder, find_run
from assay.runs.passages import PassageStore
from assay.runs.results import ResultsFile
from assay.runs.writing import writing
from assay.systems.protocol import Expecting, Output, inputs_of
from assay.systems.secrets import secrets_of

KIND = "rag"

Before = Callable[[Bench], Awaitable[None]]
"""Called before the first question: batch files are taken in."""


async def nothing_before(_: Bench) -> None:
    """Begin at once."""


def run_rag(order: Order, progress: Progress, before: Before = nothing_before) -> RunFolder:
    """The sync door."""
    return asyncio.run(_run(order, progress, before))


async def _run(order: Order, progress: Progress, before: Before) -> RunFolder:
    started = perf_counter()
    async with connect(order.config, noted=order.record is not None) as models:
        bench = prepare(order, models)
        await before(bench)
        run = await execute(bench, progress, started)
        if order.record:
            models.export(order.record)
        return run


async def execute(bench: Bench, progress: Progress, started: float) -> RunFolder:
    """Ask and judge every question that has no result yet, then conclude."""
    now = datetime.now(UTC)
    try:
        bench.similarity.prepare()
        run = _folder(bench, now)
        with writing(run, new=bench.order.resume is None):
            await _fill(run, bench, progress, sessions.Start(now, started))
    finally:
        await bench.system.close()
    return run


async def _fill(run: RunFolder, bench: Bench, progress: Progress, start: sessions.Start) -> None:
    """Everything that belongs into the folder."""
    options = bench.config.run
    secrets, namer = secrets_of(bench.config), bench.namer
    guarded = Guarded(bench.system, bench.models.budget, _priced(bench), secrets)
    results, passages = ResultsFile(run.path / RESULTS), PassageStore(run.path, secrets)
    unjudged = _resumed(bench, results, passages, guarded.name)
    listed, scorer = run.finished, Clean(RagScorer(options, passages, bench.similarity), secrets)
    vectors = Vectors.where_slow(bench.similarity, bench.judge.name)
    plan = Plan(
        cases=bench.cases,
        systems=(Subject(guarded, bench.judge, unjudged, vectors, keep=not isinstance(bench.system, Stored)),),
        scorer=scorer,
        results=results,
        workers=options.workers,
        progress=progress,
        spent=lambda: bench.models.budget.spent,
    )
    with sessions.recorded(run.path, start, lambda: (scorer.rows, bench.models.budget.spent)):
        await evaluate_async(plan)
        kinds = await ask_archetypes(namer, results, passages) if namer else Kinds()
    results.finish(lambda row: row["case_id"])
    execution = sessions.totals(run.path) | {"workers": options.workers}
    execution["warnings"] = [*bench.models.warnings, *guarded.warnings, *kinds.warnings]
    conclude(run, bench, execution, kinds, listed=listed and not scorer.rows)


def _resumed(bench: Bench, results: ResultsFile, passages: PassageStore, name: str) -> Unjudged:
    """What is there already needs no call; what is not, the system is told to expect."""
    done = results.recover()
    if len(done) < len(bench.cases) and not isinstance(bench.system, Stored):  # those may have been judged already
        bench.models.require_callable()
    unjudged = Unjudged(results, passages)
    if isinstance(bench.system, Expecting):
        bench.system.expect(c for c in bench.cases if (name, c.id) not in done and c.id not in unjudged)
    return unjudged


def _priced(bench: Bench) -> Callable[[Output], Price | None] | None:
    """How the answers of a system of the user's own are paid; the models of the settings pay for themselves."""
    kind = bench.config.run.pipeline.system.partition(":")[0]
    if kind in ("embedded", "recorded") or isinstance(bench.system, Stored):
        return None
    price, told = prices(bench)[0], ToldPrices(bench.config.llm.prices)
    return lambda output: price or (told(output.metadata.model) if output.metadata.model else None)


def _folder(bench: Bench, now: datetime) -> RunFolder:
    order, config = bench.order, bench.config
    inputs = _inputs(bench)
    if order.resume:
        run = find_run(config.path("runs"), order.resume)
        run.require_same(inputs.fingerprint())
        return run
    data = manifest.build(inputs, config, list(order.command), now) | _ordered(bench) | {"rows": len(bench.cases)}
    return RunFolder.create(config.path("runs"), data, bench.system.name, config.run.pipeline.precision_k)


def _ordered(bench: Bench) -> dict[str, Any]:
    """What a resume needs to know beside the settings."""
    if isinstance(bench.system, Stored):
        return {"source": bench.system.run_name}
    order, root = bench.order, bench.config.root
    return {
        "order": {
            "gold": relpath(order.gold, root),
            "index": relpath(order.index, root) if order.index else None,
            "quick": order.quick,
            "test": order.test,
            "overrides": list(order.overrides),
        }
    }


def _inputs(bench: Bench) -> manifest.Inputs:
    config, order = bench.config, bench.order
    settings = scoring(config)
    return manifest.Inputs(
        kind=KIND,
        gold=bench.gold.sha256,
        index=bench.index.fingerprint if bench.index else None,
        settings={
            **settings,
            "pipeline": settings["pipeline"] | inputs_of(bench.system),
            "judge": bench.judge.fingerprint,
            "verdict rule": rule_of(config.run.judging).fingerprint,
            "seed": config.seed,
            "selection": [order.quick, order.test],
        },
    )
