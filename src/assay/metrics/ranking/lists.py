"""The doors for ids and scores in plain lists and dicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from assay.errors import AssayError
from assay.metrics.ranking.judged import Judged, judge, pool_of
from assay.metrics.ranking.measures import Measure, defined
from assay.metrics.ranking.order import ranks, single, sort_keys

Qrels = Mapping[str, Mapping[str, int]]
"""Query → document → grade."""
Run = Mapping[str, Mapping[str, float]]
"""Query → document → score."""


def measure_list(
    measure: str, *, ranked: Sequence[str], relevant: Mapping[str, int] | Collection[str], level: int = 1
) -> float | None:
    """One measure of one ranking, best first. `relevant`: grades by id, or just the relevant ids. None: undefined."""
    grades = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
    return defined(Measure.parse(measure).compute(judge([ranked], [grades], level=level)))[0]


def measure_runs(
    measures: Iterable[str], qrels: Qrels, run: Run, *, level: int = 1
) -> dict[str, dict[str, float | None]]:
    """Query → measure → value, for each query of the qrels; None where it is undefined.

    A query that is not in the run scores 0; one that is not in the qrels is left out.
    """
    parsed = [Measure.parse(text) for text in measures]
    judged = judge_run(qrels, run, level=level)
    columns = {str(measure): defined(measure.compute(judged)) for measure in parsed}
    return {query: {name: column[at] for name, column in columns.items()} for at, query in enumerate(qrels)}


def judge_run(qrels: Qrels, run: Run, *, level: int = 1) -> Judged:
    """The run's documents, ordered by score and then id, met with the judgements; one query for each of the qrels."""
    lists = [run.get(query, {}) for query in qrels]
    sizes = np.array([len(found) for found in lists], np.int64)
    documents = list(chain.from_iterable(lists))
    values = chain.from_iterable(found.values() for found in lists)
    scores = np.fromiter(values, np.float64, len(documents))
    if np.isnan(scores).any():
        raise AssayError("a score of the run is NaN", expected="a number")
    query = np.repeat(np.arange(len(lists)), sizes)
    judgements = list(qrels.values())
    starts = (np.cumsum(sizes) - sizes).tolist()
    known = chain.from_iterable(
        (entry, grades[document])
        for found, grades, start in zip(lists, judgements, starts, strict=True)
        for entry, document in enumerate(found, start)
        if document in grades
    )
    wanted, grade = np.fromiter(known, np.int64).reshape(-1, 2).T
    rank = ranks(sort_keys(query, single(scores)), wanted, lambda entries: [documents[entry] for entry in entries])
    return Judged.build((query[wanted], rank, grade), sizes, pool_of(judgements), level)
