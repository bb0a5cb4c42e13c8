"""Two raters, one label each a case: accuracy, Cohen's kappa and its weighted forms, the confusion table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.metrics.agreement.estimate import Estimate, estimated, share
from assay.stats.intervals import Resampling
from assay.stats.resample import Floats, Integers

Weights = Literal["none", "linear", "quadratic"]
Label = float | None

CONSTANT = "both gave one and the same label to every case"


def both(first: Sequence[Label], second: Sequence[Label]) -> Floats:
    """(n × 2): the cases that have both labels, in an order that does not depend on the one given."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels of one rater, {len(second)} of the other")
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return np.array(sorted(pairs), dtype=np.float64).reshape(-1, 2)


def confusion(first: Sequence[Label], second: Sequence[Label], levels: Sequence[float]) -> list[list[int]]:
    """How often each label of the first (rows) met each of the second (columns).

    >>> confusion([2, 2, 0], [2, 0, 0], levels=[0, 1, 2])
    [[1, 0, 0], [0, 0, 0], [1, 0, 1]]
    """
    known = np.asarray(levels, dtype=np.float64)
    cells = _cells(both(first, second), known)
    counts = np.bincount(cells, minlength=len(known) ** 2).reshape(len(known), len(known))
    return [[int(count) for count in row] for row in counts]


def accuracy(first: Sequence[Label], second: Sequence[Label], plan: Resampling) -> Estimate:
    """The share of cases with equal labels, with Wilson's interval."""
    pairs = both(first, second)
    return share(pairs[:, 0] == pairs[:, 1], plan)


def cohen_kappa(
    first: Sequence[Label], second: Sequence[Label], plan: Resampling, weights: Weights = "none"
) -> Estimate:
    """Agreement beyond chance: 1 − Σ w·o / Σ w·e (Cohen 1960; weighted: Cohen 1968).

    o is the table of both labels, e what its margins would give by chance, w the disagreement of two labels: 1 if
    they differ, their distance, or its square. Distances are those of the values (1 to 5 is 4), whether or not all
    values between occur. Undefined if both raters gave one and the same label everywhere: no chance to disagree.

    Six of eight equal, by chance (4·4 + 4·4)/64 = ½: (0.75 − 0.5) / (1 − 0.5) = 0.5:

    >>> cohen_kappa([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 1], Resampling(seed=0)).value
    0.5
    """
    pairs = both(first, second)
    levels = np.unique(pairs)
    cells = _cells(pairs, levels)
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    disagreement = _disagreement(levels, weights)

    def statistic(counts: Floats) -> Floats:
        tables = np.zeros((len(counts), len(levels) ** 2))
        tables[:, cells[starts]] = np.add.reduceat(counts, starts, axis=1)
        return kappa_of(tables.reshape(-1, len(levels), len(levels)), disagreement)

    return estimated(len(cells), statistic, plan, CONSTANT)


def kappa_of(tables: Floats, disagreement: Floats) -> Floats:
    """Kappa of each table; NaN where the margins leave nothing to disagree about."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    expected = rows[:, :, None] * columns[:, None, :] / tables.sum(axis=(1, 2))[:, None, None]
    by_chance = (expected * disagreement).sum(axis=(1, 2))
    observed = (tables * disagreement).sum(axis=(1, 2))
    shares = np.divide(observed, by_chance, out=np.full_like(observed, np.nan), where=by_chance > 0)
    kappas: Floats = 1 - shares
    return kappas


def _disagreement(levels: Floats, weights: Weights) -> Floats:
    distance = np.abs(levels[:, None] - levels[None, :])
    chosen: Floats = {"none": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weights]
    return chosen


def _cells(pairs: Floats, levels: Floats) -> Integers:
    """The cell of the table each case falls into, ascending as the pairs are."""
    places: NDArray[np.int64] = np.searchsorted(levels, pairs).astype(np.int64)
    if len(pairs) and not np.array_equal(levels[np.minimum(places, len(levels) - 1)], pairs):
        raise ValueError("a label is not among the levels")
    cells: Integers = places[:, 0] * len(levels) + places[:, 1]
    return cells
