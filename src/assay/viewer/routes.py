"""All pages of the viewer."""

from __future__ import annotations

from assay.viewer.pages import (
    baselines,
    compare,
    compare_question,
    gold,
    gold_gates,
    gold_question,
    history,
    question,
    questions,
    run,
    runs,
)

VIEWS = tuple(
    page.VIEW
    for page in (
        runs,
        run,
        questions,
        question,
        compare,
        compare_question,
        baselines,
        history,
        gold,
        gold_question,
        gold_gates,
    )
)
