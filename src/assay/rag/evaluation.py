"""A RAG run from questions to a finished folder: asked, judged, timed, costed, resumable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.config import Config, Gate
from assay.corpus.index import Index
from assay.embedders.cache import cached
from assay.errors import AssayError
from assay.evaluate import Plan, evaluate_async
from assay.gold.cases import CaseSet, load_cases
from assay.judges import Judge
from assay.judges import outcomes as answered_or_refused
from assay.judges.trust import may_gate
from assay.judges.words import Similarity
from assay.llm import Connections, Price, connect, price_of
from assay.llm.connect import Model
from assay.llm.prices import FREE
from assay.llm.told_prices import ToldPrices
from assay.rag import outcomes, summary
from assay.rag.again import Stored, Unjudged
from assay.rag.archetypes import BY_RULES, Kinds, ask_archetypes
from assay.rag.clean import Clean
from assay.rag.client import with_client
from assay.rag.guarded import Guarded
from assay.rag.judging import make_judge, rule_of
from assay.rag.measures import check_rules
from assay.rag.rows import RagScorer
from assay.rag.settings import scoring
from assay.rag.subject import Subject
from assay.rag.tally import Spending, Tally
from assay.rag.trust import JUDGED, labels_of, trust_of
from assay.rag.vectors import Vectors
from assay.records import Case, Interval, Progress
from assay.retrieval.evaluation import corpus_block
from assay.retrieval.summary import distribution
from assay.runs import history, manifest, sessions
from assay.runs.folder import RESULTS, RunFolder, find_run
from assay.runs.heading import gate_result, heading, history_entry, index_block, skipped_block
from assay.runs.passages import PassageStore
from assay.runs.results import ResultsFile
from assay.runs.writing import writing
from assay.sampling import per_bucket, stratified
from assay.stats import Resampling
from assay.systems.build import build
from assay.systems.protocol import Context, Expecting, Output, RagSystem, inputs_of
from assay.systems.secrets import secrets_of

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
    overrides: tuple[str, ...] = ()
    """What the command line changed of the settings, as `precision_k 25 → 3`: such a run is an ad hoc one."""


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first question."""

    order: Order
    gold: CaseSet
    cases: Sequence[Case]
    index: Index | None
    models: Connections
    system: RagSystem
    judge: Judge
    similarity: Similarity
    origin: dict[str, Any] | None = None
    """The summary of the run whose answers are judged again."""

    @property
    def config(self) -> Config:
        return self.order.config


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
    secrets, namer = secrets_of(bench.config), _namer(bench)
    guarded = Guarded(bench.system, bench.models.budget, _priced(bench), secrets)
    results, passages = ResultsFile(run.path / RESULTS), PassageStore(run.path, secrets)
    done = results.recover()
    if len(done) < len(bench.cases) and not isinstance(bench.system, Stored):  # those may have been judged already
        bench.models.require_callable()
    unjudged = Unjudged(results, passages)
    if isinstance(bench.system, Expecting):
        bench.system.expect(c for c in bench.cases if (guarded.name, c.id) not in done and c.id not in unjudged)
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


def _namer(bench: Bench) -> Model | None:
    """The model that is asked for archetypes."""
    name = bench.config.run.judging.archetypes
    return None if name == BY_RULES else bench.models.model(name)


def _priced(bench: Bench) -> Callable[[Output], Price | None] | None:
    """How the answers of a system of the user's own are paid; the models of the settings pay for themselves."""
    kind = bench.config.run.pipeline.system.partition(":")[0]
    if kind in ("embedded", "recorded") or isinstance(bench.system, Stored):
        return None
    price, told = prices(bench)[0], ToldPrices(bench.config.llm.prices)
    return lambda output: price or (told(output.metadata.model) if output.metadata.model else None)


def select_cases(order: Order) -> tuple[CaseSet, Sequence[Case]]:
    """The questions of the corpus, and those that are asked."""
    gold = load_cases(order.gold, "answers")
    cases = gold.cases
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
    check_rules(order.config)
    gold, cases = select_cases(order)
    order = replace(order, config=with_client(order.config, gold))
    config = order.config
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


def conclude(run: RunFolder, bench: Bench, execution: dict[str, Any], kinds: Kinds, *, listed: bool = False) -> None:
    """The summary, written last, and a line of history unless the very same is listed there."""
    config = bench.config
    tally = Tally(outcomes.Corpus.of(bench.index), *spendings(bench))
    for row in run.results.rows():
        tally.add(row)
    if namer := _namer(bench):
        tally.name_kinds(kinds, namer.price)
    found = summary.metrics(tally, config)
    block = summary.metrics_block(found, f"recall_at_{config.run.pipeline.recall_k}")
    trust, gates = _trusted(config, run)
    data = _heading(run, bench, block) | {
        "metrics": block,
        "intervals": msgspec.to_builtins(found),
        "latency": summary.latency(tally),
        "tokens": summary.tokens(tally),
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
        "execution": _described(run, execution, tally),
        "notes": [],
    }
    run.write_summary(data)
    if not listed:
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


def _described(run: RunFolder, execution: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """Which run by which versions, and every warning once."""
    data = run.manifest
    warnings = list(dict.fromkeys([*execution["warnings"], *tally.answers.warnings]))
    return {"run_id": data["run_id"]} | execution | {"warnings": warnings, "versions": data["environment"]}


def prices(bench: Bench) -> tuple[Price | None, Price | None]:
    """Of the model that writes and the one that judges. What needs no model is free; None: not known."""
    pipeline, judging = bench.config.run.pipeline, bench.config.run.judging
    if pipeline.system == "embedded":
        answers = bench.models.model(pipeline.model).price if pipeline.model else FREE
    else:
        answers = price_of(pipeline.model, bench.config.llm.prices) if pipeline.model else None
    return answers, bench.models.model(judging.judge).price if judging.judge != "reference" else FREE


def spendings(bench: Bench) -> tuple[Spending, Spending]:
    """Of answers and judge. A system of the user's own is priced by the model it names, if the settings name none."""
    answers, judge = prices(bench)
    told = ToldPrices(bench.config.llm.prices) if bench.config.run.pipeline.system != "embedded" else None
    return Spending(answers, told), Spending(judge)


def judge_gate(gate: Gate, found: Mapping[str, Interval]) -> dict[str, Any]:
    """A measure that no question has a value of is undefined, and does not pass."""
    return gate_result(gate, found.get(gate.measure))


def abstention(tally: Tally, config: Config) -> dict[str, Any]:
    """Answered or refused × answerable or not, with the two rates of being wrong about it."""
    counted = answered_or_refused(tally.behaviours.elements(), rule_of(config.run.judging))
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
        "overrides": bench.origin.get("overrides", []) if bench.origin else list(bench.order.overrides),
        "system": bench.system.name,
        "judge": {"name": bench.judge.name, "fingerprint": bench.judge.fingerprint},
        "index": index_block(bench.index),
        "corpus": _corpus(bench),
        "skipped": skipped_block({entry.id: entry.reason for entry in gold.excluded}),
        "status": status_of(block["pass_rate"], bench.config),
    }


def _corpus(bench: Bench) -> dict[str, Any]:
    """What the file holds, and what of it was asked. Judged again, a run is over the same part of the same corpus."""
    if bench.origin is not None:
        block: dict[str, Any] = bench.origin["corpus"]
        return block
    asked = corpus_block(bench.gold, bench.cases)
    return asked | {"distribution": distribution(bench.gold.cases), "tested_distribution": asked["distribution"]}


def _partial(bench: Bench, error_rate: float | None) -> str | None:
    """Why the run is no whole one."""
    if bench.origin is not None:
        corpus, left_out = bench.origin["corpus"], bench.origin["skipped"]["count"]
        if corpus["tested"] + left_out < corpus["question_count"]:
            reason: str = bench.origin["partial"]
            return reason
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
