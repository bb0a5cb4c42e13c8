"""What pairs of records cost."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

from assay.metrics.records.columns import Column
from assay.metrics.records.scheme import Scheme

_AFTERTHOUGHT = 1e-6
"""The weight of fields that are not scored: they decide only between pairs that are alike otherwise."""

Part = tuple[Column, float]
"""A field and its weight."""


class Costs:
    """Row by row: the keys and the quick fields of all pairs at once, the slow ones only where they matter."""

    def __init__(self, scheme: Scheme, columns: Sequence[Column]) -> None:
        self.rows, self.columns = len(columns[0].expected), len(columns[0].actual)
        self.slow: list[Part] = []
        self._later: list[Part] = []
        self._unscored: list[Part] = []
        self._keys: list[float] | None = None
        first: list[float] | None = None
        quick: list[float] | None = None
        for column in columns:
            field = column.field
            if not column.compared:
                continue
            if field.key:
                apart = column.distances()
                if any(apart):
                    self._keys = added(self._keys, apart, key_weight(scheme, self.rows, self.columns))
            elif not field.scored:
                self._unscored.append((column, _AFTERTHOUGHT))
            else:
                if field.comparator.slow:
                    self.slow.append((column, field.weight))
                else:
                    quick = added(quick, column.distances(), field.weight)
                    if first is None:
                        first = quick
                        continue
                self._later.append((column, field.weight))
        self._first = first or [0.0] * (self.rows * self.columns)
        self.quick = added(self._keys, quick or self._first, 1.0)

    def of_all(self) -> list[float]:
        """Of all pairs, the fields that are not scored included, so that they decide where the others do not."""
        total = added(self._keys, self._first, 1.0)
        for column, weight in (*self._later, *self._unscored):
            total = added(total, column.distances(), weight)
        return total


def key_weight(scheme: Scheme, rows: int, columns: int) -> float:
    """A key outweighs everything that all pairs together could differ by otherwise."""
    return 1.0 + min(rows, columns) * scheme.total_weight


def added(total: list[float] | None, apart: list[float], weight: float) -> list[float]:
    """With these distances added."""
    if weight != 1.0:
        if not any(apart):
            return total or apart
        apart = [weight * far for far in apart]
    return apart if total is None else list(map(add, total, apart))
