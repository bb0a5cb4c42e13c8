"""Run files × measures → values with intervals, and what was left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, to_builtins
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.ranking.measures import Measure, defined
from assay.records import Interval
from assay.trec.pool import Pool, read_pool
from assay.trec.runs import JudgedRun, judge_file
from assay.trec.tokens import decode


class ScoreOptions(Struct, frozen=True, kw_only=True):
    """How runs are scored."""

    level: int = 1
    """The lowest grade that is relevant, trec_eval's `-l`."""
    seed: int = 0
    resamples: int = 2000
    confidence: float = 0.95


class RunScores(Struct, frozen=True):
    """One run: each measure with its interval, and the values of each query."""

    path: Path
    intervals: tuple[Interval, ...]
    values: NDArray[np.float64]
    """Queries × measures; NaN is undefined."""
    missing: tuple[str, ...]
    """Queries of the qrels that are not in the run: they score 0."""
    unknown: tuple[str, ...]
    """Queries of the run that are not in the qrels: they are left out."""

    def per_query(self, queries: Sequence[str], measures: Sequence[Measure]) -> dict[str, dict[str, float | None]]:
        names = [str(measure) for measure in measures]
        rows = zip(queries, self.values, strict=True)
        return {query: dict(zip(names, defined(row), strict=True)) for query, row in rows}


class Scores(Struct, frozen=True):
    """Runs side by side, all over the same judgements."""

    qrels: Path
    queries: tuple[str, ...]
    judgements: int
    measures: tuple[Measure, ...]
    runs: tuple[RunScores, ...]
    options: ScoreOptions


def score_runs(
    qrels: Path, runs: Sequence[Path], measures: Sequence[str], options: ScoreOptions | None = None
) -> Scores:
    """Each run file scored by each measure over the queries of the qrels (a file or a BEIR folder)."""
    options = options or ScoreOptions()
    parsed = tuple(dict.fromkeys(Measure.parse(text) for text in measures))
    if not parsed:
        raise AssayError("no measure is named", expected="one such as ndcg@10")
    pool = read_pool(qrels)
    scored = tuple(_score(judge_file(path, pool, level=options.level), pool, parsed, options) for path in runs)
    return Scores(pool.path, tuple(map(decode, pool.queries)), len(pool), parsed, scored, options)


def _score(run: JudgedRun, pool: Pool, measures: Sequence[Measure], options: ScoreOptions) -> RunScores:
    from assay.stats import bootstrap_intervals

    if len(run.missing) == len(pool.queries):
        raise AssayError(f"no query of {run.path} is in {pool.path}", expected="the same query ids in both")
    values = np.column_stack([measure.compute(run.judged) for measure in measures])
    intervals = bootstrap_intervals(
        values, seed=options.seed, resamples=options.resamples, confidence=options.confidence
    )
    return RunScores(run.path, tuple(intervals), values, run.missing, run.unknown)


def as_record(scores: Scores, *, per_query: bool = False) -> dict[str, Any]:
    """All of it as plain data, ready for JSON."""
    return {
        "qrels": str(scores.qrels),
        "n_queries": len(scores.queries),
        "n_judgements": scores.judgements,
        "options": to_builtins(scores.options),
        "runs": [_run_record(run, scores, per_query) for run in scores.runs],
    }


def _run_record(run: RunScores, scores: Scores, per_query: bool) -> dict[str, Any]:
    pairs = list(zip(scores.measures, run.intervals, strict=True))
    record: dict[str, Any] = {
        "run": str(run.path),
        "measures": {str(measure): to_builtins(found) for measure, found in pairs},
        "undefined": {str(measure): measure.undefined for measure, found in pairs if found.n_scored < found.n_cases},
        "missing_queries": run.missing,
        "unknown_queries": run.unknown,
    }
    return record | {"per_query": run.per_query(scores.queries, scores.measures)} if per_query else record
