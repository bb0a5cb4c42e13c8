"""The cheapest one-to-one assignment: exact, and the same for the same matrix.

Shortest augmenting paths (Jonker & Volgenant 1987, as Crouse 2016 describes it for rectangles): O(n²·m).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXHAUSTIVE, SMALL = 3, 32
"""Up to so many rows: all permutations; plain Python. Measured the quickest."""


def assign(cost: Sequence[float], rows: int, columns: int) -> list[tuple[int, int]]:
    """Pairs of row and column, by row; min(rows, columns) of them, their sum as small as can be.

    >>> assign([4, 1, 3, 2, 0, 5, 3, 2, 2], 3, 3)
    [(0, 1), (1, 0), (2, 2)]
    """
    if rows > columns:
        turned = [value for column in range(columns) for value in cost[column::columns]]
        return sorted((row, column) for column, row in assign(turned, columns, rows))
    if rows == 0:
        return []
    chosen = _distinct_minima(cost, rows, columns)
    if chosen is None:
        if rows <= EXHAUSTIVE and columns <= 2 * EXHAUSTIVE:
            chosen = _exhaustive(cost, rows, columns)
        else:
            chosen = _paths(cost, rows, columns) if columns <= SMALL else _paths_of_many(cost, rows, columns)
    return list(enumerate(chosen))


def unique_minima(cost: Sequence[float], rows: int, columns: int) -> list[tuple[int, int]] | None:
    """Where each row (of the shorter side) has one smallest value and no two share a column, that is the only best
    assignment. None: it takes more than a look."""
    pairs, used = [], set()
    turned = rows > columns
    for number in range(columns if turned else rows):
        line = cost[number::columns] if turned else cost[number * columns : (number + 1) * columns]
        least = min(line)
        if line.count(least) > 1:
            return None
        at = line.index(least)
        used.add(at)
        pairs.append((at, number) if turned else (number, at))
    if len(used) < len(pairs):
        return None
    return sorted(pairs) if turned else pairs


def _distinct_minima(cost: Sequence[float], rows: int, columns: int) -> list[int] | None:
    found = unique_minima(cost, rows, columns)
    return None if found is None else [column for _, column in found]


def _exhaustive(cost: Sequence[float], rows: int, columns: int) -> list[int]:
    def total(chosen: Iterable[int]) -> float:
        return math.fsum(cost[row * columns + column] for row, column in enumerate(chosen))

    return list(min(permutations(range(columns), rows), key=total))


def _first_choices(cost: Sequence[float], rows: int, columns: int) -> tuple[list[float], list[int], list[int]]:
    """Every row's price is its least cost, and it has that column if nobody came before; the others wait."""
    prices, row_of, waiting = [], [-1] * columns, []
    for row in range(rows):
        line = cost[row * columns : (row + 1) * columns]
        least = min(line)
        prices.append(least)
        column = next((at for at, value in enumerate(line) if value == least and row_of[at] < 0), None)
        if column is None:
            waiting.append(row)
        else:
            row_of[column] = row
    return prices, row_of, waiting


def _paths(cost: Sequence[float], rows: int, columns: int) -> list[int]:
    """One row after the other, along the cheapest path that frees a column for it."""
    row_price, row_of, waiting = _first_choices(cost, rows, columns)
    column_price = [0.0] * columns
    for start in waiting:
        shortest, via = [math.inf] * columns, [-1] * columns
        done = [False] * columns
        row, column, so_far = start, -1, 0.0
        while True:
            base, price = row * columns, so_far - row_price[row]
            least, nearest = math.inf, -1
            for each in range(columns):
                if done[each]:
                    continue
                reached = price + cost[base + each] - column_price[each]
                if reached < shortest[each]:
                    shortest[each], via[each] = reached, row
                if shortest[each] < least:
                    least, nearest = shortest[each], each
            so_far, column = least, nearest
            done[column] = True
            if row_of[column] < 0:
                break
            row = row_of[column]
        row_price[start] += so_far
        for each in range(columns):
            if done[each] and each != column:
                row_price[row_of[each]] += so_far - shortest[each]
                column_price[each] -= so_far - shortest[each]
        _augment(row_of, via, column, start)
    return _by_row(row_of, rows)


def _paths_of_many(cost: Sequence[float], rows: int, columns: int) -> list[int]:
    """The same with whole rows at once."""
    import numpy as np

    matrix: NDArray[np.float64] = np.asarray(cost, dtype=np.float64).reshape(rows, columns)
    row_price, row_of, waiting = _first_choices(cost, rows, columns)
    column_price = np.zeros(columns)
    for start in waiting:
        shortest, via = np.full(columns, np.inf), np.full(columns, -1)
        open_: NDArray[np.bool_] = np.ones(columns, dtype=bool)
        row, so_far = start, 0.0
        while True:
            reached = so_far - row_price[row] + matrix[row] - column_price
            nearer = open_ & (reached < shortest)
            shortest[nearer], via[nearer] = reached[nearer], row
            column = int(np.argmin(np.where(open_, shortest, np.inf)))
            so_far = float(shortest[column])
            open_[column] = False
            if row_of[column] < 0:
                break
            row = row_of[column]
        row_price[start] += so_far
        for each in np.flatnonzero(~open_):
            if each != column:
                row_price[row_of[each]] += so_far - shortest[each]
                column_price[each] -= so_far - shortest[each]
        _augment(row_of, via.tolist(), column, start)
    return _by_row(row_of, rows)


def _augment(row_of: list[int], via: list[int], column: int, start: int) -> None:
    """Every row on the path moves to its next column."""
    columns = {row: column for column, row in enumerate(row_of) if row >= 0}
    while True:
        row = via[column]
        row_of[column] = row
        if row == start:
            return
        column = columns[row]


def _by_row(row_of: list[int], rows: int) -> list[int]:
    chosen = [-1] * rows
    for column, row in enumerate(row_of):
        if row >= 0:
            chosen[row] = column
    return chosen
