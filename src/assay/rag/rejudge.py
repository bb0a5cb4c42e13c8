"""Judge or score a finished run again: a run of its own, from the stored outputs. Nothing is generated."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter

import msgspec
from msgspec.structs import replace

from assay.config import Config, Pipeline
from assay.corpus.index import Index
from assay.embedders.cache import cached
from assay.errors import AssayError
from assay.gold.cases import CaseSet, Excluded
from assay.judges.words import Similarity
from assay.llm import connect
from assay.rag.again import Remembering, Stored, models_of
from assay.rag.bench import Bench, Order
from assay.rag.evaluation import KIND, Before, execute, nothing_before
from assay.rag.judging import make_judge, rule_of
from assay.rag.measures import check_rules
from assay.records import Progress
from assay.runs.folder import RunFolder


def rejudge(
    run: RunFolder, config: Config, index: Path | None, progress: Progress, before: Before = nothing_before
) -> RunFolder:
    """The same answers under the judge and the rule of the settings."""
    if run.summary["kind"] != KIND:
        raise AssayError(f"a {run.summary['kind']} run has no answers to judge", where=str(run.path))
    return asyncio.run(_rejudge(run, config, index, progress, before))


async def _rejudge(run: RunFolder, config: Config, index: Path | None, progress: Progress, before: Before) -> RunFolder:
    started, summary = perf_counter(), run.summary
    pipeline = msgspec.convert(summary["config"]["run"]["pipeline"], Pipeline)
    config = replace(
        config,
        client=summary["client"],
        run=replace(config.run, pipeline=pipeline),
        llm=replace(config.llm, models=models_of(summary["config"]) | config.llm.models),
    )
    check_rules(config)
    stored, corpus = Stored(run), summary["corpus"]
    gold = CaseSet(
        name=corpus["name"],
        sha256=corpus["sha256"],
        format=corpus["format"],
        cases=stored.cases,
        excluded=tuple(Excluded(id_, reason) for id_, reason in summary["skipped"]["ids"].items()),
    )
    similarity = Similarity(cached(config.embedder, config.path("cache")))
    async with connect(config) as models:
        bench = Bench(
            order=Order(config=config, gold=Path(gold.name), index=index, command=("score", run.name)),
            gold=gold,
            cases=gold.cases,
            index=Index.open(index) if index else None,
            models=models,
            system=stored,
            judge=Remembering(make_judge(config, models, similarity), stored, rule_of(config.run.judging)),
            similarity=similarity,
            origin=summary,
        )
        await before(bench)
        return await execute(bench, progress, started)
