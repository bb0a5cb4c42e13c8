"""Near duplicates, exactly and without comparing most pairs in full.

Only the pairs whose upper bound (see `projection`) reaches the threshold are compared in full. The bounds are
multiplied in tiles: memory grows with the number of vectors, never with its square.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.corpus.quotes import fold
from assay.gold.projection import SLACK, Vectors, bounds

Numbers = NDArray[np.int64]
Pairs = tuple[Numbers, Numbers, NDArray[np.float64]]
"""Rows, earlier rows they are like, and the cosines."""

_ROWS = 256
"""Decided at a time."""
_COLUMNS = 48
"""Of a tile. The product of rows and a tile is then so small that the library makes it in one thread; our threads share
the tiles out and do not wait for each other, which is twice as fast, and far more so on a busy machine."""
_TILES = 21
"""At once: their product stays in a core's cache until it has been compared."""
_FEW = 2
"""Parts that are not worth waking a thread for."""
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
        search = _Search(np.ascontiguousarray(vectors, dtype=np.float32), threshold, pool)
        return [each for start in range(0, len(vectors), _ROWS) for each in search.next_block(start)]


class _Desk(threading.local):
    """Room for one comparison, of each thread its own: fresh memory would take as long as the work."""

    def __init__(self) -> None:
        self.products = np.empty(_TILES * _ROWS * _COLUMNS, dtype=np.float32)
        self.near = np.empty(_TILES * _ROWS * _COLUMNS, dtype=np.bool_)


class _Tiles:
    """Rows in the order they came, their bounds side by side in tiles."""

    def __init__(self, width: int, most: int) -> None:
        self.bounds = np.zeros((-(-most // _COLUMNS), width, _COLUMNS), dtype=np.float32)
        self.rows = np.empty(most, dtype=np.int64)
        self.count = 0

    @property
    def parts(self) -> range:
        """The first tile of each part that is compared at once."""
        return range(0, -(-self.count // _COLUMNS), _TILES)

    def add(self, rows: Numbers, bounds: Vectors) -> None:
        places = self.count + np.arange(len(rows))
        self.rows[places] = rows
        self.bounds[places // _COLUMNS, :, places % _COLUMNS] = bounds[rows]
        self.count += len(rows)

    def near(self, desk: _Desk, asking: Vectors, part: int, limit: float) -> tuple[Numbers, Numbers, float]:
        """Places among those asking and here whose bound reaches the limit, and their share of all."""
        tiles = self.bounds[part : part + _TILES]
        size = len(tiles) * len(asking) * _COLUMNS
        product = np.matmul(asking, tiles, out=desk.products[:size].reshape(len(tiles), len(asking), _COLUMNS))
        near = np.greater_equal(product.reshape(-1), limit, out=desk.near[:size])
        tile, place = np.divmod(np.flatnonzero(near), len(asking) * _COLUMNS)
        here = (part + tile) * _COLUMNS + place % _COLUMNS
        there = here < self.count
        return place[there] // _COLUMNS, here[there], len(place) / size


class _Search:
    """The vectors, their bounds, and the rows that stay so far."""

    def __init__(self, vectors: Vectors, threshold: float, pool: ThreadPoolExecutor) -> None:
        self._vectors, self._threshold, self._desk = vectors, threshold, _Desk()
        self._pool, self._workers = pool, os.cpu_count() or 1
        self._bounds = bounds(vectors, threshold)
        self._kept = _Tiles(self._bounds.shape[1], len(vectors))

    def next_block(self, start: int) -> list[Duplicate]:
        """First against all that stay, then among themselves, in order."""
        rows = np.arange(start, min(start + _ROWS, len(self._vectors)))
        found = _resolved(self._pairs(rows, self._kept))
        rest = _without(rows, found)
        own = _Tiles(self._bounds.shape[1], len(rest))
        own.add(rest, self._bounds)
        inner = _resolved(self._pairs(rest, own))
        self._kept.add(_without(rest, inner), self._bounds)
        found |= inner
        return [found[row] for row in sorted(found)]

    def _pairs(self, rows: Numbers, tiles: _Tiles) -> Pairs:
        """Of these rows and all in the tiles; each thread takes every so-many-th part."""
        asking = self._bounds[rows]

        def compare(parts: range) -> list[Pairs]:
            return [self._compared(rows, asking, tiles, part) for part in parts]

        if len(tiles.parts) <= _FEW:
            return _joined(compare(tiles.parts))
        shares = [tiles.parts[first :: self._workers] for first in range(self._workers)]
        return _joined([pairs for share in self._pool.map(compare, shares) for pairs in share])

    def _compared(self, rows: Numbers, asking: Vectors, tiles: _Tiles, part: int) -> Pairs:
        """The pairs of these rows and one part of the tiles that are within the threshold, later row first."""
        limit = self._threshold - SLACK
        mine, theirs, share = tiles.near(self._desk, asking, part, limit)
        if share > _CROWDED:
            others = tiles.rows[part * _COLUMNS : min(tiles.count, (part + _TILES) * _COLUMNS)]
            mine, theirs = np.nonzero(self._vectors[rows] @ self._vectors[others].T >= limit)
            theirs += part * _COLUMNS
        later, earlier = rows[mine], tiles.rows[theirs]
        order = earlier < later
        return _decided(self._vectors, later[order], earlier[order], self._threshold)


def _without(rows: Numbers, found: dict[int, Duplicate]) -> Numbers:
    return rows[~np.isin(rows, list(found))] if found else rows


def _joined(parts: Sequence[Pairs]) -> Pairs:
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64)
    rows, others, cosines = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, others, cosines


def _decided(vectors: Vectors, rows: Numbers, others: Numbers, threshold: float) -> Pairs:
    """Of pairs that may be near, those that are: by cosines in float32, and what is left by cosines in float64."""
    for kind in (np.float32, np.float64):
        cosines = _cosines(vectors, rows, others, kind)
        near = cosines >= (threshold if kind is np.float64 else threshold - SLACK)
        rows, others = rows[near], others[near]
    return rows, others, cosines[near].astype(np.float64)


def _cosines(vectors: Vectors, rows: Numbers, others: Numbers, kind: type, at_once: int = 1024) -> NDArray[np.floating]:
    parts = [slice(start, start + at_once) for start in range(0, len(rows), at_once)]
    found = [np.einsum("ij,ij->i", vectors[rows[part]], vectors[others[part]], dtype=kind) for part in parts]
    return np.concatenate(found) if found else np.empty(0, dtype=kind)


def _resolved(pairs: Pairs) -> dict[int, Duplicate]:
    """For each row the earliest that it is like and that stays itself."""
    rows, others, cosines = pairs
    found: dict[int, Duplicate] = {}
    for at in np.lexsort((others, rows)).tolist():
        row, other = int(rows[at]), int(others[at])
        if row not in found and other not in found:
            found[row] = Duplicate(row, other, float(cosines[at]))
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
