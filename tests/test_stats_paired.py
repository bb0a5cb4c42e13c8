"""Paired tests: against enumeration by hand, scipy, and the laws of symmetry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from assay.records import Interval
from assay.stats import PairedTest, bootstrap_interval, mcnemar_exact, paired_interval, paired_test
from assay.stats.resample import draw_signs

Floats = NDArray[np.float64]
NAN = float("nan")

scores = st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 1.0])
pair_lists = st.lists(st.tuples(scores, scores), min_size=1, max_size=25)


def from_differences(*differences: float) -> Floats:
    return np.column_stack((np.zeros(len(differences)), differences))


def p_of(pairs: Any, **options: Any) -> float:
    found = paired_test(pairs, seed=1, **options).p
    assert found is not None
    return found


def test_all_sign_patterns_by_hand() -> None:
    # |±1 ±2 ±3| ≥ |1 + 2 − 3| = 0: all. ≥ |1 − 2 + 3| = 2: all but the two that give 0. ≥ 6: two of eight.
    assert p_of(from_differences(1, 2, -3)) == 1.0
    assert p_of(from_differences(1, -2, 3)) == 6 / 8
    assert p_of(from_differences(1, 2, 3)) == 2 / 8


def test_no_difference_at_all() -> None:
    assert paired_test([[0.5, 0.5]] * 4, seed=1) == PairedTest(1.0, 4, 0, "exact")


def test_no_pair_at_all() -> None:
    assert paired_test([[None, 0.5], [0.5, None]], seed=1) == PairedTest(None, 0, 0, None)
    assert paired_test(np.empty((0, 2)), seed=1) == PairedTest(None, 0, 0, None)


def test_zero_differences_and_undefined_pairs_change_nothing_but_the_counts() -> None:
    seen = from_differences(1, -2, 3)
    padded = np.vstack((seen, [[0.3, 0.3]] * 5, [[NAN, 1.0]] * 2))
    assert paired_test(padded, seed=1) == PairedTest(6 / 8, 8, 3, "exact")


def test_float_noise_is_no_difference_and_makes_no_ties_unequal() -> None:
    assert paired_test([[0.3, 0.1 + 0.2]], seed=1) == PairedTest(1.0, 1, 0, "exact")
    # 0.1 + 0.2 − 0.3 is a tie with 0, so that every pattern counts, whatever floats make of it.
    assert p_of(from_differences(0.1, 0.2, -0.3)) == 1.0


@pytest.mark.parametrize("n", [2, 5, 9, 12])
def test_the_exact_test_is_scipys(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    reference = scipy_stats.permutation_test(
        (differences,), lambda d, axis: d.mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    found = paired_test(from_differences(*differences), seed=1)
    assert found.method == "exact"
    assert found.p == pytest.approx(reference.pvalue, abs=1e-12)


def test_random_patterns_come_near_all_patterns() -> None:
    differences = np.random.default_rng(3).normal(0.45, 1, 15)
    patterns = (np.arange(2**15)[:, None] >> np.arange(15)) & 1
    sums = np.abs((2 * patterns - 1) @ np.abs(differences))
    exact = np.mean(sums >= abs(differences.sum()) - 1e-9)
    found = paired_test(from_differences(*differences), seed=1, resamples=20_000)
    assert found.method == "monte carlo"
    assert found.p == pytest.approx(exact, abs=3 * (0.25 / 20_000) ** 0.5)


def test_p_is_never_zero() -> None:
    assert p_of(from_differences(*np.linspace(0.5, 1, 60)), resamples=999) == 1 / 1000
    assert p_of(from_differences(*[1.0] * 3000)) > 0


def test_right_or_wrong_is_mcnemars_test_at_any_size() -> None:
    pairs = [(0.0, 1.0)] * 40 + [(1.0, 0.0)] * 22 + [(1.0, 1.0)] * 100
    assert paired_test(pairs, seed=1) == PairedTest(mcnemar_exact(40, 22), 162, 62, "exact")


def test_clusters_are_flipped_together() -> None:
    # Three documents, differences of one sign in each: 2 of 2³ patterns are as extreme, not 2 of 2⁹.
    pairs, labels = from_differences(*[0.5] * 3, *[0.4] * 3, *[0.2] * 3), np.repeat(["a", "b", "c"], 3)
    assert p_of(pairs, clusters=labels) == 2 / 8
    assert p_of(pairs) == 2 / 2**9
    undefined = np.vstack((pairs, [[NAN, 1.0]]))
    assert p_of(undefined, clusters=[*labels, "d"]) == 2 / 8


def test_a_cluster_whose_differences_cancel_counts_nothing() -> None:
    found = paired_test(from_differences(0.1, 0.2, -0.3, 1.0), seed=1, clusters=[0, 0, 0, 1])
    assert found == PairedTest(1.0, 4, 4, "exact")


def test_chance_is_called_a_finding_as_often_as_alpha_says() -> None:
    rng = np.random.default_rng(7)
    found = [p_of(rng.random((11, 2))) for _ in range(600)]
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.027)  # three standard errors
    assert np.mean(found) == pytest.approx(0.5, abs=0.036)


@given(pairs=pair_lists, data=st.data())
def test_order_and_direction_do_not_matter(pairs: list[tuple[float, float]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(pairs))
    swapped = [(current, baseline) for baseline, current in shuffled]
    found = paired_test(pairs, seed=5, resamples=200)
    assert found == paired_test(shuffled, seed=5, resamples=200) == paired_test(swapped, seed=5, resamples=200)
    assert found.p is not None
    assert 0 < found.p <= 1


@given(pairs=pair_lists, shift=st.sampled_from([-3.0, 0.25, 10.0]))
def test_a_shift_of_both_runs_does_not_matter(pairs: list[tuple[float, float]], shift: float) -> None:
    moved = np.array(pairs) + shift
    assert paired_test(moved, seed=5, resamples=200).p == paired_test(pairs, seed=5, resamples=200).p


@given(pairs=pair_lists)
def test_swapping_the_runs_mirrors_the_interval(pairs: list[tuple[float, float]]) -> None:
    found = paired_interval(pairs, seed=5, resamples=100)
    mirrored = paired_interval([(current, baseline) for baseline, current in pairs], seed=5, resamples=100)
    if found.mean is None or found.low is None or found.high is None:
        assert mirrored.low is mirrored.high is None
    else:
        assert (mirrored.mean, mirrored.low, mirrored.high) == (-found.mean, -found.high, -found.low)
        assert found.low <= found.mean <= found.high


def test_the_interval_is_the_bootstrap_of_the_differences() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.random((40, 2)) + np.array([0.0, 0.3])
    labels = np.arange(40) // 4
    for clusters in (None, labels):
        expected = bootstrap_interval(pairs[:, 1] - pairs[:, 0], seed=1, clusters=clusters)
        found = paired_interval(pairs, seed=1, clusters=clusters)
        assert found.mean == expected.mean
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.02)


def test_pairs_undefined_on_one_side_are_left_out_and_counted() -> None:
    found = paired_interval([[0.0, 0.5], [NAN, 0.5], [0.5, 0.25]], seed=1)
    assert (found.mean, found.n_scored, found.n_cases) == (0.125, 2, 3)
    assert paired_interval([[NAN, 0.5]], seed=1) == Interval(None, None, None, 0, 1)
    assert paired_interval([[0.25, 0.5]], seed=1) == Interval(0.25, None, None, 1, 1)
    assert paired_interval([[0.5, 0.25]], seed=1) == Interval(-0.25, None, None, 1, 1)


def test_no_flip_among_fifty_is_not_certainty() -> None:
    # Up to z²/(n + z²) = 3.8415/53.8415 = 0.07135 may flip, all up or all down.
    found = paired_interval([[1.0, 1.0]] * 30 + [[0.0, 0.0]] * 20, seed=1)
    assert (found.mean, found.low, found.high) == pytest.approx((0.0, -0.07135, 0.07135), abs=1e-5)


def test_equal_differences_on_an_unknown_scale_have_no_interval() -> None:
    assert paired_interval([[4.0, 4.0]] * 50, seed=1) == Interval(0.0, None, None, 50, 50)


@pytest.mark.parametrize(
    ("gained", "lost"), [(0, 0), (0, 5), (5, 0), (1, 5), (7, 7), (40, 22), (480, 520), (3000, 3150)]
)
def test_mcnemar_is_the_exact_binomial_test(gained: int, lost: int) -> None:
    n = gained + lost
    expected = scipy_stats.binomtest(gained, n).pvalue if n else 1.0
    assert mcnemar_exact(gained, lost) == pytest.approx(expected, abs=1e-12)


def test_misuse_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 3)
    with pytest.raises(ValueError, match="questions × 2"):
        paired_test([[1.0, 2.0, 3.0]], seed=1)
    with pytest.raises(ValueError, match="infinite"):
        paired_interval([[1.0, float("inf")]], seed=1)
    with pytest.raises(ValueError, match="1 cluster labels for 2 values"):
        paired_test([[1.0, 2.0]] * 2, seed=1, clusters=[1])


def test_noise_is_relative_to_the_values_themselves() -> None:
    """1e-15 beside 2e-15 is half of it, however small both are."""
    assert paired_test([[1e-15, 2e-15]] * 3, seed=1) == PairedTest(2 / 8, 3, 3, "exact")


@pytest.mark.parametrize(("units", "resamples"), [(3, 1), (40, 2000), (30_000, 101)])
def test_as_many_tosses_are_made_as_are_asked_for(units: int, resamples: int) -> None:
    blocks = list(draw_signs(units, resamples, seed=1))
    assert sum(map(len, blocks)) == resamples
    assert {block.shape[1] for block in blocks} == {units}
