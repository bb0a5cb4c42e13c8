"""Which rows may be near each other, by their bounds (see `projection`), many at a time.

The bounds are multiplied in tiles: memory grows with the number of rows, never with its square.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.gold.projection import SMALL, Vectors

Numbers = NDArray[np.int64]

ROWS = 256
"""Compared at a time."""
_COLUMNS = 48
"""Of a tile."""
_TILES = 42
"""At once: their product stays in a core's cache until it has been compared."""
_PARTS = 2
"""Of a task: long enough to be worth taking, short enough that no thread waits long for the last one."""


class Task(Struct, frozen=True):
    """Rows, and the range of tiles they are to be compared with."""

    rows: Numbers
    tiles: range


class Near(Struct, frozen=True):
    """Rows and others whose bound reaches a limit, and all others that were looked at."""

    rows: Numbers
    others: Numbers
    among: Numbers


class _Desk(threading.local):
    """Room for one comparison, of each thread its own: fresh memory would take as long as the work."""

    def __init__(self) -> None:
        self.products = np.empty(_TILES * ROWS * _COLUMNS, dtype=np.float32)
        self.near = np.empty(_TILES * ROWS * _COLUMNS, dtype=np.bool_)


_DESK = _Desk()


class Tiles:
    """Rows in the order they came, their bounds side by side in tiles.

    A product is made of pieces so small that the library makes each in one thread; our threads share out the tasks and
    do not wait for each other, which is twice as fast, and far more so on a busy machine.
    """

    def __init__(self, bounds: Vectors, most: int) -> None:
        self._bounds, self._count = bounds, 0
        self._tiles = np.zeros((-(-most // _COLUMNS), 1, bounds.shape[1], _COLUMNS), dtype=np.float32)
        self._piece = min(ROWS, 2 ** int(np.log2(max(1, SMALL // (_COLUMNS * bounds.shape[1])))))
        self.rows = np.empty(most, dtype=np.int64)

    def add(self, rows: Numbers) -> None:
        places = self._count + np.arange(len(rows))
        self.rows[places] = rows
        self._tiles[places // _COLUMNS, 0, :, places % _COLUMNS] = self._bounds[rows]
        self._count += len(rows)

    def tasks(self, rows: Numbers, upward: bool = False) -> Iterator[Task]:
        """All rows against all that are here; when these are the same rows, only against those up to their own."""
        for start in range(0, len(rows), ROWS):
            last = -(-min(self._count, start + ROWS if upward else self._count) // _COLUMNS)
            for first in range(0, last, _PARTS * _TILES):
                yield Task(rows[start : start + ROWS], range(first, min(last, first + _PARTS * _TILES)))

    def near(self, task: Task, limit: float) -> Iterator[Near]:
        """What of a task may be near, part by part."""
        asking = np.zeros((-(-len(task.rows) // self._piece), self._piece, self._bounds.shape[1]), dtype=np.float32)
        asking.reshape(-1, asking.shape[2])[: len(task.rows)] = self._bounds[task.rows]
        for at in range(0, len(task.tiles), _TILES):
            part = task.tiles[at : at + _TILES]
            yield self._near(task.rows, part, *self._reach(asking, part, limit))

    def _reach(self, asking: Vectors, part: range, limit: float) -> tuple[Numbers, Numbers]:
        """Which of those asking and which of the part's columns make a product that reaches the limit."""
        shape = (len(part), *asking.shape[:2], _COLUMNS)
        products, near = (each[: math.prod(shape)] for each in (_DESK.products, _DESK.near))
        np.matmul(asking, self._tiles[part.start : part.stop], out=products.reshape(shape))
        tile, rest = np.divmod(np.greater_equal(products, limit, out=near).nonzero()[0], math.prod(shape[1:]))
        return rest // _COLUMNS, tile * _COLUMNS + rest % _COLUMNS

    def _near(self, rows: Numbers, part: range, asking: Numbers, columns: Numbers) -> Near:
        """Of these, those that are rows and not the empty rest of a piece or a tile."""
        among = range(part.start * _COLUMNS, min(self._count, part.stop * _COLUMNS))
        there = (asking < len(rows)) & (columns < len(among))
        return Near(rows[asking[there]], self.rows[among.start + columns[there]], self.rows[among.start : among.stop])
