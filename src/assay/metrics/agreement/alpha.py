"""Krippendorff's alpha: any number of raters, missing labels allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from assay.metrics.agreement.estimate import Estimate, estimated, undefined
from assay.stats.intervals import Resampling
from assay.stats.resample import Floats

Scale = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(ratings: Sequence[Sequence[float | None]], plan: Resampling, scale: Scale) -> Estimate:
    """1 − observed / expected disagreement over all pairs of labels of one case (Krippendorff 2019, chapter 12).

    `ratings` has one row a case, one place a rater. A case with n labels adds 1/(n − 1) for each ordered pair to the
    coincidences o; with n_c the sums of its rows and n their total, disagreement is Σ o·δ² / n observed and
    Σ n_c·n_k·δ² / (n(n − 1)) expected. δ² of two labels is 1 (nominal), the square of their distance (interval), or
    of the distance of their middle ranks (ordinal). Undefined if all labels are equal.
    """
    rows = sorted(sorted(label for label in row if label is not None) for row in ratings)
    rated = [row for row in rows if len(row) > 1]
    if not rated:
        return undefined(0, "no case has two labels")
    levels = np.unique(np.concatenate(rated))
    starts = [place for place, row in enumerate(rated) if not place or row != rated[place - 1]]
    units = np.stack([_coincidences(rated[place], levels) for place in starts])

    def statistic(counts: Floats) -> Floats:
        tables = np.add.reduceat(counts, starts, axis=1) @ units
        return alpha_of(tables.reshape(-1, len(levels), len(levels)), levels, scale)

    return estimated(len(rated), statistic, plan, "every label is the same")


def alpha_of(coincidences: Floats, levels: Floats, scale: Scale) -> Floats:
    """Alpha of each table of coincidences; NaN where only one label occurs."""
    margins = coincidences.sum(axis=2)
    total = margins.sum(axis=1)
    squares = _squares(margins, levels, scale)
    observed = (coincidences * squares).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * squares).sum(axis=(1, 2)) / (total - 1)
    shares = np.divide(observed, expected, out=np.full_like(observed, np.nan), where=expected > 0)
    alphas: Floats = 1 - shares
    return alphas


def _squares(margins: Floats, levels: Floats, scale: Scale) -> Floats:
    """δ² for each table (or one for all)."""
    if scale == "nominal":
        return 1 - np.eye(len(levels))
    places = levels[None, :] if scale == "interval" else margins.cumsum(axis=1) - margins / 2
    squares: Floats = (places[:, :, None] - places[:, None, :]) ** 2
    return squares


def _coincidences(row: Sequence[float], levels: Floats) -> Floats:
    counts = np.zeros(len(levels))
    for label, count in Counter(row).items():
        counts[np.searchsorted(levels, label)] = count
    pairs: Floats = (np.outer(counts, counts) - np.diag(counts)) / (len(row) - 1)
    return pairs.ravel()
