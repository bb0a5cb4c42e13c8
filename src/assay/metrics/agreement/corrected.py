"""A rate corrected for the known error of whoever measured it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from msgspec import Struct

from assay.metrics.agreement.estimate import Estimate, undefined


class Labelled(Struct, frozen=True):
    """Cases with the truth beside the prediction, and predictions alone."""

    truth: Sequence[float]
    predicted: Sequence[float]
    unlabelled: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.truth) != len(self.predicted):
            raise ValueError(f"{len(self.truth)} truths for {len(self.predicted)} predictions")


def prediction_powered_mean(data: Labelled, confidence: float = 0.95, weight: float | None = 1.0) -> Estimate:
    """The mean of the truth, from many predictions and few truths (Angelopoulos et al. 2023, Science 382, 669).

    λ·mean(f over the unlabelled) + mean(Y − λ·f over the labelled) ± z·√(λ²·var(f)/N + var(Y − λ·f)/n), with λ = 1
    as in that paper. `weight=None` chooses λ = cov(Y, f) / ((1 + n/N)·var(f)), var(f) over all predictions, kept from
    0 to 1, for the shortest interval (PPI++, Angelopoulos, Duchi & Zrnic 2023): useless predictions then do no harm.
    Variances are over n but for that of λ, as in the authors' package. Needs two cases with the truth and two without.
    """
    n, unlabelled = len(data.truth), len(data.unlabelled)
    if n < 2:
        return undefined(n, "needs two cases with the truth")
    if unlabelled < 2:
        return undefined(n, "needs two cases without the truth")
    share = _tuned(data) if weight is None else weight
    rest = [truth - share * predicted for truth, predicted in zip(data.truth, data.predicted, strict=True)]
    value = share * _mean(data.unlabelled) + _mean(rest)
    error = math.sqrt(share**2 * _variance(data.unlabelled) / unlabelled + _variance(rest) / n)
    reach = _z(confidence) * error
    return Estimate(value=value, low=value - reach, high=value + reach, n=n)


def _tuned(data: Labelled) -> float:
    n, unlabelled = len(data.truth), len(data.unlabelled)
    spread = _variance([*data.predicted, *data.unlabelled]) * (n + unlabelled) / (n + unlabelled - 1)
    if spread == 0:
        return 0.0
    mean_truth, mean_predicted = _mean(data.truth), _mean(data.predicted)
    pairs = zip(data.truth, data.predicted, strict=True)
    together = math.fsum((truth - mean_truth) * (predicted - mean_predicted) for truth, predicted in pairs) / n
    return max(0.0, min(1.0, together / ((1 + n / unlabelled) * spread)))


class Errors(Struct, frozen=True):
    """How often the prediction was right, counted where the truth is known, and how often it said yes in all."""

    true_yes: int
    """Predicted yes among `yes`, the cases that are."""
    yes: int
    true_no: int
    """Predicted no among `no`, the cases that are not."""
    no: int
    said_yes: int
    said: int


def rogan_gladen(errors: Errors, confidence: float = 0.95) -> Estimate:
    """(p + Sp − 1) / (Se + Sp − 1): the true share behind an observed one p (Rogan & Gladen 1978), from 0 to 1.

    Se is the share of yes found among the true yes, Sp that of no among the true no. The interval is that of Lang &
    Reiczigel 2014, which counts the uncertainty of all three. Undefined without both kinds of truth, and for a
    prediction no better than chance (Se + Sp ≤ 1).
    """
    if not errors.yes or not errors.no or not errors.said:
        return undefined(errors.yes + errors.no, "needs labelled cases of both kinds")
    observed = errors.said_yes / errors.said
    sensitivity, specificity = errors.true_yes / errors.yes, errors.true_no / errors.no
    if sensitivity + specificity <= 1:
        return undefined(errors.yes + errors.no, "the prediction is no better than chance")
    value = (observed + specificity - 1) / (sensitivity + specificity - 1)
    low, high = _lang_reiczigel(errors, _z(confidence))
    return Estimate(value=_unit(value), low=_unit(low), high=_unit(high), n=errors.yes + errors.no)


def _lang_reiczigel(errors: Errors, z: float) -> tuple[float, float]:
    """z²/2 is added to the yes and the no of p, one to those of Se and of Sp; the middle is shifted by 2z² · skew."""
    n, n_yes, n_no = errors.said + z * z, errors.yes + 2, errors.no + 2
    p, se, sp = (errors.said_yes + z * z / 2) / n, (errors.true_yes + 1) / n_yes, (errors.true_no + 1) / n_no
    youden = se + sp - 1
    share = _unit((p + sp - 1) / youden)
    of_yes, of_no = share * se * (1 - se) / n_yes, (1 - share) * sp * (1 - sp) / n_no
    middle = share + 2 * z * z * (of_yes - of_no)
    reach = z / youden * math.sqrt(p * (1 - p) / n + share * of_yes + (1 - share) * of_no)
    return middle - reach, middle + reach


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def _unit(value: float) -> float:
    return max(0.0, min(1.0, value))
