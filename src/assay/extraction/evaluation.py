"""An extraction run from samples to a finished folder: extracted, matched, scored, timed, costed, resumable."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from assay.config import Config
from assay.errors import AssayError, unknown_name
from assay.evaluate import Plan, Timing, evaluate_async
from assay.extraction import summary
from assay.extraction.build import build, spelling_of
from assay.extraction.narrative import WORST, Narrative, write_summary
from assay.extraction.protocol import Context, Extractor, Fingerprinted, Output
from assay.extraction.record_type import RecordType, load_record_type
from assay.extraction.samples import SIDECAR, SampleSet, read_folder, read_gold, read_sample
from assay.extraction.scoring import ExtractionScorer
from assay.extraction.subject import Subject
from assay.files import write_json
from assay.llm import Connections, connect
from assay.llm.prices import Price, price_of
from assay.records import Progress
from assay.runs import history, manifest
from assay.runs.folder import RESULTS, SUMMARY, RunFolder, find_run
from assay.runs.results import ResultsFile, Row

KIND = "extraction"
RECORDED = "recorded"
"""The extractor that gives each sample's own recorded answer."""


class Order(Struct, frozen=True, kw_only=True):
    """What to run: the texts of a folder, or the lines of a gold file."""

    config: Config
    samples: Path
    gold: Path | None = None
    """Outputs are there already, in `samples`; the truth is here."""
    record: Path | None = None
    resume: str | None = None
    command: tuple[str, ...] = ()


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first sample."""

    order: Order
    record: RecordType
    samples: SampleSet
    models: Connections
    extractor: Extractor

    @property
    def config(self) -> Config:
        return self.order.config


def run_extraction(order: Order, progress: Progress = lambda _: None) -> RunFolder:
    """The sync door."""
    return asyncio.run(_run(order, progress))


async def _run(order: Order, progress: Progress) -> RunFolder:
    started, now = perf_counter(), datetime.now(UTC)
    options = order.config.extraction
    async with connect(order.config) as models:
        bench = prepare(order, models)
        try:
            run = _folder(bench, now)
            was_finished = run.finished
            results = ResultsFile(run.path / RESULTS)
            scorer = ExtractionScorer(bench.record, options.level)
            plan = Plan(
                cases=bench.samples.samples,
                systems=(Subject(bench.extractor, options.delay),),
                scorer=scorer,
                results=results,
                workers=options.workers,
                progress=progress,
                spent=lambda: bench.models.budget.spent,
            )
            timings = await evaluate_async(plan)
        finally:
            await bench.extractor.close()
        results.finish(lambda row: row["case_id"])
        data = await _conclude(run, bench, results.read(), _execution(timings, now, started, bench))
        if not was_finished or any(timing.cases for timing in timings.values()):
            history.record(order.config.path("runs"), _history_entry(run, data))
    return run


def read_samples(order: Order, record: RecordType) -> SampleSet:
    """A folder of texts, a gold file, or one text."""
    if order.gold is not None:
        return read_gold(order.gold, record)
    if order.samples.is_dir():
        return read_folder(order.samples, record)
    if not order.samples.exists():
        raise AssayError("no such folder", where=str(order.samples), expected="samples: name.txt beside name" + SIDECAR)
    raise AssayError("not a folder of samples", where=str(order.samples), hint="Name the truth with --gold FILE")


def record_type_of(order: Order) -> RecordType:
    options = order.config.extraction
    path = order.record or (Path(order.config.root) / options.record if options.record else None)
    record = load_record_type(path).also_scored(options.fields)
    if options.level is not None:
        record.level(options.level)
    return record


def prepare(order: Order, models: Connections) -> Bench:
    """Read and check everything, so that a mistake is told before anything is spent."""
    record = record_type_of(order)
    samples = read_samples(order, record)
    options = order.config.extraction
    spelling = f"recorded:{order.samples}" if order.gold is not None else spelling_of(options.system, options.model)
    for gate in options.gates:
        if gate.measure not in (known := summary.measures(record.scheme.names)):
            raise unknown_name("measure", gate.measure, known, where="extraction.gates")
    extractor = build(spelling, Context(config=order.config, models=models, record=record))
    return Bench(order=order, record=record, samples=samples, models=models, extractor=extractor)


async def _extract_one(config: Config, path: Path, record: RecordType) -> Output:
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
        run = find_run(config.path("runs"), order.resume)
        run.require_same(inputs.fingerprint())
        return run
    data = manifest.build(inputs, config, list(order.command), now) | {"rows": len(bench.samples.samples)}
    return RunFolder.create(config.path("runs"), data, bench.extractor.name, None)


def _inputs(bench: Bench) -> manifest.Inputs:
    config, options = bench.config, bench.config.extraction
    made_from = dict(bench.extractor.inputs) if isinstance(bench.extractor, Fingerprinted) else {}
    if bench.extractor.name == RECORDED:
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


def _execution(timings: dict[str, Timing], now: datetime, started: float, bench: Bench) -> dict[str, Any]:
    (timing,) = timings.values()
    return {
        "timestamp": now.isoformat(timespec="seconds"),
        "duration": round(perf_counter() - started, 3),
        "samples_extracted": timing.cases,
        "samples_per_second": round(timing.cases / timing.seconds, 2) if timing.cases and timing.seconds else None,
        "workers": bench.config.extraction.workers,
        "delay": bench.config.extraction.delay,
    }


async def _conclude(run: RunFolder, bench: Bench, rows: Sequence[Row], execution: dict[str, Any]) -> dict[str, Any]:
    """The summary, written last."""
    config = bench.config
    found = summary.metrics(rows, config)
    figures = {
        "overall": summary.block(rows, config),
        "by_category": summary.breakdown(rows, "category", config),
        "by_level": summary.breakdown(rows, "level", config),
        "by_field": summary.fields(rows, bench.record.scheme.names),
        "confidence": summary.confidence(rows, config),
    }
    narrative = await _narrative(bench, rows, figures)
    execution |= {"spent_usd": round(bench.models.budget.spent, 6), "warnings": bench.models.warnings}
    data = _heading(run, bench, rows) | {
        "metrics": {name: interval.mean for name, interval in found.items()},
        "intervals": msgspec.to_builtins(found),
        **figures,
        "latency": summary.latency(rows),
        "tokens": summary.tokens(rows, narrative.tokens),
        "cost": summary.costs(rows, price_of_extractor(bench), narrative.cost),
        "errors": _errors(bench, rows),
        "worst": [row["case_id"] for row in summary.worst(rows, WORST)],
        "gates": [summary.judge_gate(gate, found) for gate in config.extraction.gates],
        "narrative": narrative.as_data(),
        "execution": execution,
        "notes": list(bench.samples.warnings) + _unknown_outputs(bench),
    }
    write_json(run.path / SUMMARY, data)
    return data


async def _narrative(bench: Bench, rows: Sequence[Row], figures: dict[str, Any]) -> Narrative:
    options = bench.config.extraction
    if not options.summary:
        return Narrative(reason="switched off")
    texts = {sample.id: sample.text for sample in bench.samples.samples}
    return await write_summary(
        bench.models, options.summary_model or _model(bench), figures, summary.worst(rows, WORST), texts
    )


def _model(bench: Bench) -> str | None:
    """That is called, if any."""
    options = bench.config.extraction
    name, _, argument = spelling_of(options.system, options.model).partition(":")
    asked = name == "llm" and bench.order.gold is None
    return (argument or options.model) if asked else None


def price_of_extractor(bench: Bench) -> Price | None:
    """A user's own extractor may name its model in the settings."""
    called, named = _model(bench), bench.config.extraction.model
    if called:
        return bench.models.model(called).price
    return price_of(named, bench.config.llm.prices) if named else None


def _unknown_outputs(bench: Bench) -> list[str]:
    unknown = getattr(bench.extractor, "unknown", None)
    lost: list[str] = unknown({sample.id for sample in bench.samples.samples}) if unknown else []
    shown = ", ".join(lost[:5]) + (", …" if len(lost) > 5 else "")
    return [f"{len(lost)} outputs are about no sample and were left out: {shown}"] if lost else []


def _errors(bench: Bench, rows: Sequence[Row]) -> dict[str, Any]:
    failed = [row for row in rows if row["status"] == "error"]
    phases = Counter(row["error"]["phase"] for row in failed)
    broken = [msgspec.to_builtins(each) for each in bench.samples.broken]
    if broken:
        phases["sample"] = len(broken)
    return {"total": len(failed) + len(broken), "by_phase": dict(sorted(phases.items())), "broken": broken}


def _heading(run: RunFolder, bench: Bench, rows: Sequence[Row]) -> dict[str, Any]:
    data, samples = run.manifest, bench.samples
    scored = [row for row in rows if row["scored"]]
    unscored = [row["case_id"] for row in rows if not row["scored"]]
    return {
        "schema_version": 1,
        "kind": KIND,
        "run_id": data["run_id"],
        "client": data["client"],
        "created_date": data["created"],
        "partial": _partial(bench, rows),
        "identity": {key: data["fingerprint"][key] for key in ("gold", "index", "record type")},
        "environment": data["environment"],
        "system": bench.extractor.name,
        "model": _model(bench),
        "record_type": bench.record.name,
        "config": data["config"],
        "seed": data["seed"],
        "corpus": {
            "name": samples.name,
            "sha256": samples.sha256,
            "question_count": len(samples.samples) + len(samples.broken),
            "tested": len(scored),
            "distribution": {
                tag: dict(sorted(Counter(row["tags"][tag] for row in scored).items())) for tag in ("category", "level")
            },
        },
        "skipped": {
            "count": len(unscored),
            "reasons": {"no sidecar": len(unscored)} if unscored else {},
            "ids": dict.fromkeys(unscored, "no sidecar"),
        },
    }


def _partial(bench: Bench, rows: Sequence[Row]) -> str | None:
    """Why the run is no whole one."""
    failed = sum(row["status"] == "error" for row in rows) + len(bench.samples.broken)
    total, limit = len(rows) + len(bench.samples.broken), bench.config.extraction.error_limit
    if failed and failed / total > limit:
        return f"{failed} of {total} samples failed or are broken, more than {limit:.1%}"
    return None


def _history_entry(run: RunFolder, data: dict[str, Any]) -> dict[str, Any]:
    metrics = data["metrics"]
    return {
        "timestamp": data["execution"]["timestamp"],
        "kind": KIND,
        "run": run.name,
        "client": data["client"],
        "corpus": data["corpus"]["name"],
        "model": data["model"] or data["system"],
        "best": data["system"],
        "questions": data["corpus"]["tested"],
        "sample_count": data["corpus"]["question_count"],
        "scored_count": data["corpus"]["tested"],
        "failed_count": data["errors"]["total"],
        "precision": metrics.get("precision"),
        "recall": metrics.get("recall"),
        "f1": metrics.get("f1"),
        "micro_f1": metrics.get("micro_f1"),
        "avg_latency_s": data["latency"]["total"]["avg"],
        "est_cost_usd": data["cost"]["total_cost_usd"],
        "cost_usd": data["cost"]["total_cost_usd"],
        "partial": data["partial"],
        "passed": all(gate["passed"] for gate in data["gates"] if gate["severity"] == "blocking"),
        "duration": data["execution"]["duration"],
        "metrics": metrics,
    }
