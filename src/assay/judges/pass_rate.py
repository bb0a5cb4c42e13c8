"""The pass rate, corrected for what is known of the judge's errors."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay.judges.pooled import ORDER, PooledCase
from assay.metrics.agreement import Errors, Estimate, Labelled, prediction_powered_mean, rogan_gladen
from assay.metrics.agreement.estimate import share
from assay.stats import Resampling


class PassRate(Struct, frozen=True, kw_only=True):
    """The share of passes: as the judge has it, as people have it where they looked, and corrected."""

    judge: Estimate
    human: Estimate
    corrected: Estimate
    """Prediction-powered; people's own share where nothing is left to predict."""
    tuned: Estimate
    """The same with the weight of the judge chosen for the shortest interval."""
    cross_check: Estimate
    """Rogan-Gladen."""


def pass_rate(cases: Sequence[PooledCase], plan: Resampling) -> PassRate:
    judged = [case for case in cases if "verdict" in case.judge]
    labelled = [case for case in judged if "verdict" in case.human]
    truth = [_passes(case.human) for case in labelled]
    predicted = [_passes(case.judge) for case in labelled]
    rest = [_passes(case.judge) for case in judged if "verdict" not in case.human]
    human = share([_passes(case.human) for case in cases if "verdict" in case.human], plan)
    data = Labelled(truth, predicted, rest)
    return PassRate(
        judge=share([_passes(case.judge) for case in judged], plan),
        human=human,
        corrected=_within(prediction_powered_mean(data, plan.confidence)) if rest else human,
        tuned=_within(prediction_powered_mean(data, plan.confidence, weight=None)) if rest else human,
        cross_check=rogan_gladen(_errors(truth, predicted, rest), plan.confidence),
    )


def _errors(truth: Sequence[float], predicted: Sequence[float], rest: Sequence[float]) -> Errors:
    pairs = list(zip(truth, predicted, strict=True))
    return Errors(
        true_yes=sum(pair == (1, 1) for pair in pairs),
        yes=int(sum(truth)),
        true_no=sum(pair == (0, 0) for pair in pairs),
        no=len(truth) - int(sum(truth)),
        said_yes=int(sum(predicted) + sum(rest)),
        said=len(predicted) + len(rest),
    )


def _passes(marks: dict[str, float]) -> float:
    return float(marks["verdict"] == ORDER.index("pass"))


def _within(found: Estimate) -> Estimate:
    """A share lies from 0 to 1, whatever the normal approximation says."""
    if found.value is None or found.low is None or found.high is None:
        return found
    low, value, high = (max(0.0, min(1.0, bound)) for bound in (found.low, found.value, found.high))
    return Estimate(value=value, low=low, high=high, n=found.n)
