"""What may be said of a difference: whether it is real, and whether it is large."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["better", "worse", "no evidence either way"]

_DIGITS = 9
"""Numbers are compared as rounded to this many digits: 0.42 − 0.40 is 0.02, though floats make it 0.01999…."""


def verdict(delta: float | None, p_adjusted: float | None, *, higher_is_better: bool, alpha: float = 0.05) -> Verdict:
    """`better` or `worse` only if the corrected p-value is below alpha; anything undefined is no evidence."""
    if delta is None or p_adjusted is None or round(p_adjusted, _DIGITS) >= round(alpha, _DIGITS):
        return "no evidence either way"
    rounded = round(delta, _DIGITS)
    if rounded == 0:
        return "no evidence either way"
    return "better" if (rounded > 0) == higher_is_better else "worse"


def is_flagged(delta: float | None, threshold: float | None) -> bool:
    """Whether the difference, up or down, reaches the threshold. It says large, not real: see `verdict` for that."""
    if delta is None or threshold is None:
        return False
    return round(abs(delta), _DIGITS) >= round(threshold, _DIGITS)
