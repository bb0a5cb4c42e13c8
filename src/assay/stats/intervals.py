"""Confidence intervals of means, for questions that are drawn one by one or in clusters.

| values | interval |
|---|---|
| 0 and 1, or 0 and one other value | Wilson's score interval (Wilson 1927); in clusters with the effective number |
| any other | bootstrap percentiles, widened for small samples (Hesterberg 2015, "expanded percentile") |
| all equal | nothing varies, so nothing can be resampled: bounded by how often another value may have been missed |

The measured coverage that led to this choice is in `docs/statistics.md`, the script in `benchmarks/`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from assay.records import Interval
from assay.stats.distributions import normal_cdf, normal_quantile, student_quantile
from assay.stats.resample import Floats, Integers, bootstrap_means, to_grid

Clusters = Sequence[int] | Sequence[str] | NDArray[np.generic] | None
Bounds = tuple[float | None, float | None]
Scores = ArrayLike | Sequence[float | None] | Sequence[Sequence[float | None]]
"""Numbers, or rows of numbers; None and NaN are undefined."""

NOISE = 1e-12
"""Relative difference below which two floats are the same number."""


class Resampling(Struct, frozen=True, kw_only=True):
    """How intervals are made."""

    seed: int
    resamples: int = 2000
    confidence: float = 0.95
    span: tuple[float, float] | None = (0.0, 1.0)
    """The least and the greatest value possible, if known. Needed only where all values are equal."""

    def __post_init__(self) -> None:
        if self.resamples < 1 or not 0 < self.confidence < 1:
            raise ValueError(f"needs resamples ≥ 1 and 0 < confidence < 1, not {self.resamples}, {self.confidence}")


def bootstrap_interval(
    values: Scores, *, seed: int, resamples: int = 2000, confidence: float = 0.95, clusters: Clusters = None
) -> Interval:
    """The mean of one measure with its interval; None or NaN is undefined: left out of the mean, counted in `n_cases`.

    `clusters` says for each value to which cluster it belongs (the document a question was written from):
    then whole clusters are drawn. From fewer than two questions (or clusters) no interval can be given.
    """
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    plan = Resampling(seed=seed, resamples=resamples, confidence=confidence)
    return intervals_of(column, plan, clusters)[0]


def bootstrap_intervals(
    matrix: Scores, *, seed: int, resamples: int = 2000, confidence: float = 0.95, clusters: Clusters = None
) -> list[Interval]:
    """`bootstrap_interval` for each column of a matrix (cases × measures) over one set of resamples.

    Much quicker than column by column, and the same to the last bit.
    """
    return intervals_of(matrix, Resampling(seed=seed, resamples=resamples, confidence=confidence), clusters)


def cluster_numbers(clusters: Clusters, n: int) -> Integers | None:
    """Cluster labels as numbers from 0; None when each case stands alone."""
    if clusters is None:
        return None
    if len(clusters) != n:
        raise ValueError(f"{len(clusters)} cluster labels for {n} values")
    names = {label: number for number, label in enumerate(sorted(set(clusters)))}
    return np.fromiter(map(names.__getitem__, clusters), dtype=np.int64, count=n)


def intervals_of(matrix: Scores, plan: Resampling, clusters: Clusters = None) -> list[Interval]:
    """`bootstrap_intervals` for measures on any scale: the plan says their range (grades: `span=(1, 5)`)."""
    columns = checked(matrix)
    numbers = cluster_numbers(clusters, len(columns))
    places = _first_equal(columns)
    first = sorted(set(places))
    distinct = _described(columns[:, first], numbers)
    bounds = [_closed_form(column, numbers, plan) for column in distinct]
    unknown = [column.scores for column, found in zip(distinct, bounds, strict=True) if found is None]
    resampled = iter(_percentiles(np.stack(unknown, axis=1), numbers, plan) if unknown else ())
    intervals = {
        place: _interval(column, *(found or next(resampled)))
        for place, column, found in zip(first, distinct, bounds, strict=True)
    }
    return [intervals[place] for place in places]


def _first_equal(columns: Floats) -> list[int]:
    """With one expected chunk recall is hit rate and map is mrr: of equal columns the first is worked out."""
    first: dict[bytes, int] = {}
    data, size = columns.T.tobytes(), columns.itemsize * len(columns)
    return [first.setdefault(data[place * size : (place + 1) * size], place) for place in range(columns.shape[1])]


class _Column(Struct, frozen=True):
    """One measure of all cases."""

    scores: Floats
    values: list[float]
    """The defined ones."""
    units: int
    """That have a value."""
    low: float
    high: float
    is_binary: bool
    """No value but 0 and the highest."""


def _described(columns: Floats, clusters: Integers | None) -> list[_Column]:
    """All at once: a segment has few cases and dozens of measures."""
    defined = ~np.isnan(columns)
    highs = np.fmax.reduce(columns, axis=0, initial=-np.inf)
    described = (
        (defined if clusters is None else _by_unit(defined, clusters) > 0).sum(axis=0),
        np.fmin.reduce(columns, axis=0, initial=np.inf),
        highs,
        ((columns == 0) | (columns == highs) | ~defined).all(axis=0),
    )
    return [
        _Column(scores, [value for value in values if value == value], *rest)
        for scores, values, *rest in zip(
            columns.T, columns.T.tolist(), *(each.tolist() for each in described), strict=True
        )
    ]


def _by_unit(values: NDArray[Any], clusters: Integers) -> Floats:
    """The sums of each cluster."""
    sums = np.zeros((int(clusters.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(sums, clusters, values)
    return sums


def checked(matrix: Scores) -> Floats:
    """The matrix as floats, None as NaN."""
    columns = np.asarray(matrix, dtype=np.float64)
    if columns.ndim != 2:
        raise ValueError(f"needs a matrix of cases × measures, not {columns.ndim} dimensions")
    if np.isinf(columns).any():
        raise ValueError("a value is infinite; undefined is NaN")
    return columns


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's score interval: (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)."""
    centre = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - reach) / (1 + z * z / n), (centre + reach) / (1 + z * z / n)


def unit_sums(column: Floats, clusters: Integers | None) -> tuple[Floats, Floats]:
    """Sum and number of the defined values of each unit that has any."""
    defined = ~np.isnan(column)
    if clusters is None:
        return column[defined], np.ones(int(defined.sum()))
    sums = np.bincount(clusters[defined], weights=column[defined]).astype(np.float64)
    sizes = np.bincount(clusters[defined]).astype(np.float64)
    return sums[sizes > 0], sizes[sizes > 0]


def standard_error(sums: Floats, sizes: Floats) -> float:
    """Of the mean Σ sums / Σ sizes over k units: √(k/(k−1) · Σ(sum − mean·size)²) / Σ sizes (Miller 2024)."""
    k, n = len(sums), float(sizes.sum())
    residuals = sums - math.fsum(sums) / n * sizes
    return math.sqrt(k / (k - 1) * math.fsum(residuals**2)) / n


def all_equal(values: Floats) -> bool:
    return _is_noise(float(values.min()), float(values.max()))


def _is_noise(low: float, high: float) -> bool:
    return high - low <= NOISE * max(abs(low), abs(high))


def _closed_form(column: _Column, clusters: Integers | None, plan: Resampling) -> Bounds | None:
    """Bounds that need no resampling; None when resampling is needed."""
    if column.units < 2:
        return None, None
    if _is_noise(column.low, column.high):
        return _steady(column.values[0], column.units, plan)
    if plan.span == (0.0, 1.0) and column.is_binary:
        sums, sizes = unit_sums(column.scores, clusters)
        low, high = _share(sums / column.high, sizes, clusters is not None, plan)
        return low * column.high, high * column.high
    return None


def _steady(value: float, units: int, plan: Resampling) -> Bounds:
    """All units gave the same value: another one may be met with a frequency up to Wilson's bound for 0 of n."""
    if plan.span is None or not plan.span[0] <= value <= plan.span[1]:
        return None, None
    missed = wilson(0.0, units, normal_quantile((1 + plan.confidence) / 2))[1]
    return value - missed * (value - plan.span[0]), value + missed * (plan.span[1] - value)


def _share(sums: Floats, sizes: Floats, clustered: bool, plan: Resampling) -> tuple[float, float]:
    """Wilson; clusters count for as many questions as would give their standard error, at most all."""
    n, level = float(sizes.sum()), (1 + plan.confidence) / 2
    share = float(sums.sum()) / n
    if not clustered:
        return wilson(share, n, normal_quantile(level))
    error = standard_error(sums, sizes)
    effective = min(n, share * (1 - share) / error**2) if error > 0 else n
    return wilson(share, effective, student_quantile(level, len(sums) - 1))


def _percentiles(columns: Floats, clusters: Integers | None, plan: Resampling) -> list[Bounds]:
    """Expanded percentiles: the tails are Φ(−√(k/(k−1)) · t) instead of (1 − confidence)/2."""
    sums, sizes, exponents = _units(columns, clusters)
    means = bootstrap_means(sums, sizes, plan.seed, plan.resamples)
    units = np.count_nonzero(sizes, axis=0)
    return [
        _tails(column[~np.isnan(column)], k, plan.confidence, exponent)
        for column, k, exponent in zip(means.T, units.tolist(), exponents.tolist(), strict=True)
    ]


def _units(columns: Floats, clusters: Integers | None) -> tuple[Floats, Floats, NDArray[np.int32]]:
    """Sums (on a grid) and numbers of defined values of each unit, and the exponents of the grid."""
    defined = ~np.isnan(columns)
    numbers = np.arange(len(columns)) if clusters is None else clusters
    largest = int(np.bincount(numbers).max())
    units = int(numbers.max()) + 1
    values, exponents = to_grid(np.where(defined, columns, 0.0), units * largest)
    if clusters is None:
        return values, defined.astype(np.float64), exponents
    return _by_unit(values, clusters), _by_unit(defined, clusters), exponents


def _tails(means: Floats, units: int, confidence: float, exponent: int) -> Bounds:
    """The two percentiles of resampled means."""
    t = student_quantile((1 + confidence) / 2, units - 1)
    tail = normal_cdf(-math.sqrt(units / (units - 1)) * t)
    last = len(means) - 1
    places = tail * last, (1 - tail) * last
    ends = [end for place in places for end in (math.floor(place), math.ceil(place))]
    least, below, above, most = np.partition(means, ends)[ends].tolist()
    low = least + (places[0] - ends[0]) * (below - least)
    high = above + (places[1] - ends[2]) * (most - above)
    return math.ldexp(low, exponent), math.ldexp(high, exponent)


def _interval(column: _Column, low: float | None, high: float | None) -> Interval:
    scored, cases = len(column.values), column.scores.size
    if not scored:
        return Interval(None, None, None, 0, cases)
    mean = math.fsum(column.values) / scored
    if low is None or high is None:
        return Interval(mean, None, None, scored, cases)
    return Interval(mean, min(low, mean), max(high, mean), scored, cases)
