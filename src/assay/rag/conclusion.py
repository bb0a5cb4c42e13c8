"""What a RAG run amounts to: its summary, its gates and its line of history."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.config import Config, Gate
from assay.judges import outcomes as answered_or_refused
from assay.judges.trust import may_gate
from assay.llm.told_prices import ToldPrices
from assay.rag import outcomes, summary
from assay.rag.archetypes import Kinds
from assay.rag.bench import Bench, prices
from assay.rag.judging import rule_of
from assay.rag.tally import Spending, Tally
from assay.rag.trust import JUDGED, labels_of, trust_of
from assay.records import Interval
from assay.retrieval.evaluation import corpus_block
from assay.retrieval.summary import distribution
from assay.runs import history
from assay.runs.folder import RunFolder
from assay.runs.heading import gate_result, heading, history_entry, index_block, skipped_block
from assay.stats import Resampling


def conclude(run: RunFolder, bench: Bench, execution: dict[str, Any], kinds: Kinds, *, listed: bool = False) -> None:
    """The summary, written last, and a line of history unless the very same is listed there."""
    config = bench.config
    tally = Tally(outcomes.Corpus.of(bench.index), *spendings(bench))
    for row in run.results.rows():
        tally.add(row)
    if namer := bench.namer:
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
