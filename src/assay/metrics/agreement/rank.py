"""Spearman's rank correlation, corrected for ties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.metrics.agreement.estimate import Estimate, estimated
from assay.metrics.agreement.pairs import Label, both
from assay.stats.intervals import Resampling
from assay.stats.resample import Floats


def spearman(first: Sequence[Label], second: Sequence[Label], plan: Resampling) -> Estimate:
    """Pearson's correlation of the ranks, equal values sharing their middle rank (Spearman 1904).

    Undefined if either side is the same everywhere.

    >>> spearman([1, 2, 3, 4], [1, 3, 2, 4], Resampling(seed=0)).value
    0.8
    """
    pairs = both(first, second)

    def statistic(counts: Floats) -> Floats:
        return _correlation(_ranks(pairs[:, 0], counts), _ranks(pairs[:, 1], counts), counts)

    return estimated(len(pairs), statistic, plan, "one side is the same in every case")


def _ranks(values: Floats, counts: Floats) -> Floats:
    """The middle rank of each value among as many copies of each as its count says."""
    order = np.argsort(values, kind="stable")
    _, starts, places = np.unique(values, return_index=True, return_inverse=True)
    first = np.searchsorted(values[order], values[starts])
    at_level = np.add.reduceat(counts[:, order], first, axis=1)
    ranks: Floats = (at_level.cumsum(axis=1) - (at_level - 1) / 2)[:, places]
    return ranks


def _correlation(first: Floats, second: Floats, counts: Floats) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    a = first - (counts * first).sum(axis=1, keepdims=True) / total
    b = second - (counts * second).sum(axis=1, keepdims=True) / total
    spread = np.sqrt((counts * a * a).sum(axis=1) * (counts * b * b).sum(axis=1))
    together = (counts * a * b).sum(axis=1)
    shares: Floats = np.divide(together, spread, out=np.full_like(together, np.nan), where=spread > 0)
    return np.clip(shares, -1, 1)
