"""What pairs of records cost, and the cheapest pairs where they are beyond doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import add

from assay.metrics.records.scheme import Field, Ready, Scheme

_AFTERTHOUGHT = 1e-6
"""The weight of fields that are not scored: they decide only between pairs that are alike otherwise."""
_NOISE = 1e-9
"""Costs nearer than this are the same."""
_SMALL = 24
_FREE = -1
"""In place of a row: the column is nobody's."""

Part = tuple[Field, float, Ready, Ready]
"""A field, its weight, and its values on both sides."""


class Costs:
    """Row by row: the quick fields of all pairs at once, the slow ones only where they matter.

    A key outweighs everything that all pairs together could differ by otherwise.
    """

    def __init__(self, scheme: Scheme, ready: Sequence[Ready], given: Sequence[Ready]):
        self.rows, self.columns = len(ready[0]), len(given[0])
        self._slow: list[Part] = []
        self._unscored: list[Part] = []
        quick: list[float] | None = None
        for field, mine, theirs in zip(scheme.fields, ready, given, strict=True):
            if field.when == "expected" and mine.count(None) == self.rows:
                continue
            if not (field.key or field.scored):
                self._unscored.append((field, _AFTERTHOUGHT, mine, theirs))
                continue
            weight = 1.0 + min(self.rows, self.columns) * scheme.total_weight if field.key else field.weight
            if field.comparator.slow:
                self._slow.append((field, weight, mine, theirs))
                continue
            apart = field.distances(mine, theirs)
            if weight != 1.0:
                if not any(apart):
                    continue
                apart = [weight * value for value in apart]
            quick = apart if quick is None else list(map(add, quick, apart))
        self.quick = quick if quick is not None else [0.0] * (self.rows * self.columns)

    def of_all(self) -> list[float]:
        """Of all pairs, the fields that are not scored included, so that they decide where the others do not."""
        return self._with(self._with(self.quick, self._slow), self._unscored)

    @staticmethod
    def _with(total: list[float], more: list[Part]) -> list[float]:
        for field, weight, mine, theirs in more:
            apart = field.distances(mine, theirs)
            total = [so_far + weight * far for so_far, far in zip(total, apart, strict=True)]
        return total

    def of(self, row: int, column: int) -> float:
        """Of one pair, by its scored fields."""
        total = self.quick[row * self.columns + column]
        for field, weight, mine, theirs in self._slow:
            one, other = mine[row], theirs[column]
            if one is not other:
                total += weight * field.distance(one, other)
        return total


def best_pairs(costs: Costs) -> list[tuple[int, int]] | None:
    """The cheapest assignment if there is but one; None where it takes more to tell.

    What is dearer than the best already without its slow fields need not be looked at: they only add to it.
    """
    if costs.rows > costs.columns or costs.columns > _SMALL:
        return None
    prices, choices = [], []
    for row in range(costs.rows):
        best, at = _cheapest(costs, row)
        prices.append(best)
        choices.append(at)
    if -1 not in choices and len(set(choices)) == len(choices):
        return list(enumerate(choices))
    return _reassigned(costs, prices, choices)


def _cheapest(costs: Costs, row: int) -> tuple[float, int]:
    """The least cost in the row and its column; -1 if several cost the same."""
    start = row * costs.columns
    line = costs.quick[start : start + costs.columns]
    least = min(line)
    at = line.index(least)
    best = costs.of(row, at)
    if best == least and line.count(least) == 1:
        return best, at
    tie = False
    for column, so_far in enumerate(line):
        if so_far <= best and column != at:
            cost = costs.of(row, column)
            if cost < best:
                best, at, tie = cost, column, False
            elif cost == best:
                tie = True
    return best, -1 if tie else at


def _reassigned(costs: Costs, prices: list[float], choices: list[int]) -> list[tuple[int, int]] | None:
    """Rows that want the same column, sorted out along shortest paths as in `assignment`, with costs worked out on
    demand. None if the result may not be the only best one."""
    columns = costs.columns
    row_of, waiting = [-1] * columns, []
    for row, column in enumerate(choices):
        if column >= 0 and row_of[column] < 0:
            row_of[column] = row
        else:
            waiting.append(row)
    paths = _Paths(costs, prices, row_of)
    for row in waiting:
        paths.add(row)
    return None if paths.ambiguous() else sorted((row, column) for column, row in enumerate(row_of) if row >= 0)


class _Paths:
    """Shortest augmenting paths over costs that are worked out when a row is first walked through."""

    def __init__(self, costs: Costs, prices: list[float], row_of: list[int]):
        self._costs, self._row_price, self._row_of = costs, prices, row_of
        self._column_price = [0.0] * costs.columns
        self._lines: dict[int, list[float]] = {}

    def _line(self, row: int) -> list[float]:
        if row not in self._lines:
            self._lines[row] = [self._costs.of(row, column) for column in range(self._costs.columns)]
        return self._lines[row]

    def add(self, start: int) -> None:
        """One more row has a column, at the least cost for all so far."""
        columns, row_of = self._costs.columns, self._row_of
        shortest, via, done = [math.inf] * columns, [-1] * columns, [False] * columns
        row, so_far = start, 0.0
        while True:
            price, nearest = so_far - self._row_price[row], -1
            for column, cost in enumerate(self._line(row)):
                if done[column]:
                    continue
                reached = price + cost - self._column_price[column]
                if reached < shortest[column]:
                    shortest[column], via[column] = reached, row
                if nearest < 0 or shortest[column] < shortest[nearest]:
                    nearest = column
            so_far, done[nearest] = shortest[nearest], True
            if row_of[nearest] < 0:
                break
            row = row_of[nearest]
        self._row_price[start] += so_far
        for column in range(columns):
            if done[column] and column != nearest:
                self._row_price[row_of[column]] += so_far - shortest[column]
                self._column_price[column] -= so_far - shortest[column]
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

    def ambiguous(self) -> bool:
        """Whether rows could change columns in a circle (or by way of a free column) at no cost."""
        steps: dict[int, set[int]] = {row: set() for row in range(self._costs.rows)}
        steps[_FREE] = {row for row, price in zip(self._row_of, self._column_price, strict=True) if price >= -_NOISE}
        steps[_FREE].discard(_FREE)
        for row in range(self._costs.rows):
            steps[row] = {self._row_of[column] for column in self._free_of_charge(row)}
        while ends := [row for row, others in steps.items() if not others & steps.keys()]:
            for row in ends:
                del steps[row]
        return bool(steps)

    def _free_of_charge(self, row: int) -> list[int]:
        """Columns the row might as well have."""
        columns, price = self._costs.columns, self._row_price[row] + _NOISE
        line = self._costs.quick[row * columns : (row + 1) * columns]
        return [
            column
            for column, least in enumerate(line)
            if least <= price + self._column_price[column]
            and self._row_of[column] != row
            and self._line(row)[column] <= price + self._column_price[column]
        ]
