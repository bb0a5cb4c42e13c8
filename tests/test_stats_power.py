"""The smallest difference that can be shown: the tests must really show it about as often as promised."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from assay.stats import detectable_flips, mcnemar_exact, minimum_detectable_effect, paired_test

Floats = NDArray[np.float64]
RANKS = [1, 1 / 2, 1 / 3, 1 / 4, 0]


def from_differences(differences: Floats) -> Floats:
    return np.column_stack((np.zeros(len(differences)), differences))


def effect_of(pairs: Any, **options: Any) -> float:
    found = minimum_detectable_effect(pairs, **options)
    assert found is not None
    return found


def test_by_hand() -> None:
    # n = 10, differences ±2: s = 2·√(10/9) = 2.10819, SE = 0.66667, t(0.975, 9) = 2.26216, t(0.8, 9) = 0.88340
    found = effect_of(from_differences(np.array([2.0, -2.0] * 5)))
    assert found == pytest.approx((2.26216 + 0.88340) * 2 / 3, abs=1e-4)


@pytest.mark.parametrize("n", [15, 30, 60])
def test_the_permutation_test_finds_the_effect_as_often_as_promised(n: int) -> None:
    rng = np.random.default_rng(n)
    pilot = rng.choice(RANKS, n) - rng.choice(RANKS, n)
    effect = effect_of(from_differences(pilot))
    population = (pilot - pilot.mean()) / pilot.std() * pilot.std(ddof=1) + effect
    found = [
        paired_test(from_differences(rng.choice(population, n)), seed=seed, resamples=500).p for seed in range(500)
    ]
    assert np.mean([p is not None and p < 0.05 for p in found]) == pytest.approx(0.8, abs=0.06)


@cache
def gains_needed(lost: int) -> int:
    return next(gained for gained in range(lost, 10_000) if mcnemar_exact(gained, lost) < 0.05)


def exact_power(n: int, flipped: float, delta: float) -> float:
    """P(McNemar's exact test finds a gain) when the shares (flipped ± delta)/2 go up and down."""
    up, down = (flipped + delta) / 2, (flipped - delta) / 2
    likely = range(int(scipy_stats.binom.ppf(1 - 1e-9, n, down)) + 1)
    return math.fsum(
        scipy_stats.binom.pmf(lost, n, down) * scipy_stats.binom.sf(gains_needed(lost) - 1, n - lost, up / (1 - down))
        for lost in likely
    )


@pytest.mark.parametrize("n", [20, 50, 100, 300])
@pytest.mark.parametrize("flipped", [0.0, 0.05, 0.2, 0.4])
def test_mcnemars_test_finds_the_effect_as_often_as_promised(n: int, flipped: float) -> None:
    delta = detectable_flips(n, flipped)
    assert delta is not None
    assert exact_power(n, max(flipped, delta), delta) == pytest.approx(0.8, abs=0.045)


def test_right_or_wrong_uses_the_share_that_flipped() -> None:
    pairs = [(0.0, 1.0)] * 12 + [(1.0, 0.0)] * 8 + [(1.0, 1.0)] * 80
    assert minimum_detectable_effect(pairs) == detectable_flips(100, 0.2)


def test_no_flip_seen_still_has_an_answer() -> None:
    assert minimum_detectable_effect([[0.5, 0.5]] * 100) == detectable_flips(100, 0.0)
    assert detectable_flips(100, 0.0) == pytest.approx(0.081, abs=0.001)
    # In clusters, whole clusters would have to flip.
    labels = np.repeat(np.arange(20), 5)
    assert minimum_detectable_effect([[0.5, 0.5]] * 100, clusters=labels) == detectable_flips(20, 0.0)


def test_too_few_to_show_anything() -> None:
    # Five questions: the least p possible is 2/2⁵ = 0.0625. Six: 0.03125.
    rng = np.random.default_rng(0)
    assert minimum_detectable_effect(rng.random((5, 2)) * 0.1) is None
    assert minimum_detectable_effect(rng.random((6, 2)) * 0.1) is not None
    assert minimum_detectable_effect([[0.1, None]] * 50) is None
    assert minimum_detectable_effect([[0.1, 0.2]], alpha=1 - 1e-9) is None
    assert detectable_flips(5, 0.1) is None
    # Eleven: 2/2¹¹ is below 0.001, but eleven flips of eleven would be needed every time.
    assert detectable_flips(11, 0.1, alpha=0.001) is None


def test_an_effect_beyond_the_scale_cannot_be_shown() -> None:
    pairs = [(0.0, 1.0), (1.0, 0.0), (0.1, 1.0)] * 2
    assert minimum_detectable_effect(pairs, power=0.99) is None
    assert effect_of(np.array(pairs) * 10, power=0.99) > 10


def test_no_variation_on_an_unknown_scale_has_no_answer() -> None:
    assert minimum_detectable_effect([[3.0, 4.0]] * 50) is None
    assert minimum_detectable_effect([[3.0, 3.0]] * 50) is None
    # All documents have the same mean difference: what varies inside them is not what is drawn.
    pairs, labels = [[3.0, 4.0], [3.0, 2.0]] * 10, np.repeat(np.arange(10), 2)
    assert minimum_detectable_effect(pairs, clusters=labels) is None


def test_clusters_show_less() -> None:
    rng = np.random.default_rng(0)
    pairs, labels = np.repeat(rng.random((20, 2)), 10, axis=0), np.repeat(np.arange(20), 10)
    assert effect_of(pairs, clusters=labels) > 3 * effect_of(pairs)
    assert effect_of(pairs, clusters=labels) == pytest.approx(effect_of(pairs[::10]))
    flips = np.repeat([(0.0, 1.0)] * 10 + [(1.0, 0.0)] * 10, 10, axis=0)
    assert effect_of(flips, clusters=labels) > 3 * effect_of(flips)


@given(
    n=st.integers(20, 500),
    flipped=st.floats(0, 0.5),
    alpha=st.sampled_from([0.001, 0.05]),
    power=st.sampled_from([0.5, 0.8, 0.9]),
)
def test_more_questions_show_smaller_differences(n: int, flipped: float, alpha: float, power: float) -> None:
    few = detectable_flips(n, flipped, alpha=alpha, power=power)
    many = detectable_flips(4 * n, flipped, alpha=alpha, power=power)
    assert many is not None
    assert few is None or 0 < many < few <= 1


def test_swapping_the_runs_changes_nothing() -> None:
    pairs = np.random.default_rng(0).random((30, 2))
    assert effect_of(pairs) == pytest.approx(effect_of(pairs[:, ::-1]))


@pytest.mark.parametrize("options", [{"alpha": 0.0}, {"alpha": 1.0}, {"power": 0.0}, {"power": 1.0}])
def test_impossible_promises_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        minimum_detectable_effect([[0.1, 0.2]] * 10, **options)


@pytest.mark.parametrize(("n", "flipped"), [(0, 0.1), (10, -0.1), (10, 1.1)])
def test_impossible_plans_are_refused(n: int, flipped: float) -> None:
    with pytest.raises(ValueError, match="needs n ≥ 1"):
        detectable_flips(n, flipped)
