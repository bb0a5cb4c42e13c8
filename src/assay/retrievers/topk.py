"""The k best of many scores, with ties settled by id and never by the order of insertion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BLOCKS = 8
"""Blocks for each wanted result: more make a tighter bound, fewer are quicker to look through."""


def best(scores: NDArray[np.float32], k: int, above: float) -> NDArray[np.intp]:
    """Rows of the k highest scores greater than `above`: by score, then row, both descending.

    Rows stand in ascending order of id, so a descending row is a descending id. Equal scores at the cut are all
    looked at before the cut is made.
    """
    rows = np.flatnonzero(scores >= bound) if (bound := lower_bound(scores, k)) > above else np.flatnonzero(scores > above)
    rows = rows[::-1]
    return rows[np.argsort(-scores[rows], kind="stable")[:k]]


def lower_bound(scores: NDArray[np.float32], k: int) -> float:
    """A value that at least k scores reach, as near below the k-th highest as is quick to find.

    The scores are dealt into blocks; the k-th highest of the blocks' maxima is reached by k different scores. This
    reads the scores once, where a partition of them all moves them about, and is slow when many are equal.
    """
    width = len(scores) // (_BLOCKS * k)
    if width < 2:
        return _kth(scores, k)
    whole = len(scores) // width * width
    return _kth(scores[:whole].reshape(width, -1).max(axis=0), k)


def _kth(values: NDArray[np.float32], k: int) -> float:
    if len(values) <= k:
        return -np.inf
    return float(np.partition(values, len(values) - k)[len(values) - k])
