"""A RAG run from questions to a finished folder: asked, judged, timed, costed, resumable."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.config import Config, Gate
from assay.corpus.index import Index
from assay.embedders.cache import cached
from assay.errors import AssayError, unknown_name
from assay.evaluate import Plan, Progress, Timing, evaluate_async
from assay.files import write_json
from assay.gold.cases import CaseSet, load_cases
from assay.judges import Judge
from assay.judges import outcomes as answered_or_refused
from assay.judges.trust import may_gate
from assay.judges.words import Similarity
from assay.llm import Connections, Price, connect, price_of
from assay.rag import outcomes, summary
from assay.rag.judging import make_judge, rule_of
from assay.rag.rows import RagScorer
from assay.rag.subject import Subject
from assay.rag.tally import Tally
from assay.rag.trust import JUDGED, labels_of, trust_of
from assay.records import Case, Interval
from assay.retrieval.evaluation import corpus_block
from assay.runs import history, manifest
from assay.runs.folder import RESULTS, SUMMARY, RunFolder, find_run
from assay.runs.heading import gate_result, heading, history_entry, index_block, skipped_block
from assay.runs.passages import PassageStore
from assay.runs.results import ResultsFile
from assay.sampling import per_bucket, stratified
from assay.stats import Resampling
from assay.systems.build import build
from assay.systems.protocol import Context, RagSystem, inputs_of

KIND = "rag"
TEST_PER_BUCKET, TEST_LIMIT = 5, 30


class Order(Struct, frozen=True, kw_only=True):
    """What to run."""

    config: Config
    gold: Path
    index: Path | None
    quick: int | None = None
    test: bool = False
    resume: str | None = None
    record: Path | None = None
    """Where the replies that were used are kept, to be committed and replayed."""
    command: tuple[str, ...] = ()


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first question."""

    order: Order
    gold: CaseSet
    cases: tuple[Case, ...]
    index: Index | None
    models: Connections
    system: RagSystem
    judge: Judge
    similarity: Similarity

    @property
    def config(self) -> Config:
        return self.order.config


def run_rag(order: Order, progress: Progress) -> RunFolder:
    """The sync door."""
    return asyncio.run(_run(order, progress))


async def _run(order: Order, progress: Progress) -> RunFolder:
    started = perf_counter()
    async with connect(order.config) as models:
        run = await execute(prepare(order, models), progress, started)
        if order.record:
            models.export(order.record)
        return run


async def execute(bench: Bench, progress: Progress, started: float) -> RunFolder:
    """Ask and judge every question that has no result yet, then conclude."""
    now, options = datetime.now(UTC), bench.config.run
    try:
        run = _folder(bench, now)
        results = ResultsFile(run.path / RESULTS)
        plan = Plan(
            cases=bench.cases,
            systems=(Subject(bench.system, bench.judge),),
            scorer=RagScorer(options, PassageStore(run.path), bench.similarity),
            results=results,
            workers=options.workers,
            progress=progress,
        )
        timings = await evaluate_async(plan)
    finally:
        await bench.system.close()
    results.finish(lambda row: row["case_id"])
    conclude(run, bench, _execution(timings, now, started, bench))
    return run


def select_cases(order: Order) -> tuple[CaseSet, tuple[Case, ...]]:
    """The questions of the corpus, and those that are asked."""
    gold = load_cases(order.gold, "answers")
    cases: tuple[Case, ...] = gold.cases
    if order.test:
        cases = per_bucket(cases, TEST_PER_BUCKET, TEST_LIMIT, order.config.seed)
    if order.quick:
        cases = stratified(cases, order.quick, order.config.seed)
    if not cases:
        reasons = ", ".join(f"{n} {reason}" for reason, n in gold.reasons.items())
        raise AssayError(f"no question can be asked: {reasons}", where=str(order.gold))
    return gold, cases


def prepare(order: Order, models: Connections) -> Bench:
    """Read and check everything, so that a mistake is told before anything is spent."""
    config = order.config
    gold, cases = select_cases(order)
    index = Index.open(order.index) if order.index else None
    similarity = Similarity(cached(config.embedder, config.path("cache")))
    system = build(config.run.pipeline.system, Context(config=config, index=index, models=models))
    judge = make_judge(config, models, similarity)
    return Bench(
        order=order,
        gold=gold,
        cases=cases,
        index=index,
        models=models,
        system=system,
        judge=judge,
        similarity=similarity,
    )


def _folder(bench: Bench, now: datetime) -> RunFolder:
    order, config = bench.order, bench.config
    inputs = _inputs(bench)
    if order.resume:
        run = find_run(config.path("runs"), order.resume)
        run.require_same(inputs.fingerprint())
        return run
    data = manifest.build(inputs, config, list(order.command), now)
    return RunFolder.create(config.path("runs"), data, bench.system.name, config.run.pipeline.precision_k)


def _inputs(bench: Bench) -> manifest.Inputs:
    config, order = bench.config, bench.order
    return manifest.Inputs(
        kind=KIND,
        gold=bench.gold.sha256,
        index=bench.index.fingerprint if bench.index else None,
        settings={
            "pipeline": msgspec.to_builtins(config.run.pipeline) | inputs_of(bench.system),
            "judge": bench.judge.fingerprint,
            "verdict rule": rule_of(config.run.judging).fingerprint,
            "retrieval settings": msgspec.to_builtins(config.retrieval),
            "embedder": msgspec.to_builtins(config.embedder),
            "models": msgspec.to_builtins(config.llm.models),
            "seed": config.seed,
            "selection": [order.quick, order.test],
        },
    )


def _execution(timings: dict[str, Timing], now: datetime, started: float, bench: Bench) -> dict[str, Any]:
    (timing,) = timings.values()
    seconds = perf_counter() - started
    return {
        "timestamp": now.isoformat(timespec="seconds"),
        "duration": round(seconds, 3),
        "questions_asked": timing.cases,
        "questions_per_second": round(timing.cases / timing.seconds, 2) if timing.cases and timing.seconds else None,
        "workers": bench.config.run.workers,
        "spent_usd": round(bench.models.budget.spent, 6),
        "warnings": bench.models.warnings,
    }


def conclude(run: RunFolder, bench: Bench, execution: dict[str, Any]) -> None:
    """The summary, written last, and a line of history."""
    config = bench.config
    answers, judge = prices(bench)
    tally = Tally(outcomes.Corpus.of(bench.index), answers, judge)
    for row in run.results.rows():
        tally.add(row)
    found = summary.metrics(tally, config)
    block = summary.metrics_block(found, f"recall_at_{config.run.pipeline.recall_k}")
    trust, gates = _trusted(config, run)
    data = _heading(run, bench, block) | {
        "metrics": block,
        "intervals": msgspec.to_builtins(found),
        "latency": summary.latency(tally),
        "tokens": {"answers": tally.answers.tokens, "judge": tally.judge.tokens},
        "cost": summary.costs(tally),
        "answer_stats": summary.answer_stats(tally),
        "quality": summary.quality(tally),
        "retry_stats": summary.retries(tally),
        "errors": summary.errors(tally),
        "breakdown_by_type": summary.breakdown(tally, "question_type", config),
        "breakdown_by_difficulty": summary.breakdown(tally, "difficulty", config),
        "abstention": abstention(tally, config),
        "waterfall": {stage: tally.stages[stage] for stage in outcomes.STAGES},
        "archetypes": outcomes.counts_of(tally.not_passed, "archetype", outcomes.ARCHETYPES),
        "not_passed": tally.not_passed,
        "gates": [judge_gate(gate, found) for gate in gates],
        "trust": trust,
        "execution": execution,
        "notes": [],
    }
    write_json(run.path / SUMMARY, data)
    history.record(config.path("runs"), history_entry(run, data, bench.system.name, data["cost"]["total_cost_usd"]))


def _trusted(config: Config, run: RunFolder) -> tuple[dict[str, Any] | None, list[Gate]]:
    """With people's labels at hand: what they say of the judge, and gates that may only warn if it is too little."""
    gates = list(config.run.gates)
    if not config.run.judging.labels:
        return None, gates
    report = trust_of(labels_of(Path(config.root) / config.run.judging.labels, run.results.rows()), config)
    permission = may_gate(report, config.run.judging.minimum_kappa)
    if not permission.allowed:
        gates = [replace(gate, severity="warning") if gate.measure in JUDGED else gate for gate in gates]
    data: dict[str, Any] = msgspec.to_builtins(report)
    return data | {"may_gate": permission.allowed, "reason": permission.reason}, gates


def prices(bench: Bench) -> tuple[Price | None, Price | None]:
    """Of the model that writes and the one that judges; a system of the user's own may name its model."""
    pipeline, judging = bench.config.run.pipeline, bench.config.run.judging
    if pipeline.model and pipeline.system == "embedded":
        answers = bench.models.model(pipeline.model).price
    else:
        answers = price_of(pipeline.model, bench.config.llm.prices) if pipeline.model else None
    return answers, bench.models.model(judging.judge).price if judging.judge != "reference" else None


def judge_gate(gate: Gate, found: Mapping[str, Interval]) -> dict[str, Any]:
    if gate.measure not in found:
        raise unknown_name("metric", gate.measure, found)
    return gate_result(gate, found[gate.measure])


def abstention(tally: Tally, config: Config) -> dict[str, Any]:
    """Answered or refused × answerable or not, with the two rates of being wrong about it."""
    counted = answered_or_refused(tally.behaviours, rule_of(config.run.judging))
    plan = Resampling(seed=config.seed, confidence=config.statistics.confidence)
    data: dict[str, Any] = msgspec.to_builtins(counted)
    return data | {
        "false_answer_rate": msgspec.to_builtins(counted.false_answers(plan)),
        "false_refusal_rate": msgspec.to_builtins(counted.false_refusals(plan)),
    }


def _heading(run: RunFolder, bench: Bench, block: dict[str, Any]) -> dict[str, Any]:
    gold = bench.gold
    return heading(run, ("gold", "index", "judge", "verdict rule")) | {
        "partial": _partial(bench, block["error_rate"]),
        "system": bench.system.name,
        "judge": {"name": bench.judge.name, "fingerprint": bench.judge.fingerprint},
        "index": index_block(bench.index),
        "corpus": corpus_block(gold, bench.cases),
        "skipped": skipped_block({entry.id: entry.reason for entry in gold.excluded}),
        "status": status_of(block["pass_rate"], bench.config),
    }


def _partial(bench: Bench, error_rate: float | None) -> str | None:
    """Why the run is no whole one."""
    if len(bench.cases) < len(bench.gold.cases):
        return f"{len(bench.cases)} of {len(bench.gold.cases)} questions"
    limit = bench.config.run.error_limit
    if error_rate is not None and error_rate > limit:
        return f"{error_rate:.1%} of the questions failed, more than {limit:.1%}"
    return None


def status_of(pass_rate: float | None, config: Config) -> str:
    """good, fair or poor by the pass rate."""
    if pass_rate is None:
        return "unknown"
    if round(pass_rate, 9) >= config.run.good:
        return "good"
    return "fair" if round(pass_rate, 9) >= config.run.fair else "poor"
