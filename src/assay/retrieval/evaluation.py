"""A retrieval evaluation from gold set and index to a finished run folder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.config import Config
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.evaluate import Plan, Timing, evaluate
from assay.files import dump_json
from assay.gold.cases import CaseSet, load_cases
from assay.metrics import Measure
from assay.records import Case, Progress, Ranking
from assay.retrieval import failures, health, summary
from assay.retrieval.rules import Rules, rules_of
from assay.retrieval.scoring import RetrievalScorer, depth_of, measures_of
from assay.retrieval.system import Variant, first_rank
from assay.retrievers.origins import origins
from assay.retrievers.protocol import Query, Request, Retriever
from assay.retrievers.variants import build
from assay.runs import history, manifest
from assay.runs.folder import FAILURES, RESULTS, RunFolder, find_run
from assay.runs.heading import heading, history_entry, index_block, skipped_block
from assay.runs.results import ResultsFile, Row
from assay.runs.writing import writing
from assay.sampling import stratified

KIND = "retrieval"
BY_PAGE = "No question names a chunk: retrieval is measured by page, and gates on chunks are read as gates on pages."
UNPAGED = "Questions name pages, but the index tells none: page recall is not measured."
PROBE = 100
"""Questions searched by bm25 only to see how trivial the set is."""


class Order(Struct, frozen=True, kw_only=True):
    """What to evaluate."""

    config: Config
    gold: Path
    index: Path | None
    corpus: str | None = None
    """The name of the corpus where there are several; None: it is called like its gold set."""
    old_index: Path | None = None
    """Where the chunks of the gold set came from, if the corpus was cut anew since."""
    pages_only: bool = False
    quick: int | None = None
    resume: str | None = None
    command: tuple[str, ...] = ()


class Bench(Struct, frozen=True, kw_only=True):
    """Everything that is made from an order before the first search."""

    order: Order
    gold: CaseSet
    cases: tuple[Case, ...]
    index: Index | None
    rules: Rules
    measures: tuple[Measure, ...]
    variants: tuple[Variant, ...]
    led_to_pages: bool = False
    """The set names no chunk, so that it is measured by page though nobody asked for it."""

    @property
    def config(self) -> Config:
        return self.order.config

    @property
    def chunks_known(self) -> bool:
        return any(case.expected_ids for case in self.cases)


class Clock(Struct, frozen=True):
    """When a run began, and what its searches took."""

    now: datetime
    started: float
    timings: dict[str, Timing]

    def execution(self) -> dict[str, Any]:
        """As it stands in the summary; everything until now, so all but the report."""
        return {
            "timestamp": self.now.isoformat(timespec="seconds"),
            "duration": round(perf_counter() - self.started, 3),
            "workers": 1,
            "search": {
                name: {
                    "seconds": round(timing.seconds, 4),
                    "questions": timing.cases,
                    "questions_per_second": round(timing.cases / timing.seconds, 1) if timing.seconds else None,
                }
                for name, timing in self.timings.items()
            },
        }


def evaluate_retrieval(order: Order, progress: Progress) -> RunFolder:
    """Search, score, diagnose, summarise; the folder holds it all."""
    started, now = perf_counter(), datetime.now(UTC)
    bench = prepare(order)
    inputs = _inputs(bench)
    if order.resume:
        run = find_run(order.config.path("runs"), order.resume, KIND)
        run.require_same(inputs.fingerprint())
    else:
        data = manifest.build(inputs, order.config, list(order.command), now)
        data["rows"] = len(bench.cases) * len(bench.variants)
        names = "+".join([*filter(None, [order.corpus]), *(variant.name for variant in bench.variants)])
        run = RunFolder.create(order.config.path("runs"), data, names, max(order.config.retrieval.k))
    with writing(run, new=order.resume is None):
        _fill(run, bench, progress, started, now)
    return run


def _fill(run: RunFolder, bench: Bench, progress: Progress, started: float, now: datetime) -> None:
    """Everything that belongs into the folder."""
    scorer = RetrievalScorer(bench.measures, bench.config.retrieval, bench.index)
    results = ResultsFile(run.path / RESULTS, remember=True)
    plan = Plan(cases=bench.cases, systems=bench.variants, scorer=scorer, results=results, progress=progress)
    timings = evaluate(plan)
    if run.is_current and not any(timing.cases for timing in timings.values()):
        return
    place = {variant.name: number for number, variant in enumerate(bench.variants)}
    results.finish(lambda row: (place[row["variant"]], row["case_id"]))
    rows = results.read()
    _conclude(run, bench, rows, scorer, Clock(now, started, timings))


def _gold(order: Order) -> tuple[CaseSet, bool]:
    """The gold set, and whether it is measured by page: if that was asked for, or if it names pages and no chunk."""
    gold, by_page = load_cases(order.gold, "pages" if order.pages_only else "chunks"), order.pages_only
    if not by_page and not any(case.expected for case in gold.cases):
        pages = load_cases(order.gold, "pages")
        if any(case.pages for case in pages.cases):
            gold, by_page = pages, True
    if not any(case.expected or case.pages for case in gold.cases):
        raise _nothing_to_find(gold, order.gold)
    return replace(gold, name=order.corpus or gold.name), by_page


def _nothing_to_find(gold: CaseSet, path: Path) -> AssayError:
    """No question names a chunk or a page."""
    reasons = gold.reasons | ({"no chunk or page": len(gold.cases)} if gold.cases else {})
    told = ", ".join(f"{n} {reason}" for reason, n in reasons.items())
    answers = "no chunk id" in reasons or any(case.answer for case in gold.cases)
    hint = "Find the chunks of quoted answers with: assay gold relocate" if answers else None
    return AssayError(f"no question can be tested: {told}", where=str(path), hint=hint)


def prepare(order: Order) -> Bench:
    """Read and check everything, so that a mistake is told before any work is done."""
    options = order.config.retrieval
    gold, by_page = _gold(order)
    led_to_pages = by_page and not order.pages_only
    order = replace(order, pages_only=by_page)
    rules = rules_of(options, pages_only=by_page)
    cases = stratified(gold.cases, order.quick, order.config.seed) if order.quick else tuple(gold.cases)
    if order.pages_only and order.index is None:
        raise AssayError(
            "page recall needs an index, which tells the page of a chunk", hint="Name one with --index FILE."
        )
    index = Index.open(order.index) if order.index else None
    if order.pages_only and index and not index.has_pages:
        hint = "Index documents that have pages, or chunks with a page"
        raise AssayError("page recall needs pages, and the index tells none", where=str(order.index), hint=hint)
    known = any(case.expected_ids for case in cases)
    measures = measures_of(options, rules, pages_only=order.pages_only, chunks=known or not order.pages_only)
    request = Request(k=depth_of(measures), sources=options.sources)
    variants = tuple(
        Variant(name, build(name, order.config, index), request, skip_own=options.ignore_identical_ids)
        for name in dict.fromkeys(options.variants)
    )
    return Bench(
        order=order,
        gold=gold,
        cases=cases,
        index=index,
        rules=rules,
        measures=measures,
        variants=variants,
        led_to_pages=led_to_pages,
    )


def _inputs(bench: Bench) -> manifest.Inputs:
    config, order = bench.config, bench.order
    return manifest.Inputs(
        kind=KIND,
        gold=bench.gold.sha256,
        index=bench.index.fingerprint if bench.index else None,
        settings={
            "retrieval settings": msgspec.to_builtins(config.retrieval),
            "retriever files": origins(config.retrieval.variants, config),
            "embedder": msgspec.to_builtins(config.embedder),
            "statistics": msgspec.to_builtins(config.statistics),
            "seed": config.seed,
            "selection": [order.quick, order.pages_only, order.corpus],
        },
    )


def _conclude(run: RunFolder, bench: Bench, rows: Sequence[Row], scorer: RetrievalScorer, clock: Clock) -> None:
    """Diagnoses, health, summary and history. The summary is written last: it says that the run is finished."""
    config = bench.config
    names = [str(measure) for measure in bench.measures]
    variants = [variant.name for variant in bench.variants]
    table = summary.Table(rows, bench.cases, variants, names)
    means = table.means(config)
    failed = failures.collect(bench.variants, bench.cases, rows, bench.index, config)
    run.write(FAILURES, "".join(dump_json(entry) + "\n" for entry in failed))
    why_not = _not_examined(bench)
    diagnosis = None if why_not else failures.counts(variants, failed)
    gates, decision = summary.verdicts(bench.rules, means, diagnosis)
    data = _heading(run, bench) | {
        "variants": variants,
        "measures": names,
        "metrics": summary.as_data(means),
        "segments": msgspec.to_builtins(table.segments(config)),
        "ranks": failures.ranks(variants, rows, failed),
        "gates": gates,
        "decision": decision,
        "health": _health(bench, rows, scorer),
        "diagnosis": diagnosis,
        "not_examined": why_not,
        "unknown_results": failures.unknown_results(rows, bench.index),
        "warnings": _warnings(bench),
        "errors": summary.errors_of(rows) | {"messages": summary.messages_of(rows)},
        "execution": clock.execution(),
    }
    run.write_summary(data)
    history.record(config.path("runs"), history_entry(run, data, data["decision"]["variant"], 0.0))


def _not_examined(bench: Bench) -> str | None:
    """Why no failure can be diagnosed, if so."""
    if bench.index is None:
        return "there is no index"
    return None if bench.chunks_known else "no expected chunk is known"


def _warnings(bench: Bench) -> list[str]:
    if bench.index is None:
        return []
    by_page = BY_PAGE if bench.led_to_pages else None
    if bench.config.retrieval.ignore_identical_ids:
        own = _never_found(bench.cases)
    else:
        own = _found_by_themselves(bench.cases, bench.index)
    pages = None if bench.index.has_pages or not any(case.pages for case in bench.cases) else UNPAGED
    return [said for said in (bench.index.doubt, by_page, pages, own) if said]


def _found_by_themselves(cases: Sequence[Case], index: Index) -> str | None:
    """Of some BEIR sets (ArguAna, Quora) the questions are documents of the corpus, and each finds itself first."""
    count = sum(case.id in index.rows and case.id not in case.expected for case in cases)
    if not count:
        return None
    what = f"{count} of {len(cases)} questions share their id with a chunk that is not expected"
    return (
        f"{what}: if the chunk is the question itself, it is found first. "
        "BEIR's own evaluation leaves it out; so does --ignore-identical-ids."
    )


def _never_found(cases: Sequence[Case]) -> str | None:
    """BEIR's rule looks at ids alone."""
    count = sum(case.id in case.expected_ids for case in cases)
    if not count:
        return None
    return (
        f"{count} of {len(cases)} questions expect the chunk of their own id, which --ignore-identical-ids leaves out."
    )


def _heading(run: RunFolder, bench: Bench) -> dict[str, Any]:
    gold = bench.gold
    quick = len(bench.cases) < len(gold.cases)
    return heading(run, ("gold", "index", "retrieval settings")) | {
        "partial": f"{len(bench.cases)} of {len(gold.cases)} questions" if quick else None,
        "index": index_block(bench.index),
        "corpus": corpus_block(gold, bench.cases),
        "skipped": skipped_block({entry.id: entry.reason for entry in gold.excluded}),
    }


def corpus_block(gold: CaseSet, cases: Sequence[Case]) -> dict[str, Any]:
    return {
        "name": gold.name,
        "sha256": gold.sha256,
        "format": gold.format,
        "question_count": gold.total,
        "tested": len(cases),
        "distribution": summary.distribution(cases),
    }


def _health(bench: Bench, rows: Sequence[Row], scorer: RetrievalScorer) -> dict[str, Any] | None:
    """Is the gold set still true of the index, and how trivial is it? With relocated ids, the scores once more."""
    if bench.index is None:
        return None
    order = bench.order
    bm25 = build("bm25", order.config, bench.index)

    def search(texts: Sequence[str]) -> list[Sequence[str]]:
        return _found(bm25, texts, 50)

    old = Index.open(order.old_index) if order.old_index else None
    result = health.examine(bench.cases, bench.index, search, old)
    trivial = _trivial(
        bench.cases, rows, Variant("bm25", bm25, Request(k=1), order.config.retrieval.ignore_identical_ids)
    )
    data: dict[str, Any] = msgspec.to_builtins(replace(result, trivial=trivial))
    data["counts"] = {state: result.count(state) for state in ("relocated", "ambiguous", "missing")}
    data["accepted"] = _accepted(bench, rows, scorer, result) if result.relocations else None
    return data


def _found(retriever: Retriever, texts: Sequence[str], k: int) -> list[Sequence[str]]:
    rankings = retriever.search([Query(str(n), text) for n, text in enumerate(texts)], Request(k=k))
    return [ranking.ids if isinstance(ranking, Ranking) else () for ranking in rankings]


def _trivial(cases: Sequence[Case], rows: Sequence[Row], bm25: Variant) -> float | None:
    """Share of the questions that bm25 ranks right at once: all of them where bm25 is a variant of the run, else of a
    stratified sample, because the search is made for this alone."""
    known = [case for case in cases if case.expected_ids]
    first = {row["case_id"]: row["rank"] == 1 for row in rows if row["variant"] == "bm25" and row["status"] == "ok"}
    if not first and known:
        known = list(stratified(known, PROBE, 0))
        ids = [found.ids if isinstance(found, Ranking) else () for found in bm25.answer(known)]
        first = {case.id: first_rank(found, case.expected_ids) == 1 for case, found in zip(known, ids, strict=True)}
    return sum(first.get(case.id, False) for case in known) / len(known) if known else None


def _accepted(bench: Bench, rows: Sequence[Row], scorer: RetrievalScorer, result: health.Health) -> dict[str, Any]:
    """Every mean again, with relocated ids accepted; nothing is searched again."""
    cases = {case.id: case for case in health.relocate(bench.cases, result)}
    done = [row for row in rows if row["status"] == "ok"]
    values = scorer.matrix([cases[row["case_id"]] for row in done], [row["retrieved"]["ids"] for row in done])
    names = [str(measure) for measure in bench.measures]
    again = [
        row | {"scores": {name: None if value != value else value for name, value in zip(names, line, strict=True)}}
        for row, line in zip(done, values.tolist(), strict=True)
    ]
    variants = [variant.name for variant in bench.variants]
    table = summary.Table(again, bench.cases, variants, names)
    return summary.as_data(table.means(bench.config))
