"""Measures: pure functions that need nothing else of the package."""

from assay.metrics.ranking import (
    MEASURES,
    Judged,
    Measure,
    judge,
    judge_run,
    measure,
    measure_list,
    measure_runs,
    page_ranks,
    page_recall,
)

__all__ = [
    "MEASURES",
    "Judged",
    "Measure",
    "judge",
    "judge_run",
    "measure",
    "measure_list",
    "measure_runs",
    "page_ranks",
    "page_recall",
]
