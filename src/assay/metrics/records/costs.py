"""What pairs of records cost, and the cheapest pairs where they are beyond doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import add

from assay.metrics.records.columns import Column
from assay.metrics.records.scheme import Scheme

_AFTERTHOUGHT = 1e-6
"""The weight of fields that are not scored: they decide only between pairs that are alike otherwise."""
_NOISE = 1e-9
"""Costs nearer than this are the same."""
_SMALL = 24
_FREE = -1
"""In place of a row: the column is nobody's."""

Part = tuple[Column, float]
"""A field and its weight."""


class Costs:
    """Row by row: the keys and one quick field of all pairs at once, the others only where they matter.

    A key outweighs everything that all pairs together could differ by otherwise.
    """

    def __init__(self, scheme: Scheme, columns: Sequence[Column]):
        self.rows, self.columns = len(columns[0].expected), len(columns[0].actual)
        self._slow: list[Part] = []
        self._unscored: list[Part] = []
        quick: list[float] | None = None
        keys: list[float] | None = None
        for column in columns:
            field = column.field
            if not column.compared:
                continue
            if not (field.key or field.scored):
                self._unscored.append((column, _AFTERTHOUGHT))
            elif field.key:
                weight = 1.0 + min(self.rows, self.columns) * scheme.total_weight
                keys = _sum(keys, column.distances(), weight)
            elif quick is not None or field.comparator.slow:
                self._slow.append((column, field.weight))
            else:
                quick = _sum(None, column.distances(), field.weight)
        self.quick = quick if quick is not None else [0.0] * (self.rows * self.columns)
        if keys is not None:
            self.quick = list(map(add, self.quick, keys))

    def scored(self) -> list[float]:
        """Of all pairs, by their scored fields."""
        return self._with(self.quick, self._slow)

    def of_all(self) -> list[float]:
        """Of all pairs, the fields that are not scored included, so that they decide where the others do not."""
        return self._with(self.scored(), self._unscored)

    @staticmethod
    def _with(total: list[float], more: list[Part]) -> list[float]:
        for column, weight in more:
            total = _sum(total, column.distances(), weight) or total
        return total

    def of(self, rows: Sequence[int], columns: Sequence[int]) -> list[float]:
        """Of these pairs, by their scored fields."""
        width, quick = self.columns, self.quick
        total = [quick[row * width + column] for row, column in zip(rows, columns, strict=True)]
        for part, weight in self._slow:
            total = _sum(total, part.apart(rows, columns), weight) or total
        return total


def _sum(total: list[float] | None, apart: list[float], weight: float) -> list[float] | None:
    """With these distances added."""
    if weight != 1.0:
        if not any(apart):
            return total
        apart = [weight * far for far in apart]
    return apart if total is None else list(map(add, total, apart))


def best_pairs(costs: Costs) -> list[tuple[int, int]] | None:
    """The cheapest assignment if there is but one; None where it takes more to tell."""
    rows, columns = costs.rows, costs.columns
    if max(rows, columns) > _SMALL:
        return None
    if rows > columns:
        cost = costs.scored()
        turned = [value for column in range(columns) for value in cost[column::columns]]
        found = _Paths(turned, columns, rows).solved()
        return None if found is None else sorted((row, column) for column, row in found)
    return _at_first_sight(costs) or _Paths(costs.scored(), costs.rows, costs.columns).solved()


def _at_first_sight(costs: Costs) -> list[tuple[int, int]] | None:
    """Where each row has one cheapest column and no two have the same, that is the only best assignment."""
    rows, width = range(costs.rows), costs.columns
    lines = [costs.quick[start : start + width] for start in range(0, costs.rows * width, width)]
    least = list(map(min, lines))
    choices = list(map(list.index, lines, least))
    for row, best in enumerate(costs.of(rows, choices)):
        if best != least[row] or lines[row].count(best) > 1:
            choices[row] = _cheapest(costs, row, choices[row], best)
            if choices[row] < 0:
                return None
    return list(enumerate(choices)) if len(set(choices)) == costs.rows else None


def _cheapest(costs: Costs, row: int, at: int, best: float) -> int:
    """The cheapest column of the row; -1 if several cost the same. So far it is `at`.

    What is dearer than the best already without its slow fields need not be looked at: they only add to it.
    """
    start = row * costs.columns
    line = costs.quick[start : start + costs.columns]
    others = [column for column, so_far in enumerate(line) if so_far <= best and column != at]
    tie = False
    for column, cost in zip(others, costs.of([row] * len(others), others), strict=True):
        if cost < best:
            best, at, tie = cost, column, False
        elif cost == best:
            tie = True
    return -1 if tie else at


class _Paths:
    """Shortest augmenting paths, as in `assignment`, and whether the result is the only best one."""

    def __init__(self, cost: list[float], rows: int, columns: int):
        self._rows, self._columns = rows, columns
        self._lines = [cost[row * columns : (row + 1) * columns] for row in range(rows)]
        self._row_price = [min(line) for line in self._lines]
        self._column_price = [0.0] * columns
        self._row_of = [_FREE] * columns

    def solved(self) -> list[tuple[int, int]] | None:
        """None: another assignment costs the same."""
        waiting = []
        for row, line in enumerate(self._lines):
            column = line.index(self._row_price[row])
            if self._row_of[column] == _FREE:
                self._row_of[column] = row
            else:
                waiting.append(row)
        for row in waiting:
            self._add(row)
        if self._ambiguous():
            return None
        return sorted((row, column) for column, row in enumerate(self._row_of) if row != _FREE)

    def _add(self, start: int) -> None:
        """One more row has a column, at the least cost for all so far."""
        row_of, prices, columns = self._row_of, self._column_price, range(self._columns)
        shortest, via, open_ = [math.inf] * self._columns, [_FREE] * self._columns, list(columns)
        row, so_far = start, 0.0
        while True:
            price, line = so_far - self._row_price[row], self._lines[row]
            for column in open_:
                reached = price + line[column] - prices[column]
                if reached < shortest[column]:
                    shortest[column], via[column] = reached, row
            nearest = min(open_, key=shortest.__getitem__)
            open_.remove(nearest)
            so_far = shortest[nearest]
            if row_of[nearest] == _FREE:
                break
            row = row_of[nearest]
        self._row_price[start] += so_far
        for column in columns:
            if column not in open_ and column != nearest:
                self._row_price[row_of[column]] += so_far - shortest[column]
                prices[column] -= so_far - shortest[column]
        self._move(via, nearest, start)

    def _move(self, via: list[int], column: int, start: int) -> None:
        """Every row on the path to its next column."""
        while True:
            row = via[column]
            held = self._row_of.index(row) if row != start else -1
            self._row_of[column] = row
            if row == start:
                return
            column = held

    def _ambiguous(self) -> bool:
        """Whether rows could change columns in a circle, or by way of a free column, at no cost."""
        row_of, prices = self._row_of, self._column_price
        steps: dict[int, set[int]] = {}
        for row, line in enumerate(self._lines):
            price = self._row_price[row] + _NOISE
            others = {
                row_of[column]
                for column, cost in enumerate(line)
                if cost - prices[column] <= price and row_of[column] != row
            }
            if others:
                steps[row] = others
        if not steps:
            return False
        if _FREE in row_of:
            steps[_FREE] = {row for row, price in zip(row_of, prices, strict=True) if price >= -_NOISE} - {_FREE}
        while ends := [row for row, others in steps.items() if not others & steps.keys()]:
            for row in ends:
                del steps[row]
        return bool(steps)
