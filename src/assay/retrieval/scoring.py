"""The measures of a retrieval evaluation, for many questions at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.config import RetrievalOptions
from assay.corpus.index import Index
from assay.evaluate import Named
from assay.metrics import Measure, judge, page_recalls
from assay.records import Case, Fault, Ranking
from assay.retrieval.diagnosis import CUT
from assay.retrieval.pages import Pages
from assay.retrieval.rules import Rules
from assay.retrieval.system import first_rank
from assay.runs.results import Row

AT_EACH_K = ("recall", "page_recall", "hit", "p", "p_max", "ndcg")
AT_LAST_K = ("mrr", "map")
FAILURE = Measure("hit", CUT)
"""What tells a failed question from the others."""
NO_INDEX, NO_PAGES = "no index", "the index tells no pages"
DEEP = 1000
"""How far is searched for a measure that has no cut-off of its own."""


def measures_of(
    options: RetrievalOptions, rules: Rules, *, pages_only: bool = False, chunks: bool = True
) -> tuple[Measure, ...]:
    """The usual measures at every k with those that rules and diagnosis need, then those asked for besides.

    `chunks`: some expected chunk is known, so that a question can fail.
    """
    cuts = sorted(set(options.k))
    names = [f"page_recall@{k}" for k in cuts]
    if not pages_only:
        names = [f"{family}@{k}" for family in AT_EACH_K for k in cuts]
        names += [f"{family}@{cuts[-1]}" for family in AT_LAST_K]
    needed = [*rules.measures, *([FAILURE] if chunks else [])]
    usual = _by_family([*map(Measure.parse, names), *needed])
    return tuple(dict.fromkeys([*usual, *map(Measure.parse, options.measures)]))


def _by_family(measures: Iterable[Measure]) -> list[Measure]:
    """Families as they come, cut-offs ascending."""
    families: dict[str, list[Measure]] = {}
    for measure in measures:
        families.setdefault(measure.name, []).append(measure)
    return [m for family in families.values() for m in sorted(family, key=lambda m: m.cutoff or DEEP)]


def depth_of(measures: Iterable[Measure]) -> int:
    """How many results a search must give for all of the measures."""
    return max(measure.cutoff or DEEP for measure in measures)


class RetrievalScorer:
    """Outputs of a retriever → rows of the results file."""

    def __init__(self, measures: Sequence[Measure], options: RetrievalOptions, index: Index | None) -> None:
        self.measures = tuple(measures)
        self._names = tuple(map(str, measures))
        self._pages = None if index is None else Pages(index, options)

    def __call__(self, system: Named, cases: Sequence[Case], outputs: Sequence[Ranking | Fault]) -> list[Row]:
        found = [(case, output) for case, output in zip(cases, outputs, strict=True) if isinstance(output, Ranking)]
        values = iter(self.matrix([case for case, _ in found], [ranking.ids for _, ranking in found]).tolist())
        return [
            _failed(system.name, case, output)
            if isinstance(output, Fault)
            else self._row(system.name, case, output, [None if value != value else value for value in next(values)])
            for case, output in zip(cases, outputs, strict=True)
        ]

    def matrix(self, cases: Sequence[Case], rankings: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Cases × measures; NaN is undefined."""
        judged = judge(rankings, [case.expected for case in cases])
        pages = [self._pages.ranks(case, ids) if self._pages else [] for case, ids in zip(cases, rankings, strict=True)]
        columns = [
            page_recalls(pages, measure.cutoff or 0) if measure.name == "page_recall" else measure.compute(judged)
            for measure in self.measures
        ]
        return np.stack(columns, axis=1)

    def _row(self, variant: str, case: Case, output: Ranking, scores: Sequence[float | None]) -> Row:
        expected = case.expected_ids
        return _about(variant, case, "ok", expected) | {
            "rank": first_rank(output.ids, expected),
            "scores": dict(zip(self._names, scores, strict=True)),
            "undefined": self._undefined(scores, case) if None in scores else {},
            "retrieved": {"scale": output.scale, "ids": output.ids, "scores": output.scores},
        }

    def _undefined(self, scores: Sequence[float | None], case: Case) -> dict[str, str]:
        """Why a measure has no value. Without an index, or its pages, nobody knows which page a chunk is of."""
        unknown = {"page_recall": NO_PAGES if self._pages else NO_INDEX} if case.pages else {}
        return {
            name: unknown.get(family, reason)
            for (name, family, reason), value in zip(self._reasons, scores, strict=True)
            if value is None
        }

    @cached_property
    def _reasons(self) -> list[tuple[str, str, str]]:
        """Name, family and why it may have no value, of each measure."""
        return [(str(measure), measure.name, measure.undefined) for measure in self.measures]


def _about(variant: str, case: Case, status: str, expected: Sequence[str]) -> Row:
    """What every row begins with."""
    pages = {"expected_pages": [[page.document, page.page] for page in case.pages]} if case.pages else {}
    return pages | {
        "variant": variant,
        "case_id": case.id,
        "status": status,
        "question": case.question,
        "tags": case.tags,
        "expected_ids": list(expected),
    }


def _failed(variant: str, case: Case, fault: Fault) -> Row:
    error = {"phase": fault.phase, "message": fault.message}
    return _about(variant, case, "error", case.expected_ids) | {"error": error, "scores": {}}
