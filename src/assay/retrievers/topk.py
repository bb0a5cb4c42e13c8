"""The k best of many scores, with ties settled by id and never by the order of insertion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

_BLOCKS, _FEWEST = 8, 256
"""Blocks for each wanted result: more make a tighter bound, fewer are quicker to look through. But their maxima are
taken side by side, which is slow for a handful."""


class Hits(Struct, frozen=True):
    """What one query found: rows of the index and their scores, best first."""

    rows: NDArray[np.intp]
    scores: NDArray[np.floating[Any]]


def best(scores: NDArray[np.float32], k: int, above: float) -> Hits:
    """The k highest scores greater than `above`: by score, then row, both descending.

    Rows stand in ascending order of id, so a descending row is a descending id. Equal scores at the cut are all
    looked at before the cut is made.
    """
    bound = lower_bound(scores, k)
    rows = np.flatnonzero(scores >= bound if bound > above else scores > above)
    return ordered(rows, scores[rows], k)


def rank_of(scores: NDArray[np.floating[Any]], rows: Iterable[int], above: float) -> int | None:
    """The best rank from 1 of the given rows in the order of `best`; None if none of them is a result."""
    ranks = []
    for row in rows:
        score = scores[row]
        if score > above:
            ranks.append(1 + np.count_nonzero(scores > score) + np.count_nonzero(scores[row + 1 :] == score))
    return int(min(ranks)) if ranks else None


def candidates(scores: NDArray[np.float32], k: int, slack: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of queries × rows: (query, row) of all that may be among the query's k best, both ascending, when each finite
    score may be wrong by less than half the slack."""
    bounds = _lower_bounds(scores, k)
    least = np.where(bounds > -np.inf, bounds - np.float32(slack), np.finfo(np.float32).min)
    queries, rows = np.divmod(np.flatnonzero(scores >= least[:, None]), max(scores.shape[1], 1))
    return queries, rows


def ordered(rows: NDArray[np.intp], scores: NDArray[np.floating[Any]], k: int) -> Hits:
    """The k best of rows that stand in ascending order."""
    rows, scores = rows[::-1], scores[::-1]
    order = np.argsort(-scores, kind="stable")[:k]
    return Hits(rows[order], scores[order])


def lower_bound(scores: NDArray[np.float32], k: int) -> float:
    """A value that at least k scores reach, as near below the k-th highest as is quick to find.

    The scores are dealt into blocks; the k-th highest of the blocks' maxima is reached by k different scores. This
    reads the scores once, where a partition of them all moves them about and is slow when many are equal.
    """
    width = len(scores) // _blocks(k)
    if width < 2:
        return _kth_highest(scores, k)
    whole = len(scores) // width * width
    return _kth_highest(scores[:whole].reshape(width, -1).max(axis=0), k)


def _blocks(k: int) -> int:
    return max(_BLOCKS * k, _FEWEST)


def _lower_bounds(scores: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """`lower_bound` of many queries at once; minus infinity where there are not so many rows."""
    queries, size = scores.shape
    width = size // _blocks(k)
    if width >= 2:
        blocks = size // width
        scores = scores[:, : blocks * width].reshape(queries, width, blocks).max(axis=1)
    place = scores.shape[1] - k
    return np.partition(scores, place, axis=1)[:, place] if place >= 0 else np.full(queries, -np.inf, dtype=np.float32)


def _kth_highest(values: NDArray[np.float32], k: int) -> float:
    """Minus infinity when there are not so many. The lowest value is often shared by most: it is set aside first."""
    values = values[values > values.min()] if len(values) else values
    return float(np.partition(values, len(values) - k)[len(values) - k]) if len(values) >= k else -np.inf
