"""The order of a ranking as trec_eval has it: score descending, then id descending.

Scores are compared in single precision, as trec_eval 9 and pytrec_eval do: two scores that differ after the seventh
digit alone are a tie there, and must be one here for the same file to give the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.metrics.ranking.judged import Ints

Keys = NDArray[np.uint64]


def single(scores: NDArray[Any]) -> NDArray[np.float32]:
    """Scores as they are compared. What single precision cannot hold becomes infinite, as in C."""
    with np.errstate(over="ignore"):
        return np.asarray(scores).astype(np.float32)


def sort_keys(query: Ints, scores: NDArray[np.float32]) -> Keys:
    """Numbers whose ascending order is: query, then score descending."""
    bits = (scores + np.float32(0)).view(np.uint32)  # + 0 makes -0 and 0 the same
    negative = bits >> np.uint32(31) == 1
    descending = np.where(negative, bits, ~bits & np.uint32(0x7FFFFFFF))
    return query.astype(np.uint64) << np.uint64(32) | descending


def places(keys: Keys, wanted: Ints) -> tuple[Ints, Ints, NDArray[np.int64]]:
    """Where the wanted entries stand in the order: [left, right) among equals, and the entries in ascending order."""
    increasing = bool((keys[1:] >= keys[:-1]).all())
    order = np.arange(len(keys)) if increasing else np.argsort(keys, kind="stable")
    ordered = keys if increasing else keys[order]
    left = np.searchsorted(ordered, keys[wanted], "left")
    right = np.searchsorted(ordered, keys[wanted], "right")
    return left, right, order
