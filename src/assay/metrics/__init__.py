"""Measures: pure functions that need nothing else of the package.

Those of rankings can be had from here; they and numpy are loaded when one is asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        page_recalls,
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
    "page_recalls",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from assay.metrics import ranking

    return getattr(ranking, name)
