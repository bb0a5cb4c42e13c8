"""Exact bounds on a share of bad items from a sample, without scipy."""

from __future__ import annotations

import math


def binomial_cdf(x: int, n: int, p: float) -> float:
    """P(X ≤ x) of n draws, each bad with probability p."""
    if p <= 0 or x >= n:
        return 1.0
    if p >= 1:
        return 0.0
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(x + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))


def clopper_pearson_upper(bad: int, n: int, confidence: float) -> float:
    """The share of bad items that is not exceeded, with that confidence, when `bad` of n drawn were bad.

    The p with P(X ≤ bad) = 1 − confidence (Clopper & Pearson 1934), one-sided. 1 when nothing was drawn.

    >>> round(clopper_pearson_upper(0, 59, 0.95), 4)
    0.0495
    """
    if not 0 <= bad <= n or not 0 < confidence < 1:
        raise ValueError(f"needs 0 ≤ bad ≤ n and 0 < confidence < 1, not {bad}, {n}, {confidence}")
    if bad == n:
        return 1.0
    low, high = bad / n, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if binomial_cdf(bad, n, middle) > 1 - confidence else (low, middle)
    return high


def hypergeometric_cdf(x: int, population: int, bad: int, n: int) -> float:
    """P(X ≤ x) when n of a population with so many bad ones are drawn without putting any back. In whole numbers."""
    first = max(0, n - (population - bad))
    ways = sum(math.comb(bad, k) * math.comb(population - bad, n - k) for k in range(first, min(x, n, bad) + 1))
    return ways / math.comb(population, n)


def hypergeometric_upper(found: int, n: int, population: int, confidence: float) -> int:
    """The largest number of bad ones in the population with which so few found is not yet too unlikely."""
    low, high = found, population - (n - found)
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeometric_cdf(found, population, middle, n) > 1 - confidence:
            low = middle
        else:
            high = middle - 1
    return low


def sample_size(population: int, max_bad: float, confidence: float, allowed: int = 0) -> int:
    """The fewest to check so that at most `allowed` bad ones among them prove a share of at most `max_bad`.

    With one bad item more than that share in the population, so few are found with a probability of at most
    1 − confidence. All of them where no sample is enough.

    >>> sample_size(600, 0.05, 0.95), sample_size(10**6, 0.05, 0.95)
    (54, 59)
    """
    bad = min(population, math.floor(max_bad * population + 1e-9) + 1)
    low = high = min(population, allowed + 1)
    while high < population and hypergeometric_cdf(allowed, population, bad, high) > 1 - confidence:
        low, high = high + 1, min(2 * high, population)
    while low < high:
        middle = (low + high) // 2
        if hypergeometric_cdf(allowed, population, bad, middle) <= 1 - confidence:
            high = middle
        else:
            low = middle + 1
    return low
