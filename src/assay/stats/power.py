"""The smallest difference that this many questions can show."""

from __future__ import annotations

import math

import numpy as np

from assay.stats.distributions import normal_quantile, student_quantile
from assay.stats.intervals import NOISE, Clusters, Scores, cluster_numbers, standard_error, unit_sums
from assay.stats.paired import differences_of, is_bounded


def minimum_detectable_effect(
    pairs: Scores, *, alpha: float = 0.05, power: float = 0.8, clusters: Clusters = None
) -> float | None:
    """The true mean difference that a two-sided paired test at `alpha` finds with probability `power`.

    (t[1−α/2, k−1] + t[power, k−1]) · SE, with SE the standard error of the mean difference seen over k questions
    or clusters. Where each question is right or wrong, `detectable_flips` from the share that flipped. None where
    no difference could be shown: too few units for the sign-flip test to get below alpha (2 · 2⁻ᵏ ≥ alpha), an
    effect larger than the measure can have, or no variation on a scale whose range is unknown.
    For several measures under Holm's correction, alpha / m answers for the worst case.
    """
    _check(alpha, power)
    differences, bounded = differences_of(pairs), is_bounded(pairs)
    sums, sizes = unit_sums(differences, cluster_numbers(clusters, len(differences)))
    units = len(sums)
    if _least_p(units) >= alpha:
        return None
    seen = differences[~np.isnan(differences)]
    if bounded and not seen.any():
        return detectable_flips(units, 0.0, alpha=alpha, power=power)
    if bounded and clusters is None and bool(np.all(np.isin(seen, (-1.0, 0.0, 1.0)))):
        return detectable_flips(units, float(np.mean(np.abs(seen))), alpha=alpha, power=power)
    error = standard_error(sums, sizes)
    if error <= NOISE * float(np.max(np.abs(seen))):
        return None
    reach = student_quantile(1 - alpha / 2, units - 1) + student_quantile(power, units - 1)
    effect = reach * error
    return None if bounded and effect > 1 else effect


def detectable_flips(n: int, flipped: float, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """For planning: the smallest difference of two shares over n questions of which the share `flipped` differs.

    Solves (δ − 1/4n)·√n = z[1−α/2]·√ψ + z[power]·√(ψ − δ²) for δ, with ψ = max(flipped, δ), since at least δ must
    flip (Connor 1987). The 1/4n makes up for the exact test's caution: computed exactly, its power is then
    0.78 to 0.84 for 20 to 500 questions (0.75 to 0.79 without). None if not even δ = 1 can be shown.
    """
    _check(alpha, power)
    if n < 1 or not 0 <= flipped <= 1:
        raise ValueError(f"needs n ≥ 1 and a share from 0 to 1, not {n}, {flipped}")
    z_alpha, z_power = normal_quantile(1 - alpha / 2), normal_quantile(power)

    def shown(delta: float) -> bool:
        share = max(flipped, delta)
        needed = z_alpha * math.sqrt(share) + z_power * math.sqrt(share - delta * delta)
        return (delta - 1 / (4 * n)) * math.sqrt(n) >= needed

    if _least_p(n) >= alpha or not shown(1.0):
        return None
    low, high = 0.0, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def _least_p(units: int) -> float:
    """What the sign-flip test gives when all units differ alike: no p-value is smaller."""
    return math.ldexp(1.0, 1 - units)


def _check(alpha: float, power: float) -> None:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"alpha and power lie between 0 and 1, not {alpha}, {power}")
