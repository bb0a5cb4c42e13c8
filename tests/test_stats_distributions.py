"""Quantiles and the sign test against scipy and against what can be worked out by hand."""

from __future__ import annotations

import math

import pytest
from scipy import stats as scipy_stats

from assay.stats.distributions import normal_cdf, normal_quantile, student_quantile, two_sided_sign_p


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.8, 0.975, 0.9995])
@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 10, 29, 30, 199, 200, 201, 1000])
def test_student_quantile_is_scipys(p: float, df: int) -> None:
    assert student_quantile(p, df) == pytest.approx(scipy_stats.t.ppf(p, df), rel=1e-9, abs=1e-12)


def test_student_quantile_by_hand() -> None:
    # One degree of freedom is the Cauchy distribution: tan(π(p − 1/2)).
    assert student_quantile(0.975, 1) == pytest.approx(math.tan(math.pi * 0.475))
    # Two degrees: (2p − 1)·√(2 / (4p(1 − p))).
    assert student_quantile(0.9, 2) == pytest.approx(0.8 * math.sqrt(2 / (4 * 0.9 * 0.1)))


@pytest.mark.parametrize(("p", "df"), [(0.0, 3), (1.0, 3), (0.5, 0)])
def test_student_quantile_refuses_what_has_none(p: float, df: int) -> None:
    with pytest.raises(ValueError, match="needs 0 < p < 1"):
        student_quantile(p, df)


def test_normal_quantile_and_distribution_are_inverse() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054, abs=1e-12)
    assert normal_cdf(normal_quantile(0.2)) == pytest.approx(0.2)


def test_sign_test_by_hand() -> None:
    # 1 against 5: P(X ≤ 1) = (1 + 6)/64, twice that: 14/64.
    assert two_sided_sign_p(1, 5) == 14 / 64
    assert two_sided_sign_p(0, 0) == 1.0
    assert two_sided_sign_p(4, 4) == 1.0  # 2 · P(X ≤ 4) is above 1


def test_sign_test_is_never_zero() -> None:
    assert 0 < two_sided_sign_p(0, 5000) < 1e-300
