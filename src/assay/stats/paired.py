"""Two runs over the same questions: is the difference more than chance, and how large may it be?

Pairs are a matrix (questions × 2): baseline, current. A question undefined (NaN) on either side is no pair.
A difference is current − baseline.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct

from assay.records import Interval
from assay.stats.distributions import two_sided_sign_p
from assay.stats.intervals import NOISE, Clusters, Resampling, Scores, all_equal, checked, cluster_numbers, intervals_of
from assay.stats.resample import Floats, Integers, draw_signs, to_grid

EXACT_UP_TO = 12
"""Differing units up to which all 2ⁿ ways to flip signs are tried."""
_TIE = 1e-10
"""Sums closer than this share of Σ|d| are ties: floats differ where the numbers they stand for do not."""


class PairedTest(Struct, frozen=True):
    """What the sign-flip test found. p is None without a single pair, and never 0."""

    p: float | None
    n_pairs: int
    n_different: int
    method: Literal["exact", "monte carlo"] | None


def mcnemar_exact(gained: int, lost: int) -> float:
    """Exact two-sided McNemar test (McNemar 1947): p of `gained` and `lost` questions if flips go either way alike.

    min(1, 2 · P(X ≤ min(gained, lost))) with X binomial(gained + lost, 1/2). No flips at all: 1.
    """
    if gained < 0 or lost < 0:
        raise ValueError(f"counts cannot be negative: {gained}, {lost}")
    return two_sided_sign_p(gained, lost)


def paired_test(pairs: Scores, *, seed: int, resamples: int = 10_000, clusters: Clusters = None) -> PairedTest:
    """Sign-flip permutation test of the mean difference, two-sided (Fisher 1935; Smucker et al. 2007).

    If baseline and current are interchangeable, each difference could as well have the other sign. p is the share
    of sign patterns whose sum is at least as far from 0 as the sum seen: over all patterns when few questions
    differ or when all differ by the same amount (then it is McNemar's test), else (c + 1)/(resamples + 1)
    over random ones. With clusters, a cluster's differences are flipped together. The order of the questions and
    which run is called baseline make no difference.
    """
    differences = differences_of(pairs)
    defined = ~np.isnan(differences)
    n_pairs, n_different = int(defined.sum()), int(np.count_nonzero(differences[defined]))
    if n_pairs == 0:
        return PairedTest(None, 0, 0, None)
    numbers = cluster_numbers(clusters, len(differences))
    units = _flipped_together(differences[defined], None if numbers is None else numbers[defined])
    if units.size == 0 or all_equal(np.abs(units)):
        wins = int(np.count_nonzero(units > 0))
        return PairedTest(two_sided_sign_p(wins, units.size - wins), n_pairs, n_different, "exact")
    if units.size <= EXACT_UP_TO:
        patterns = (np.arange(2**units.size)[:, None] >> np.arange(units.size)) & 1
        return PairedTest(_at_least(units, patterns.astype(float)) / 2**units.size, n_pairs, n_different, "exact")
    count = sum(_at_least(units, signs) for signs in draw_signs(units.size, resamples, seed))
    return PairedTest((count + 1) / (resamples + 1), n_pairs, n_different, "monte carlo")


def paired_interval(
    pairs: Scores, *, seed: int, resamples: int = 2000, confidence: float = 0.95, clusters: Clusters = None
) -> Interval:
    """The mean difference with its bootstrap interval over questions or clusters.

    `n_scored` is the number of pairs. Each bound is the middle of two: of current against baseline and, mirrored, of
    baseline against current; so swapping the runs mirrors the interval exactly. When all questions differ by
    the same amount (mostly 0), bounds need a known range: they are given if all values lie from 0 to 1, else None.
    """
    matrix = _as_pairs(pairs)
    differences = differences_of(matrix)
    span = (-1.0, 1.0) if is_bounded(matrix) else None
    plan = Resampling(seed=seed, resamples=resamples, confidence=confidence, span=span)
    forth, back = intervals_of(np.column_stack((differences, -differences)), plan, clusters)
    return msgspec.structs.replace(forth, low=_between(forth.low, back.high), high=_between(forth.high, back.low))


def differences_of(pairs: Scores) -> Floats:
    """current − baseline; NaN where a side is undefined; 0 where only float noise is left."""
    matrix = _as_pairs(pairs)
    differences: Floats = matrix[:, 1] - matrix[:, 0]
    noise = np.abs(differences) <= NOISE * np.max(np.abs(matrix), axis=1, initial=0.0)
    return np.where(noise, 0.0, differences)


def is_bounded(pairs: Scores) -> bool:
    """Whether every defined value lies from 0 to 1, as shares do."""
    matrix = _as_pairs(pairs)
    return not bool(np.any((matrix < 0) | (matrix > 1)))


def _as_pairs(pairs: Scores) -> Floats:
    matrix = checked(pairs)
    if matrix.shape[1] != 2:
        raise ValueError(f"needs a matrix of questions × 2 (baseline, current), not {matrix.shape}")
    return matrix


def _flipped_together(differences: Floats, clusters: Integers | None) -> Floats:
    """The differences (or their sums by cluster) that are not 0, largest first, signs kept."""
    sums, sizes = differences, np.abs(differences)
    if clusters is not None:
        sums = np.bincount(clusters, weights=differences).astype(np.float64)
        sizes = np.bincount(clusters, weights=sizes).astype(np.float64)
    units = sums[np.abs(sums) > NOISE * sizes]
    return units[np.argsort(-np.abs(units), kind="stable")]


def _at_least(units: Floats, signs: Floats) -> int:
    """How many rows of signs (0 and 1) give a sum at least as far from 0 as the units themselves."""
    magnitudes = to_grid(np.abs(units)[:, None], 2 * units.size)[0]
    total = float(magnitudes.sum())
    seen = abs(2 * float(magnitudes[units > 0].sum()) - total)
    flipped = np.abs(2 * (signs @ magnitudes) - total)
    return int(np.count_nonzero(flipped >= seen - _TIE * total))


def _between(bound: float | None, mirrored: float | None) -> float | None:
    return None if bound is None or mirrored is None else (bound - mirrored) / 2
