"""Exact bounds on a share of bad items: their ends, and what is refused."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from assay.stats.exact import binomial_cdf, clopper_pearson_upper, sample_size


@pytest.mark.parametrize(("x", "n", "p"), [(0, 5, 0.0), (2, 5, 0.3), (5, 5, 0.9), (4, 5, 1.0), (10, 400, 0.05)])
def test_binomial_at_its_ends_and_between(x: int, n: int, p: float) -> None:
    assert binomial_cdf(x, n, p) == pytest.approx(float(binom.cdf(x, n, p)), abs=1e-12)


@pytest.mark.parametrize(("bad", "n", "confidence"), [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0.0), (1, 5, 1.0)])
def test_what_cannot_be_is_refused(bad: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="needs 0 ≤ bad ≤ n"):
        clopper_pearson_upper(bad, n, confidence)


def test_all_bad_or_nothing_drawn_bounds_nothing() -> None:
    assert clopper_pearson_upper(5, 5, 0.95) == 1.0
    assert clopper_pearson_upper(0, 0, 0.95) == 1.0


@pytest.mark.parametrize(
    ("population", "max_bad", "allowed", "size"),
    [
        (100, 0.96, 0, 1),  # with 97 bad ones, one draw is good with a probability of 0.03
        (10, 0.0, 1, 10),  # one bad one is allowed, and one is too many: no sample proves it
        (10, 1.0, 0, 1),  # all are bad: so is the first
    ],
)
def test_the_least_and_the_largest_sample(population: int, max_bad: float, allowed: int, size: int) -> None:
    assert sample_size(population, max_bad, 0.95, allowed) == size
