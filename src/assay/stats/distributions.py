"""Quantiles of the normal and of Student's distribution, and the two-sided sign test, without scipy."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_SERIES_UP_TO = 200
"""Degrees of freedom up to which the finite series is summed; beyond, the expansion is exact to 1e-10."""


def normal_quantile(p: float) -> float:
    """z with P(Z ≤ z) = p."""
    return _NORMAL.inv_cdf(p)


def normal_cdf(z: float) -> float:
    return _NORMAL.cdf(z)


@lru_cache(maxsize=1024)
def student_quantile(p: float, df: int) -> float:
    """t with P(T ≤ t) = p for `df` degrees of freedom.

    Few degrees: the finite series for P(|T| ≤ t), inverted by bisection over the angle atan(t/√df); many: the
    Cornish–Fisher expansion (Abramowitz & Stegun 1964, 26.7.3, 26.7.4 and 26.7.5).
    """
    if df < 1 or not 0 < p < 1:
        raise ValueError(f"needs 0 < p < 1 and df ≥ 1, not p={p}, df={df}")
    if p < 0.5:
        return -student_quantile(1 - p, df)
    if df > _SERIES_UP_TO:
        return _expanded(normal_quantile(p), df)
    low, high = 0.0, math.pi / 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _share_within(middle, df) < 2 * p - 1 else (low, middle)
    return math.sqrt(df) * math.tan(low)


def _share_within(angle: float, df: int) -> float:
    """P(|T| ≤ √df · tan(angle))."""
    cosine, total = math.cos(angle), 0.0
    term = cosine if df % 2 else 1.0
    for denominator in range(3 if df % 2 else 2, df + 1, 2):
        total += term
        term *= cosine * cosine * (denominator - 1) / denominator
    inner = math.sin(angle) * total
    return 2 / math.pi * (angle + inner) if df % 2 else inner


def _expanded(z: float, df: int) -> float:
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / math.pow(df, power) for power, term in enumerate(terms, 1))


def two_sided_sign_p(wins: int, losses: int) -> float:
    """P of a split at least this uneven among wins + losses tosses of a fair coin.

    Summed in whole numbers, so it is right to the last digit; never 0, however uneven the split.
    """
    n, tail, ways = wins + losses, 0, 1
    for k in range(min(wins, losses) + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, max(2 * tail / (1 << n), sys.float_info.min))
