"""Scored run files side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from assay.metrics import Measure
from assay.records import Interval
from assay.report.numbers import MISSING, fixed, format_value
from assay.report.plain import aligned
from assay.report.text import clip, one_line
from assay.trec.score import RunScores, Scores

_DECIMALS = 4
_SHOWN_QUERIES = 5
_ID_WIDTH = 40


def score_lines(scores: Scores) -> Iterator[str]:
    """A row for each measure with a column for each run; then what was left out and why."""
    level = "" if scores.options.level == 1 else f" · relevant from grade {scores.options.level} on"
    queries, judgements = len(scores.queries), scores.judgements
    yield (
        f"{one_line(str(scores.qrels))}: {_count(queries, 'query', 'queries')}, "
        f"{_count(judgements, 'judgement', 'judgements')}{level}"
    )
    yield f"mean [{scores.options.confidence * 100:g} % interval], n scored / n queries"
    yield ""
    yield from aligned(_rows(scores))
    yield from (f"! {text}" for text in _left_out(scores))


def per_query_lines(scores: Scores) -> Iterator[str]:
    """Tab-separated: run, query, one column for each measure; nothing where a value is undefined."""
    yield "\t".join(("run", "query", *map(str, scores.measures)))
    for name, run in zip(run_names(scores.runs), scores.runs, strict=True):
        for query, values in run.per_query(scores.queries, scores.measures).items():
            yield "\t".join((name, query, *("" if value is None else repr(value) for value in values.values())))


def run_names(runs: Sequence[RunScores]) -> list[str]:
    """File names, or whole paths where two have the same."""
    names = [run.path.name for run in runs]
    return [one_line(name) for name in (names if len(set(names)) == len(names) else [str(run.path) for run in runs])]


def _rows(scores: Scores) -> Iterator[tuple[str, ...]]:
    yield ("measure", *run_names(scores.runs), "n")
    for measure, *found in zip(scores.measures, *(run.intervals for run in scores.runs), strict=True):
        yield (str(measure), *map(_mean, found), _coverage(found))


def _left_out(scores: Scores) -> Iterator[str]:
    for name, run in zip(run_names(scores.runs), scores.runs, strict=True):
        if run.missing:
            yield f"{_named(run.missing)} of the qrels not in {name}: counted as nothing retrieved"
        if run.unknown:
            yield f"{_named(run.unknown)} of {name} not in the qrels: left out"
    for (reason, queries), measures in _undefined(scores).items():
        yield f"{', '.join(map(str, measures))} undefined for {_named(queries)}: {reason}"


def _undefined(scores: Scores) -> dict[tuple[str, tuple[str, ...]], list[Measure]]:
    """(reason, queries without a value in some run) → the measures it holds for."""
    found: dict[tuple[str, tuple[str, ...]], list[Measure]] = {}
    for at, measure in enumerate(scores.measures):
        undefined = np.any([np.isnan(run.values[:, at]) for run in scores.runs], axis=0)
        if undefined.any():
            queries = tuple(scores.queries[number] for number in np.flatnonzero(undefined))
            found.setdefault((measure.undefined, queries), []).append(measure)
    return found


def _named(queries: Sequence[str]) -> str:
    shown = ", ".join(clip(one_line(query), _ID_WIDTH) for query in queries[:_SHOWN_QUERIES])
    more = ", …" if len(queries) > _SHOWN_QUERIES else ""
    return f"{_count(len(queries), 'query', 'queries')} ({shown}{more})"


def _count(number: int, one: str, many: str) -> str:
    return f"{format_value(number, 'integer')} {one if number == 1 else many}"


def _mean(found: Interval) -> str:
    return f"{_number(found.mean)} [{_number(found.low)}, {_number(found.high)}]"


def _number(value: float | None) -> str:
    return MISSING if value is None else fixed(value, _DECIMALS)


def _coverage(found: Sequence[Interval]) -> str:
    scored = dict.fromkeys(format_value(one.n_scored, "integer") for one in found)
    return f"{' · '.join(scored)} / {format_value(found[0].n_cases, 'integer')}"
