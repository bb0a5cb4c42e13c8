"""Mean, median and quantiles of plain lists; None when there is nothing to describe."""

from __future__ import annotations

import math
from collections.abc import Iterable


def mean(values: Iterable[float]) -> float | None:
    """The arithmetic mean; the order of the values does not matter, not even in the last bit."""
    known = _finite(values)
    return math.fsum(known) / len(known) if known else None


def quantile(values: Iterable[float], q: float) -> float | None:
    """The q-quantile by linear interpolation between the order statistics (Hyndman & Fan 1996, type 7).

    With x[0] ≤ … ≤ x[n−1] and h = (n − 1)·q: x[⌊h⌋] + (h − ⌊h⌋)·(x[⌊h⌋+1] − x[⌊h⌋]).
    The 0.95-quantile of 1, 2, 3, 4 is at h = 2.85: 3 + 0.85 · (4 − 3) = 3.85.
    """
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile lies from 0 to 1, not {q}")
    known = sorted(_finite(values))
    if not known:
        return None
    position = (len(known) - 1) * q
    below = math.floor(position)
    above = min(below + 1, len(known) - 1)
    return known[below] + (position - below) * (known[above] - known[below])


def median(values: Iterable[float]) -> float | None:
    """The middle value; of an even list the mean of the middle two."""
    return quantile(values, 0.5)


def _finite(values: Iterable[float]) -> list[float]:
    known = list(values)
    if not all(map(math.isfinite, known)):
        raise ValueError("a value is not finite; leave undefined ones out")
    return known
