"""Measures of rankings, each a pure function of judged rankings."""

from assay.metrics.ranking.judged import Judged, judge
from assay.metrics.ranking.lists import judge_run, measure_list, measure_runs
from assay.metrics.ranking.measures import MEASURES, Definition, Measure, defined, measure
from assay.metrics.ranking.pages import page_ranks, page_recall

__all__ = [
    "MEASURES",
    "Definition",
    "Judged",
    "Measure",
    "defined",
    "judge",
    "judge_run",
    "measure",
    "measure_list",
    "measure_runs",
    "page_ranks",
    "page_recall",
]
