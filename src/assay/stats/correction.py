"""Many measures, one claim: p-values corrected so that chance is not called a finding."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p-values (Holm 1979), in the order given; the family-wise error rate is held.

    The i-th smallest of m is multiplied by m − i + 1, is never less than the one before it, and at most 1.
    None (undefined) stays None and does not count among the m.
    """
    defined = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    if any(not 0 <= p <= 1 for p, _ in defined):
        raise ValueError("a p-value lies from 0 to 1")
    adjusted: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for rank, (p, place) in enumerate(defined):
        floor = max(floor, min(1.0, p * (len(defined) - rank)))
        adjusted[place] = floor
    return adjusted
