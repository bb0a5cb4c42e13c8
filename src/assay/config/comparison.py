"""How runs are compared: thresholds, intervals, tests."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from assay.config.settings import NotNegative, Settings

THRESHOLDS = {
    "recall": 0.01,
    "page_recall": 0.01,
    "hit": 0.01,
    "mrr": 0.02,
    "pass_rate": 0.02,
    "fail_rate": 0.02,
    "acceptable_rate": 0.02,
    "partial_rate": 0.05,
    "recall_at_100": 0.01,
    "overall_score_avg": 0.1,
    "precision": 0.02,
    "f1": 0.02,
}


class Comparison(Settings, frozen=True):
    """When a difference between two runs is flagged. A regression is flagged *and* statistically real."""

    thresholds: Annotated[
        dict[str, Annotated[float, Meta(ge=0)]],
        Meta(description="smallest difference that matters, by measure (ndcg@10) or family (recall)"),
    ] = field(default_factory=lambda: dict(THRESHOLDS))
    default_threshold: Annotated[
        float, Meta(ge=0, description="of every other measure: flagged from here on, but never a regression")
    ] = 0.02
    flips: Annotated[tuple[str, ...], Meta(description="whose changes are listed question by question")] = (
        "hit@5",
        "hit@k",
        "pass_rate",
    )
    limits: Annotated[
        dict[str, NotNegative],
        Meta(
            description="largest value allowed, such as {latency_p95: 8, cost_per_question_usd: 0.01}; beyond: exit 1"
        ),
    ] = field(default_factory=dict)


class Statistics(Settings, frozen=True):
    """Intervals and tests. The seed is kept in every run."""

    confidence: Annotated[float, Meta(gt=0, lt=1, description="of the intervals")] = 0.95
    resamples: Annotated[int, Meta(ge=100, description="of bootstrap intervals")] = 2000
    permutations: Annotated[int, Meta(ge=1000, description="of the tests between runs, where not all can be tried")] = (
        10_000
    )
    cluster: Annotated[
        Literal["none", "source"],
        Meta(description="source: resample documents instead of questions"),
    ] = "none"
    alpha: Annotated[float, Meta(gt=0, lt=1, description="below this corrected p-value a difference is real")] = 0.05
    power: Annotated[float, Meta(gt=0, lt=1, description="of the smallest difference that could be shown")] = 0.80
