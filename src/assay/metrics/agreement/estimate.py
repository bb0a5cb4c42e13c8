"""A coefficient with its bootstrap interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from assay.stats.intervals import Resampling, intervals_of
from assay.stats.resample import Floats, draw_counts

Statistic = Callable[[Floats], Floats]
"""From rows of counts (how often each unit was drawn) to one value a row; NaN where it is undefined."""

NOTHING = "no case has both labels"
LEAST_DEFINED = 0.5
"""Share of the resamples in which a coefficient must be defined for its interval to mean anything."""


class Estimate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value and its interval. Without a value or an interval, `reason` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    reason: str | None = None


def undefined(n: int, reason: str) -> Estimate:
    return Estimate(value=None, n=n, reason=reason)


def share(holds: ArrayLike, plan: Resampling) -> Estimate:
    """How often something holds."""
    values = np.asarray(holds, dtype=np.float64).reshape(-1, 1)
    if not len(values):
        return undefined(0, NOTHING)
    found = intervals_of(values, plan)[0]
    reason = "no interval from one case" if found.low is None else None
    return Estimate(value=found.mean, low=found.low, high=found.high, n=found.n_scored, reason=reason)


def estimated(units: int, statistic: Statistic, plan: Resampling, reason: str) -> Estimate:
    """The statistic over all units, and the percentiles of its bootstrap; `reason` is said where it is undefined.

    Units are drawn with replacement (Efron & Tibshirani 1993, chapter 13). Resamples in which the statistic is
    undefined are left out. From one unit, or when every resample gives the same value, no interval can be had.
    """
    if not units:
        return undefined(0, NOTHING)
    value = float(statistic(np.ones((1, units)))[0])
    if np.isnan(value):
        return undefined(units, reason)
    low, high, why = _bounds(units, statistic, plan)
    return Estimate(value=value, low=low, high=high, n=units, reason=why)


def _bounds(units: int, statistic: Statistic, plan: Resampling) -> tuple[float | None, float | None, str | None]:
    if units < 2:
        return None, None, "no interval from one case"
    drawn = np.concatenate([statistic(counts) for counts in draw_counts(units, plan.resamples, plan.seed)])
    known = drawn[~np.isnan(drawn)]
    if len(known) < LEAST_DEFINED * len(drawn):
        return None, None, "no interval: undefined in most resamples"
    if np.ptp(known) == 0:
        return None, None, "no interval: the same in every resample"
    tail = (1 - plan.confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high), None
