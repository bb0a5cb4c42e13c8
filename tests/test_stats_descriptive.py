"""Mean, median, quantiles: even lists, short lists, empty lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import mean, median, quantile

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], None), ([3.0], 3.0), ([4.0, 1.0], 2.5), ([9.0, 1.0, 2.0], 2.0), ([4.0, 1.0, 3.0, 2.0], 2.5)],
)
def test_median(values: list[float], expected: float | None) -> None:
    assert median(values) == expected


def test_quantiles_by_hand() -> None:
    # h = 3 · 0.95 = 2.85: 3 + 0.85 · (4 − 3)
    assert quantile([4.0, 2.0, 1.0, 3.0], 0.95) == pytest.approx(3.85)
    assert quantile([4.0, 2.0, 1.0, 3.0], 0.0) == 1.0
    assert quantile([4.0, 2.0, 1.0, 3.0], 1.0) == 4.0
    assert quantile([], 0.95) is None


def test_mean() -> None:
    assert mean([]) is None
    assert mean([0.1] * 10) == 0.1
    assert mean([1e16, 1.0, -1e16]) == pytest.approx(1 / 3)


@given(values=numbers, q=st.floats(0, 1))
def test_quantiles_are_numpys(values: list[float], q: float) -> None:
    assert quantile(values, q) == pytest.approx(float(np.quantile(values, q)), abs=1e-6, rel=1e-9)


@given(values=numbers, data=st.data())
def test_order_does_not_matter(values: list[float], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(values))
    assert mean(shuffled) == mean(values)
    assert quantile(shuffled, 0.95) == quantile(values, 0.95)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        mean([1.0, bad])
    with pytest.raises(ValueError, match="not finite"):
        median([1.0, bad])


def test_a_quantile_lies_from_0_to_1() -> None:
    with pytest.raises(ValueError, match="not 95"):
        quantile([1.0], 95)
