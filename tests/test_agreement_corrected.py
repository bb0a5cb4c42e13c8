"""Rates corrected for a known error, distributions of grades, self-consistency."""

from __future__ import annotations

import random

import pytest

from assay.metrics.agreement import (
    Errors,
    Labelled,
    consistency,
    distribution,
    prediction_powered_mean,
    rogan_gladen,
)
from assay.stats import Resampling

PLAN = Resampling(seed=0, resamples=300)
TRUTH = [1.0] * 10 + [0.0] * 8 + [1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0]
PREDICTED = [1.0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0]
DATA = Labelled(TRUTH, PREDICTED, [1.0] * 133 + [0.0] * 67)


@pytest.mark.parametrize(
    ("weight", "value", "low", "high"),
    [
        # ppi-python 0.2.3: ppi_mean_pointestimate(Y, f, u, lam=1), ppi_mean_ci(Y, f, u, alpha=0.05, lam=1);
        # the second line with the package's own choice of lam
        (1.0, 0.5650000000000001, 0.3836814082335208, 0.7463185917664793),
        (None, 0.5332746528068852, 0.37930412563221266, 0.6872451799815578),
    ],
)
def test_prediction_powered_mean_equals_its_authors_package(
    weight: float | None, value: float, low: float, high: float
) -> None:
    found = prediction_powered_mean(DATA, weight=weight)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-12)
    assert found.n == 30


def test_useless_predictions_are_given_no_weight() -> None:
    """The tuned estimate is then the mean of the truth: 3/4."""
    constant = Labelled([1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1])
    assert prediction_powered_mean(constant, weight=None).value == 0.75
    opposed = Labelled([1, 1, 1, 0], [0, 0, 0, 1], [0, 1, 0])
    assert prediction_powered_mean(opposed, weight=None).value == 0.75


def test_what_prediction_powered_inference_needs() -> None:
    assert prediction_powered_mean(Labelled([1], [1], [1, 0])).reason == "needs two cases with the truth"
    assert prediction_powered_mean(Labelled([1, 0], [1, 0], [1])).reason == "needs two cases without the truth"
    with pytest.raises(ValueError, match="1 truths for 2 predictions"):
        Labelled([1], [1, 0], [])


def test_rogan_gladen_by_hand() -> None:
    """Se = 18/20, Sp = 8/10, p = 60/100: (0.6 + 0.8 − 1) / (0.9 + 0.8 − 1) = 0.4 / 0.7."""
    found = rogan_gladen(Errors(true_yes=18, yes=20, true_no=8, no=10, said_yes=60, said=100))
    assert found.value == pytest.approx(4 / 7)


def test_the_bounds_of_lang_and_reiczigel_by_hand() -> None:
    """z = 1.95996, z² = 3.84146. n' = 103.84146, p' = 61.92073 / n' = 0.596301; Se' = 19/22, Sp' = 9/12, J = 0.613636.
    P = (0.596301 − 0.25) / J = 0.564342; yes P·Se'(1 − Se')/22 = 0.003021, no (1 − P)·Sp'(1 − Sp')/12 = 0.006807.
    Middle P + 2z²(0.003021 − 0.006807) = 0.535253; variance p'(1 − p')/n' + P·0.003021 + (1 − P)·0.006807 = 0.006988.
    Reach 1.95996 / J · √0.006988 = 0.267014.
    """
    found = rogan_gladen(Errors(true_yes=18, yes=20, true_no=8, no=10, said_yes=60, said=100))
    assert found.low == pytest.approx(0.268239, abs=1e-6)
    assert found.high == pytest.approx(0.802267, abs=1e-6)


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        (Errors(0, 0, 5, 5, 3, 9), "needs labelled cases of both kinds"),
        (Errors(5, 5, 0, 0, 3, 9), "needs labelled cases of both kinds"),
        (Errors(0, 0, 0, 0, 0, 0), "needs labelled cases of both kinds"),
        (Errors(1, 2, 1, 2, 3, 9), "the prediction is no better than chance"),
    ],
)
def test_where_rogan_gladen_is_undefined(errors: Errors, reason: str) -> None:
    found = rogan_gladen(errors)
    assert (found.value, found.reason) == (None, reason)


def test_the_true_rate_lies_in_both_intervals_about_as_often_as_they_say() -> None:
    """400 draws: true rate 0.7, a judge that finds 0.9 of the passes and 0.75 of the rest, 60 labels, 200 without."""
    source = random.Random(3)
    hits = [0, 0]
    for _ in range(400):
        truth = [float(source.random() < 0.7) for _ in range(260)]
        judge = [float(source.random() < (0.9 if right else 0.25)) for right in truth]
        powered = prediction_powered_mean(Labelled(truth[:60], judge[:60], judge[60:]))
        pairs = list(zip(truth[:60], judge[:60], strict=True))
        yes = int(sum(truth[:60]))
        crossed = rogan_gladen(
            Errors(pairs.count((1, 1)), yes, pairs.count((0, 0)), 60 - yes, int(sum(judge)), len(judge))
        )
        for place, found in enumerate((powered, crossed)):
            assert found.low is not None
            assert found.high is not None
            hits[place] += found.low <= 0.7 <= found.high
    assert 0.91 <= hits[0] / 400 <= 0.98
    assert 0.93 <= hits[1] / 400 <= 1.0


def test_a_distribution_without_faults() -> None:
    found = distribution([1, 2, 3, 4, 5, 4.5, 2.4])
    assert found.counts == {"1": 1, "2": 2, "3": 1, "4": 1, "5": 2}
    assert found.top_share == pytest.approx(2 / 7)
    assert found.findings == ()


@pytest.mark.parametrize(
    ("scores", "findings"),
    [
        ([], ()),
        ([5], ("grades never given: 1, 2, 3, 4",)),
        ([3, 3, 3], ("every case got 3",)),
        ([5, 5], ("every case got 5", "the top grade was given in 2 of 2 cases")),
        ([5, 5, 5, 5, 1], ("the top grade was given in 4 of 5 cases", "grades never given: 2, 3, 4")),
    ],
)
def test_what_is_wrong_with_a_distribution(scores: list[float], findings: tuple[str, ...]) -> None:
    assert distribution(scores).findings == findings


def test_an_empty_distribution_has_no_mean() -> None:
    found = distribution([])
    assert (found.mean, found.top_share, found.unused, found.is_constant) == (None, None, (), False)


def test_self_consistency() -> None:
    """Of three cases judged more than once one flips: 1/3; in it 2 of 3 pairs differ: (0 + 0 + 2/3) / 3."""
    rows: list[list[str | None]] = [
        ["pass", "pass", None],
        ["fail", "fail"],
        ["pass", "fail", "pass"],
        ["pass"],
        ["pass", None],
        [],
    ]
    found = consistency(rows, PLAN)
    assert found.flip_rate.value == pytest.approx(1 / 3)
    assert found.flip_rate.n == 3
    assert found.disagreement.value == pytest.approx(2 / 9)
    assert consistency([["pass"]], PLAN).flip_rate.reason == "no case was judged more than once"
