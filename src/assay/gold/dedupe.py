"""Near duplicates, exactly and without comparing most pairs in full.

Only the pairs whose upper bound (see `projection`) reaches the threshold are compared in full.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.corpus.quotes import fold
from assay.gold.projection import SLACK, Vectors, bounds
from assay.gold.tiles import ROWS, Near, Numbers, Task, Tiles

Pairs = tuple[Numbers, Numbers, NDArray[np.float64]]
"""Rows, earlier rows they are like, and the cosines."""

_MOST_ROWS = 8 * ROWS
"""Decided at a time, so that threads seldom wait for each other. Their pairs are held until then: where many are
duplicates it is fewer."""
_MANY = 1 / 8
"""Share of duplicates that are many."""
_CROWDED = 0.02
"""Share of the pairs above which one product in full is cheaper than comparing them pair by pair."""


_WORD = re.compile(r"\w+")


class Duplicate(Struct, frozen=True):
    """`row` is left out because it is like `of`, an earlier row that stays."""

    row: int
    of: int
    cosine: float


def duplicates(vectors: Vectors, threshold: float) -> list[Duplicate]:
    """The rows that are within the threshold of an earlier row that stays, in order.

    The first of several stays, so put what is worth more first. Rows must be of unit length; a zero row is like none.
    """
    if not len(vectors):
        return []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(_Search(np.ascontiguousarray(vectors, dtype=np.float32), threshold, pool).found())


class _Search:
    """The vectors, their bounds, and the rows that stay so far."""

    def __init__(self, vectors: Vectors, threshold: float, pool: ThreadPoolExecutor) -> None:
        self._vectors, self._threshold, self._limit = vectors, threshold, threshold - SLACK
        self._pool, self._workers = pool, os.cpu_count() or 1
        self._bounds = bounds(vectors, threshold)
        self._kept = Tiles(self._bounds, len(vectors))

    def found(self) -> Iterator[Duplicate]:
        """Block by block; the next is twice as large while duplicates are not many."""
        start, size = 0, ROWS
        while start < len(self._vectors):
            rows = np.arange(start, min(start + size, len(self._vectors)))
            found = self._next_block(rows)
            yield from (found[row] for row in sorted(found))
            start += size
            size = ROWS if len(found) > _MANY * len(rows) else min(2 * size, _MOST_ROWS)

    def _next_block(self, rows: Numbers) -> dict[int, Duplicate]:
        """First against all that stay, then among themselves, in order."""
        found = _resolved(self._pairs(self._kept, self._kept.tasks(rows)))
        rest = _without(rows, found)
        own = Tiles(self._bounds, len(rest))
        own.add(rest)
        inner = _resolved(self._pairs(own, own.tasks(rest, upward=True)))
        self._kept.add(_without(rest, inner))
        return found | inner

    def _pairs(self, tiles: Tiles, tasks: Iterable[Task]) -> Pairs:
        """Of all tasks; each thread takes the next one, so that nobody waits for a slow one."""
        left = deque(tasks)

        def work(_: int) -> list[Pairs]:
            return [self._compared(tiles, task) for task in _taken(left)]

        workers = min(self._workers, len(left))
        if workers <= 1:
            return _joined(work(0))
        return _joined([pairs for share in self._pool.map(work, range(workers)) for pairs in share])

    def _compared(self, tiles: Tiles, task: Task) -> Pairs:
        """The pairs of a task that are within the threshold, later row first."""
        near = [each for part in tiles.near(task, self._limit) for each in self._looked(task, part)]
        return self._decided(*(np.concatenate(each) for each in zip(*near, strict=True)))

    def _looked(self, task: Task, near: Near) -> Iterator[tuple[Numbers, Numbers]]:
        """Itself, or where the bounds let too many by, those that the vectors themselves let by."""
        if len(near.rows) <= _CROWDED * len(task.rows) * len(near.among):
            yield near.rows, near.others
            return
        whole = Tiles(self._vectors, len(near.among))
        whole.add(near.among)
        for each in whole.tasks(task.rows):
            yield from ((found.rows, found.others) for found in whole.near(each, self._limit))

    def _decided(self, rows: Numbers, others: Numbers) -> Pairs:
        """Of pairs that may be near, those that are: by cosines in float32, and what is left by cosines in float64."""
        earlier = others < rows
        rows, others = rows[earlier], others[earlier]
        near = _cosines(self._vectors, rows, others, np.float32) >= self._limit
        rows, others = rows[near], others[near]
        cosines = _cosines(self._vectors, rows, others, np.float64)
        near = cosines >= self._threshold
        return rows[near], others[near], cosines[near].astype(np.float64)


def _taken(left: deque[Task]) -> Iterator[Task]:
    """What no other thread has taken, until nothing is left."""
    with suppress(IndexError):
        while True:
            yield left.popleft()


def _without(rows: Numbers, found: dict[int, Duplicate]) -> Numbers:
    return rows[~np.isin(rows, list(found))] if found else rows


def _joined(parts: Sequence[Pairs]) -> Pairs:
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64)
    rows, others, cosines = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, others, cosines


def _cosines(vectors: Vectors, rows: Numbers, others: Numbers, kind: type, at_once: int = 256) -> NDArray[np.floating]:
    parts = [slice(start, start + at_once) for start in range(0, len(rows), at_once)]
    found = [np.einsum("ij,ij->i", vectors[rows[part]], vectors[others[part]], dtype=kind) for part in parts]
    return np.concatenate(found) if found else np.empty(0, dtype=kind)


def _resolved(pairs: Pairs) -> dict[int, Duplicate]:
    """For each row the earliest that it is like and that stays itself."""
    order = np.lexsort((pairs[1], pairs[0]))
    rows, others, cosines = (each[order] for each in pairs)
    edges = np.flatnonzero(np.diff(rows, prepend=-1, append=-1)).tolist()
    found: dict[int, Duplicate] = {}
    for start, end in pairwise(edges):
        stays = (at for at in range(start, end) if int(others[at]) not in found)
        if (at := next(stays, None)) is not None:
            found[int(rows[at])] = Duplicate(int(rows[at]), int(others[at]), float(cosines[at]))
    return found


# --- by text -----------------------------------------------------------------------------------------------------


def folded(text: str) -> str:
    """Without case, accents, punctuation and extra spaces.

    >>> folded("Où est l'École ?") == folded("ou est  l'ecole")
    True
    """
    return " ".join(_WORD.findall(fold(text)))


def same_text(texts: Iterable[str]) -> list[tuple[int, int]]:
    """(later, first) of the texts that are the same but for case, accents, punctuation and spaces."""
    first: dict[str, int] = {}
    return [(at, first[key]) for at, key in enumerate(map(folded, texts)) if first.setdefault(key, at) != at]
