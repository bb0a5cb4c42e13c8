"""The cheapest pairs of a few records where they are beyond doubt.

Slow fields are compared only where they can matter: they only add to what a pair costs without them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.metrics.records.costs import Costs, Part, added

_NOISE = 1e-9
"""Costs nearer than this are the same."""
SMALL = 24
"""Records on a side; of more, `assignment` is the quicker."""
_FREE = -1
"""In place of a row: the column is nobody's."""


def best_pairs(costs: Costs) -> list[tuple[int, int]] | None:
    """The cheapest assignment if there is but one; None where it takes more to tell."""
    if max(costs.rows, costs.columns) > SMALL:
        return None
    lines = Lines.of(costs)
    choices, prices, clear = lines.cheapest()
    # where each row has one cheapest column and no two have the same, that is the only best assignment
    if clear and not lines.turned and len(set(choices)) == len(choices):
        found: list[tuple[int, int]] | None = list(enumerate(choices))
    else:
        found = solved(lines, choices, prices)
    if found is None or not lines.turned:
        return found
    return sorted((row, column) for column, row in found)


def solved(lines: Lines, choices: list[int], prices: list[float]) -> list[tuple[int, int]] | None:
    """The cheapest assignment, from what each row would choose; None: another one costs the same."""
    return _Paths(lines, choices, prices).solved()


class Lines:
    """What each record of the shorter side costs with each of the longer one; they are the rows here."""

    def __init__(self, least: list[list[float]], slow: Sequence[Part], *, turned: bool = False) -> None:
        self.least, self._slow, self.turned = least, slow, turned
        """Costs without the slow fields."""
        self.width = len(least[0])
        self._whole: dict[int, list[float]] = {}

    @classmethod
    def of(cls, costs: Costs) -> Lines:
        quick, rows, columns = costs.quick, costs.rows, costs.columns
        if rows > columns:
            return cls([quick[start::columns] for start in range(columns)], costs.slow, turned=True)
        return cls([quick[start : start + columns] for start in range(0, rows * columns, columns)], costs.slow)

    def _with(self, columns: list[int], total: list[float]) -> list[float]:
        """The slow fields of each row with one of the columns added."""
        for part, weight in self._slow:
            total = added(total, part.apart(columns, None) if self.turned else part.apart(None, columns), weight)
        return total

    def whole(self, row: int) -> list[float]:
        found = self._whole.get(row)
        if found is None:
            found = self.least[row]
            for part, weight in self._slow:
                found = added(found, part.column(row) if self.turned else part.row(row), weight)
            self._whole[row] = found
        return found

    def cheapest(self) -> tuple[list[int], list[float], bool]:
        """A cheapest column of each row, what it costs, and whether no row has two of them."""
        least = list(map(min, self.least))
        choices, clear = list(map(list.index, self.least, least)), True
        prices = self._with(choices, least)
        for row, price in enumerate(prices):
            if price == least[row] and self.least[row].count(price) == 1:
                continue
            if sum([so_far <= price for so_far in self.least[row]]) > 1:
                costs = self.whole(row)
                prices[row] = best = min(costs)
                choices[row] = costs.index(best)
                clear = clear and costs.count(best) == 1
        return choices, prices, clear


class _Paths:
    """Shortest augmenting paths, as in `assignment`, and whether the result is the only best one."""

    def __init__(self, lines: Lines, choices: list[int], prices: list[float]) -> None:
        self._lines, self._choices, self._row_price = lines, choices, prices
        self._column_price = [0.0] * lines.width
        self._row_of = [_FREE] * lines.width

    def solved(self) -> list[tuple[int, int]] | None:
        """None: another assignment costs the same."""
        waiting = []
        for row, column in enumerate(self._choices):
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
        row_of, prices, columns = self._row_of, self._column_price, range(self._lines.width)
        shortest, via, open_ = [math.inf] * len(columns), [_FREE] * len(columns), list(columns)
        row, so_far = start, 0.0
        while True:
            price, line = so_far - self._row_price[row], self._lines.least[row]
            nearer = [column for column in open_ if price + line[column] - prices[column] < shortest[column]]
            if nearer:
                line = self._lines.whole(row)
            for column in nearer:
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
        steps = {row: others for row in range(len(self._choices)) if (others := self._rivals(row))}
        if not steps:
            return False
        if _FREE in row_of:
            steps[_FREE] = {row for row, price in zip(row_of, prices, strict=True) if price >= -_NOISE} - {_FREE}
        while ends := [row for row, others in steps.items() if not others & steps.keys()]:
            for row in ends:
                del steps[row]
        return bool(steps)

    def _rivals(self, row: int) -> set[int]:
        """Whose columns are as good for the row as its own."""
        row_of, prices, limit = self._row_of, self._column_price, self._row_price[row] + _NOISE
        near = [
            column
            for column, least in enumerate(self._lines.least[row])
            if least - prices[column] <= limit and row_of[column] != row
        ]
        if not near:
            return set()
        line = self._lines.whole(row)
        return {row_of[column] for column in near if line[column] - prices[column] <= limit}
