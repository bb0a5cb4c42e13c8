"""The end of an extraction run: its summary, which says that it is finished, and its line of history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from assay.extraction import summary
from assay.extraction.bench import Bench
from assay.extraction.expense import Expenses
from assay.extraction.narrative import WORST, Narrative, write_summary
from assay.extraction.scoring import HEADLINES
from assay.llm.prices import Price, unknown_price
from assay.runs import history, sessions
from assay.runs.folder import RunFolder
from assay.runs.heading import gate_result, heading, history_entry, skipped_block
from assay.runs.results import Row

Prices = Callable[[Row], Price | None]


async def conclude(run: RunFolder, bench: Bench, *, listed: bool) -> None:
    """The summary, written last, and a line of history unless the very same is listed there."""
    config, tally = bench.config, summary.Tally(run.results.rows(), bench.record.scheme.names)
    rows = tally.rows
    found = summary.metrics(rows, config)
    figures = summary.figures(tally, config)
    worst = [row["case_id"] for row in summary.worst(rows, WORST)]
    narrative = await _narrative(bench, run, worst, figures)
    head = _heading(run, bench, rows)
    price = _prices(bench, head)
    data = head | {
        "metrics": {name: interval.mean for name, interval in found.items()},
        "intervals": msgspec.to_builtins(found),
        **figures,
        "latency": summary.latency(rows),
        "tokens": summary.tokens(rows, narrative.tokens),
        "cost": summary.costs(rows, price, narrative.cost),
        "errors": _errors(bench, rows),
        "worst": worst,
        "gates": [gate_result(gate, found.get(gate.measure)) for gate in config.extraction.gates],
        "narrative": narrative.as_data(),
        "execution": _execution(run, bench),
        "notes": [
            *bench.samples.warnings,
            *_unknown_outputs(bench),
            *_without_now(bench),
            *_unpriced(bench, rows, price),
        ],
    }
    run.write_summary(data)
    if not listed:
        history.record(config.path("runs"), _history_entry(run, data))


def _prices(bench: Bench, head: dict[str, Any]) -> Prices:
    """That of the model which the settings name, else of those that an extractor of the user's own names itself."""
    if bench.model or bench.config.extraction.model:
        known = bench.price
        return lambda _: known
    return Expenses(head).price


def _unpriced(bench: Bench, rows: Sequence[Row], price: Prices) -> list[str]:
    """Why the cost is unknown although tokens were told. A model that is called has its own warning."""
    if bench.model:
        return []
    named = bench.config.extraction.model
    models = {named or row["model"] for row in rows if row["tokens"] is not None and price(row) is None}
    unnamed = ["tokens were told without a model: name it with --model to have their cost"] if None in models else []
    return [unknown_price(name) for name in sorted(filter(None, models))] + unnamed


def _execution(run: RunFolder, bench: Bench) -> dict[str, Any]:
    """The summary's own call is paid after the last session."""
    options, totals = bench.config.extraction, sessions.totals(run.path)
    earlier = totals["spent_usd"] - sessions.read(run.path)[-1].spent
    return totals | {
        "spent_usd": round(earlier + bench.models.budget.spent, 6),
        "workers": options.workers,
        "delay": options.delay,
        "warnings": bench.models.warnings,
    }


async def _narrative(bench: Bench, run: RunFolder, worst: Sequence[str], figures: dict[str, Any]) -> Narrative:
    options = bench.config.extraction
    if bench.source is not None:
        return Narrative(reason="scored again, without a call")
    if not options.summary:
        return Narrative(reason="switched off")
    name = options.summary_model or bench.model
    if name is None:
        return Narrative(reason="no model extracts, and none is named in extraction.summary_model")
    places = run.results.places(lambda row: row["case_id"] in worst)
    rows = [run.results.row_at(places[id_]) for id_ in worst]
    texts = {sample.id: sample.text for sample in bench.samples.samples if sample.id in places}
    return await write_summary(bench.models, name, figures, rows, texts)


def _unknown_outputs(bench: Bench) -> list[str]:
    unknown = getattr(bench.extractor, "unknown", None)
    lost: list[str] = unknown({sample.id for sample in bench.samples.samples}) if unknown else []
    shown = ", ".join(lost[:5]) + (", …" if len(lost) > 5 else "")
    return [f"{len(lost)} outputs are about no sample and were left out: {shown}"] if lost else []


def _without_now(bench: Bench) -> list[str]:
    """A text read as of today may give other records tomorrow."""
    reads_time = bench.model is not None or bench.extractor.name == "rules"
    lacking = sum(not sample.reference_datetime for sample in bench.samples.scored) if reads_time else 0
    what = "they were read as of now, and another day may give another score"
    return [f"samples without reference_datetime: {lacking}; {what}"] if lacking else []


def _errors(bench: Bench, rows: Sequence[Row]) -> dict[str, Any]:
    failed = [row for row in rows if row["status"] == "error"]
    phases = Counter(row["error"]["phase"] for row in failed)
    broken = [msgspec.to_builtins(each) for each in bench.samples.broken]
    if broken:
        phases["sample"] = len(broken)
    return {"total": len(failed) + len(broken), "by_phase": dict(sorted(phases.items())), "broken": broken}


def _heading(run: RunFolder, bench: Bench, rows: Sequence[Row]) -> dict[str, Any]:
    samples, scored = bench.samples, [row for row in rows if row["scored"]]
    return heading(run, ("gold", "index", "record type")) | {
        "partial": _partial(bench, rows),
        "system": bench.extractor.name,
        "model": bench.model,
        "record_type": bench.record.name,
        "source": bench.source,
        "corpus": {
            "name": samples.name,
            "sha256": samples.sha256,
            "question_count": len(samples.samples) + len(samples.broken),
            "tested": len(scored),
            "distribution": {
                tag: dict(sorted(Counter(row["tags"][tag] for row in scored).items())) for tag in ("category", "level")
            },
        },
        "skipped": skipped_block({row["case_id"]: "no sidecar" for row in rows if not row["scored"]}),
    }


def _partial(bench: Bench, rows: Sequence[Row]) -> str | None:
    """Why the run is no whole one."""
    failed = sum(row["status"] == "error" for row in rows) + len(bench.samples.broken)
    total, limit = len(rows) + len(bench.samples.broken), bench.config.extraction.error_limit
    if failed and failed / total > limit:
        return f"{failed} of {total} samples failed or are broken, more than {limit:.1%}"
    return None


def _history_entry(run: RunFolder, data: dict[str, Any]) -> dict[str, Any]:
    metrics, cost = data["metrics"], data["cost"]["total_cost_usd"]
    return history_entry(run, data, data["system"], cost) | {
        "model": data["model"] or data["system"],
        "sample_count": data["corpus"]["question_count"],
        "scored_count": data["corpus"]["tested"],
        "failed_count": data["errors"]["total"],
        **{name: metrics.get(name) for name in (*HEADLINES, "micro_f1")},
        "avg_latency_s": data["latency"]["total"]["avg"],
        "est_cost_usd": cost,
    }
