"""Seeded resampling: draws that are the same on every machine, and sums that do not depend on their order.

Draws come from the raw stream of PCG64, which numpy keeps stable between releases (its distributions are not).
Values are put on a grid coarse enough for every sum to be exact in float64 and far finer than any result shows:
so neither the number of threads nor the other columns of a matrix can change the last bit of a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_BLOCK = 1 << 15
"""Draws handled at once: measured the quickest, because a block's counts stay in the processor's cache."""
_KEPT = 2_000_000
"""Draws that are kept for who needs them next, 16 MB."""


def to_grid(values: Floats, terms: int) -> tuple[Floats, NDArray[np.int32]]:
    """Each column as whole numbers so small that sums of up to `terms` of them are exact, and its exponent of two."""
    _, exponents = np.frexp(np.max(np.abs(values), axis=0, initial=0.0))
    exponents = exponents + (terms.bit_length() - 53)
    scaled = np.ldexp(values, -exponents)
    return np.rint(scaled, out=scaled), exponents


def bootstrap_means(sums: Floats, weights: Floats, seed: int, resamples: int) -> Floats:
    """(resamples × m): Σ sums / Σ weights over rows drawn with replacement; NaN where a resample has no weight.

    A row is a unit: one question, or one cluster with the sum and the number of its defined values. Rows are
    put in order column by column first, so a result depends on the values, not on who came first.
    """
    units = len(sums)
    order = np.lexsort((weights, sums), axis=0)
    sums, weights = np.take_along_axis(sums, order, axis=0), np.take_along_axis(weights, order, axis=0)
    uneven = np.any(weights != weights[0], axis=0)
    even, weights = weights[0] * units, np.asfortranarray(weights[:, uneven])
    sums = np.asfortranarray(sums)  # columns in one piece are summed the quickest
    means = np.empty((resamples, sums.shape[1]), order="F")
    divisors = np.empty((resamples, weights.shape[1]))
    start = 0
    for counts in draw_counts(units, resamples, seed):
        stop = start + len(counts)
        means[start:stop] = counts @ sums
        divisors[start:stop] = counts @ weights
        start = stop
    with np.errstate(invalid="ignore"):
        means /= np.where(uneven, 1.0, even)
        means[:, uneven] /= divisors
    return means


def draw_counts(units: int, resamples: int, seed: int) -> Iterable[Floats]:
    """Blocks of rows; each row says how often each unit was drawn when `units` are drawn with replacement."""
    return _kept(units, resamples, seed) if units * resamples <= _KEPT else _drawn(units, resamples, seed)


@lru_cache(maxsize=1)
def _kept(units: int, resamples: int, seed: int) -> tuple[Floats, ...]:
    """Dozens of measures are compared, or of coefficients computed, over the same cases: the draws are the same."""
    return tuple(_drawn(units, resamples, seed))


def _drawn(units: int, resamples: int, seed: int) -> Iterator[Floats]:
    generator = np.random.PCG64(seed)
    rows = min(resamples, max(1, _BLOCK // units))
    offsets = np.arange(0, rows * units, units)[:, None]
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        drawn = _draw_below(units, count * units, generator).reshape(count, units)
        drawn += offsets[:count]
        yield np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units).astype(np.float64)


def _draw_below(bound: int, size: int, generator: np.random.PCG64) -> Integers:
    """Whole numbers from 0 to bound − 1: 32 random bits times the bound, without the lower 32 bits of the product."""
    raw = generator.random_raw((size + 1) // 2)
    drawn = np.concatenate((raw & np.uint64(0xFFFFFFFF), raw >> np.uint64(32)))
    drawn *= np.uint64(bound)
    drawn >>= np.uint64(32)
    return drawn.view(np.int64)[:size]


def draw_signs(units: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows of zeros and ones, each row a toss of a fair coin for each unit."""
    generator = np.random.PCG64(seed)
    rows = max(1, _BLOCK // units)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start) * units
        raw = generator.random_raw((size + 63) // 64).astype("<u8")
        yield np.unpackbits(raw.view(np.uint8), count=size).reshape(-1, units).astype(np.float64)
