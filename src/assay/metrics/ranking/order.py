"""The order of a ranking as trec_eval has it: score descending, then id descending.

Scores are compared in single precision, as trec_eval 9 and pytrec_eval do: two scores that differ after the seventh
digit alone are a tie there, and must be one here for the same file to give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def ranks(keys: Keys, wanted: Ints, ids: Callable[[Ints], Sequence[Any]]) -> Ints:
    """The rank from 1, within its query, of each wanted entry. `ids` gives those of entries; asked for ties alone."""
    increasing = bool((keys[1:] >= keys[:-1]).all())
    order = np.arange(len(keys)) if increasing else np.argsort(keys, kind="stable")
    ordered = keys if increasing else keys[order]
    own = keys[wanted]
    first = np.searchsorted(ordered, own >> np.uint64(32) << np.uint64(32))
    left, right = np.searchsorted(ordered, own), np.searchsorted(ordered, own, "right")
    place = left.copy()
    tied: dict[int, list[int]] = {}
    for at in np.flatnonzero(right - left > 1).tolist():
        tied.setdefault(int(left[at]), []).append(at)
    for start, members in tied.items():
        equals = order[start : right[members[0]]]
        descending = sorted(zip(ids(equals), equals.tolist(), strict=True), reverse=True)
        number = {entry: start + above for above, (_, entry) in enumerate(descending)}
        place[members] = [number[entry] for entry in wanted[members].tolist()]
    return place - first + 1
