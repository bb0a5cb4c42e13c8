"""Intervals: by hand where a hand can, by law elsewhere."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from assay.records import Interval
from assay.stats import Resampling, bootstrap_interval, bootstrap_intervals, intervals_of, wilson
from assay.stats.distributions import normal_cdf, student_quantile
from assay.stats.resample import bootstrap_means, to_grid

Floats = NDArray[np.float64]
NAN = float("nan")
WIDE = Resampling(seed=1, resamples=200, span=None)

scores = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.7, 1.0])
samples = st.lists(scores, min_size=2, max_size=30)


def known(interval: Interval) -> tuple[float, float, float]:
    assert interval.mean is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.mean, interval.low, interval.high


def test_shares_get_wilsons_interval() -> None:
    # 8 of 10, z = 1.96: centre (0.8 + 0.19207)/1.38415 = 0.71674, reach 1.96·√(0.016 + 0.0096036)/1.38415 = 0.22659
    mean, low, high = known(bootstrap_interval([1.0] * 8 + [0.0] * 2, seed=1))
    assert mean == 0.8
    assert low == pytest.approx(0.71674 - 0.22658, abs=1e-4)
    assert high == pytest.approx(0.71674 + 0.22658, abs=1e-4)


def test_all_right_is_not_certainty() -> None:
    # 20 of 20: the share of wrong ones may be up to z²/(n + z²) = 3.8415/23.8415 = 0.16113
    assert known(bootstrap_interval([1.0] * 20, seed=1)) == pytest.approx((1.0, 1 - 0.16113, 1.0), abs=1e-5)
    assert known(bootstrap_interval([0.0] * 20, seed=1)) == pytest.approx((0.0, 0.0, 0.16113), abs=1e-5)


def test_all_equal_inside_the_range_leaves_room_on_both_sides() -> None:
    # A share of up to w = 0.16113 may have been missed, each at worst 0 or at best 1.
    expected = (0.25, 0.25 - 0.16113 * 0.25, 0.25 + 0.16113 * 0.75)
    assert known(bootstrap_interval([0.25] * 20, seed=1)) == pytest.approx(expected, abs=1e-5)


def test_all_equal_outside_the_known_range_has_no_interval() -> None:
    assert bootstrap_interval([7.0] * 20, seed=1) == Interval(7.0, None, None, 20, 20)
    assert intervals_of([[7.0]] * 20, WIDE) == [Interval(7.0, None, None, 20, 20)]


def test_grades_say_their_range() -> None:
    # All 20 graded 5 on a scale from 1: 5 − 0.16113 · 4
    (found,) = intervals_of([[5.0]] * 20, Resampling(seed=1, span=(1.0, 5.0)))
    assert known(found) == pytest.approx((5.0, 4.35546, 5.0), abs=1e-4)


def test_float_noise_is_not_variation() -> None:
    assert bootstrap_interval([0.1 + 0.2, 0.3, 0.3], seed=1).low == pytest.approx(
        bootstrap_interval([0.3, 0.3, 0.3], seed=1).low
    )


def test_nothing_defined_and_nothing_at_all() -> None:
    assert bootstrap_interval([NAN, NAN], seed=1) == Interval(None, None, None, 0, 2)
    assert bootstrap_interval([], seed=1) == Interval(None, None, None, 0, 0)
    assert bootstrap_intervals(np.empty((0, 2)), seed=1) == [Interval(None, None, None, 0, 0)] * 2


def test_one_question_has_a_mean_and_no_interval() -> None:
    assert bootstrap_interval([0.4], seed=1) == Interval(0.4, None, None, 1, 1)
    assert bootstrap_interval([0.4, None, None], seed=1) == Interval(0.4, None, None, 1, 3)


def test_one_cluster_has_a_mean_and_no_interval() -> None:
    found = bootstrap_interval([0.25, 0.5, NAN], seed=1, clusters=["a", "a", "b"])
    assert found == Interval(0.375, None, None, 2, 3)


def test_percentiles_are_those_of_all_resamples() -> None:
    """With four values all 256 resamples can be listed: the quantile at the widened tail is known exactly."""
    values = [0.0, 0.2, 0.5, 0.9]
    tail = normal_cdf(-math.sqrt(4 / 3) * student_quantile(0.75, 3))
    listed = np.sort([sum(drawn) / 4 for drawn in itertools.product(values, repeat=4)])
    _, low, high = known(bootstrap_interval(values, seed=5, resamples=40_000, confidence=0.5))
    assert tail == pytest.approx(0.18856, abs=1e-5)
    assert low == pytest.approx(np.quantile(listed, tail), abs=0.011)
    assert high == pytest.approx(np.quantile(listed, 1 - tail), abs=0.011)


def test_many_values_agree_with_the_normal_approximation() -> None:
    values = np.random.default_rng(0).beta(2, 3, 2000)
    mean, low, high = known(bootstrap_interval(values, seed=1, resamples=20_000))
    reach = 1.96 * values.std(ddof=1) / math.sqrt(2000)
    assert (mean - low, high - mean) == pytest.approx((reach, reach), rel=0.03)


def test_undefined_values_are_left_out_and_counted() -> None:
    values = np.random.default_rng(0).random(300)
    thinned = np.where(np.arange(300) % 3 == 0, NAN, values)
    _, low, high = known(found := bootstrap_interval(thinned, seed=1, resamples=10_000))
    _, low_alone, high_alone = known(bootstrap_interval(values[np.arange(300) % 3 != 0], seed=1, resamples=10_000))
    assert (found.n_scored, found.n_cases) == (200, 300)
    assert (low, high) == pytest.approx((low_alone, high_alone), abs=0.004)


def test_a_resample_without_a_defined_value_is_dropped() -> None:
    # 2 of 10 defined: (8/10)^10 = 11 % of the resamples have none of them.
    found = bootstrap_interval([0.2, 0.6, *[NAN] * 8], seed=1)
    assert known(found) == pytest.approx((0.4, 0.2, 0.6))


def test_clusters_are_drawn_whole() -> None:
    """Ten identical questions in each of 20 documents are worth 20 questions, not 200."""
    documents = np.random.default_rng(0).random(20)
    repeated, labels = np.repeat(documents, 10), np.repeat(np.arange(20), 10)
    assert known(bootstrap_interval(repeated, seed=1, clusters=labels)) == pytest.approx(
        known(bootstrap_interval(documents, seed=1))
    )
    _, low, high = known(bootstrap_interval(repeated, seed=1))
    _, low_whole, high_whole = known(bootstrap_interval(repeated, seed=1, clusters=labels))
    assert high_whole - low_whole > 2.5 * (high - low)


def test_clustered_shares_count_as_their_effective_number() -> None:
    # Documents wholly right or wholly wrong, 12 of 20 right: SE² = 20/19 · (12·4² + 8·6²)/200² = 0.24/19,
    # effective number 0.24/SE² = 19, Student's quantile with 19 degrees of freedom instead of z.
    values, labels = np.repeat([1.0] * 12 + [0.0] * 8, 10), np.repeat(np.arange(20), 10)
    _, low, high = known(bootstrap_interval(values, seed=1, clusters=labels))
    assert (low, high) == pytest.approx(wilson(0.6, 19, student_quantile(0.975, 19)))


def test_clusters_that_agree_perfectly_are_not_worth_more_than_their_questions() -> None:
    values, labels = [1.0, 0.0] * 10, np.repeat(np.arange(10), 2)
    _, low, high = known(bootstrap_interval(values, seed=1, clusters=labels))
    assert (low, high) == pytest.approx(wilson(0.5, 20, student_quantile(0.975, 9)))


def test_all_right_in_clusters_counts_clusters() -> None:
    _, low, _ = known(bootstrap_interval([1.0] * 20, seed=1, clusters=np.repeat(np.arange(4), 5)))
    assert low == pytest.approx(1 - 3.8415 / (4 + 3.8415), abs=1e-4)


@given(values=samples, seed=st.integers(0, 2**32), data=st.data())
def test_order_does_not_matter(values: list[float], seed: int, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(values))
    assert bootstrap_interval(shuffled, seed=seed, resamples=100) == bootstrap_interval(
        values, seed=seed, resamples=100
    )


@given(values=samples)
def test_names_of_clusters_do_not_matter(values: list[float]) -> None:
    labels = np.arange(len(values)) // 3
    named = [f"document {9 - label:02d}" for label in labels]
    assert bootstrap_interval(values, seed=1, resamples=100, clusters=named) == bootstrap_interval(
        values, seed=1, resamples=100, clusters=labels
    )


@given(values=samples, clustered=st.booleans())
def test_the_interval_holds_the_mean_and_stays_in_the_range(values: list[float], clustered: bool) -> None:
    clusters = np.arange(len(values)) // 2 if clustered else None
    found = bootstrap_interval(values, seed=3, resamples=100, clusters=clusters)
    if clusters is None or clusters[-1] > 0:
        mean, low, high = known(found)
        assert -1e-12 <= low <= mean <= high <= 1 + 1e-12


@given(values=samples, shift=st.floats(-100, 100))
def test_shifting_the_values_shifts_the_interval(values: list[float], shift: float) -> None:
    assume(len(set(values)) > 1)
    (found,) = intervals_of(np.array(values)[:, None], WIDE)
    (moved,) = intervals_of(np.array(values)[:, None] + shift, WIDE)
    assert known(moved) == pytest.approx([bound + shift for bound in known(found)], abs=1e-9)


@given(values=samples, factor=st.sampled_from([1e-300, 1e-9, 7.0, 1e9, 1e300]))
def test_scale_does_not_matter(values: list[float], factor: float) -> None:
    assume(len(set(values)) > 1)
    (found,) = intervals_of(np.array(values)[:, None], WIDE)
    (scaled,) = intervals_of(np.array(values)[:, None] * factor, WIDE)
    assert known(scaled) == pytest.approx([bound * factor for bound in known(found)], rel=1e-9, abs=1e-12 * factor)


@given(
    matrix=arrays(np.float64, (12, 5), elements=st.sampled_from([0.0, 0.25, 1 / 3, 1.0, NAN])),
    clusters=st.none() | st.lists(st.integers(0, 4), min_size=12, max_size=12),
)
def test_a_measure_does_not_depend_on_the_others(matrix: Floats, clusters: list[int] | None) -> None:
    options: dict[str, Any] = {"seed": 4, "resamples": 100, "clusters": clusters}
    together = bootstrap_intervals(matrix, **options)
    assert together == [bootstrap_interval(column, **options) for column in matrix.T]


def test_seeds_differ_and_resamples_count() -> None:
    values = np.random.default_rng(0).random(40)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=1, resamples=1999)
    assert known(bootstrap_interval(values, seed=1, confidence=0.99))[1] < known(bootstrap_interval(values, seed=1))[1]


def test_the_stream_is_pinned() -> None:
    """The same seed gives these numbers on every machine and with every release of numpy."""
    found = bootstrap_interval([0.1, 0.9, 0.4, 0.75, 0.3], seed=42, resamples=500)
    assert known(found) == pytest.approx((0.49, 0.14952192350778706, 0.8557171147383187), abs=1e-12)


def test_the_number_of_threads_does_not_matter() -> None:
    code = (
        "import numpy as np; from assay.stats import bootstrap_intervals as b;"
        "print(b(np.random.default_rng(0).random((1500, 9)), seed=7, resamples=300))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "7")
    }
    assert len(outputs) == 1


def test_sums_on_the_grid_are_exact_in_any_order() -> None:
    rng = np.random.default_rng(0)
    values, _ = to_grid(rng.normal(size=(1000, 1)), 1000)
    column = values[:, 0]
    totals = {float(np.cumsum(rng.permutation(column))[-1]) for _ in range(20)}
    assert totals == {math.fsum(column)}


def test_grid_values_are_the_values() -> None:
    values = np.array([[1e-3, 0.0], [0.7, 0.0], [-0.25, 0.0]])
    gridded, exponents = to_grid(values, 1000)
    assert np.ldexp(gridded, exponents) == pytest.approx(values, abs=1e-12)


def test_more_units_than_a_block_holds() -> None:
    units = 40_000
    ones = np.ones((units, 1))
    assert bootstrap_means(ones, ones, seed=1, resamples=3).tolist() == [[1.0]] * 3


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1.0, float("inf")], {}, "infinite"),
        ([1.0, 2.0], {"clusters": [1]}, "1 cluster labels for 2 values"),
        ([1.0, 2.0], {"resamples": 0}, "resamples ≥ 1"),
        ([1.0, 2.0], {"confidence": 1.0}, "confidence < 1"),
    ],
)
def test_misuse_is_refused(values: list[float], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_interval(values, seed=1, **options)


def test_a_matrix_has_two_dimensions() -> None:
    with pytest.raises(ValueError, match="not 1 dimensions"):
        bootstrap_intervals([0.1, 0.2], seed=1)


def test_coverage_is_near_what_is_promised() -> None:
    """A small version of benchmarks/interval_coverage.py: 400 data sets of 20 reciprocal ranks and of 20 shares."""
    rng = np.random.default_rng(11)
    ranks = rng.choice([1, 1 / 2, 1 / 3, 0], (20, 400), p=[0.5, 0.2, 0.1, 0.2])
    shares = (rng.random((20, 400)) < 0.9).astype(float)
    for data, truth in ((ranks, 0.5 + 0.1 + 1 / 30), (shares, 0.9)):
        bounds = [known(found) for found in bootstrap_intervals(data, seed=2, resamples=500)]
        assert 0.92 <= np.mean([low <= truth <= high for _, low, high in bounds]) <= 0.98
