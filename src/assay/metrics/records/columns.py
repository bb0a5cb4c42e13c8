"""The values of one field in all records of both sides, made ready once and handled together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.metrics.records.comparator import Unread, Unreadable, Zone, stacked
from assay.metrics.records.scheme import Field, Record, Scheme

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TEXTS = {str, type(None)}
_ODD = {type(None), Unread}

Places = Sequence[int] | None
"""Numbers of records; None: all of them, in their order."""


class Column(Struct, frozen=True, gc=False):
    """One field."""

    field: Field
    expected: list[Any]
    actual: list[Any]
    plain: bool
    """Every value is there and could be read, so that the comparator needs no care."""
    compared: bool
    """At least one pair is."""

    def distances(self) -> list[float]:
        """Row by row: each expected value against each actual one."""
        if self.plain:
            return self.field.comparator.distances(self.expected, self.actual)
        distance = self.field.distance
        return [distance(one, other) for one in self.expected for other in self.actual]

    def grid(self, samples: int) -> NDArray[np.float64]:
        """Of so many samples of one shape, one after the other: sample × expected × actual."""
        if self.plain:
            return self.field.comparator.grid(self.expected, self.actual, samples)
        return stacked(self.field.distance, self.expected, self.actual, samples)

    def part(self, number: int, rows: int, width: int) -> Column:
        """One of several samples of one shape."""
        mine, theirs = number * rows, number * width
        return Column(
            self.field, self.expected[mine : mine + rows], self.actual[theirs : theirs + width], self.plain, True
        )

    def row(self, number: int) -> list[float]:
        """One expected value against each actual one."""
        return Column(self.field, [self.expected[number]], self.actual, self.plain, True).distances()

    def column(self, number: int) -> list[float]:
        """Each expected value against one actual one."""
        return Column(self.field, self.expected, [self.actual[number]], self.plain, True).distances()

    def apart(self, rows: Places, columns: Places) -> list[float]:
        """The distances of these pairs."""
        mine, theirs = _at(self.expected, rows), _at(self.actual, columns)
        if self.plain:
            return self.field.comparator.apart(mine, theirs)
        return list(map(self.field.distance, mine, theirs))

    def verdicts(self, rows: Places, columns: Places) -> Sequence[bool | None]:
        """Of these pairs; None: not compared."""
        if not self.compared:
            return [None] * len(self.expected if rows is None else rows)
        mine, theirs = _at(self.expected, rows), _at(self.actual, columns)
        if self.plain:
            return self.field.comparator.verdicts(mine, theirs)
        return list(map(self.field.holds, mine, theirs))


def read(scheme: Scheme, expected: Sequence[Record], actual: Sequence[Record], zone: Zone) -> list[Column]:
    """By field, in the order of the scheme."""
    records, rows = (*expected, *actual), len(expected)
    return [_column(field, _values(records, name), rows, zone) for name, field in scheme.named]


def _values(records: Sequence[Record], name: str) -> list[Any]:
    try:
        return [record[name] for record in records]
    except KeyError:
        return [record.get(name) for record in records]


def _column(field: Field, values: list[Any], rows: int, zone: Zone) -> Column:
    if values.count(None) == len(values):
        return Column(field, values[:rows], values[rows:], False, field.when == "always")
    ready = _texts_ready(field, values, zone)
    if ready is None:
        ready = [field.ready(value, zone) for value in values]
    mine = ready[:rows]
    compared = field.when == "always" or mine.count(None) < rows
    return Column(field, mine, ready[rows:], _ODD.isdisjoint(map(type, ready)), compared)


def _texts_ready(field: Field, values: list[Any], zone: Zone) -> list[Any] | None:
    """All at once where they are texts that can be read, or not there; else None."""
    if "" in values or not _TEXTS.issuperset(map(type, values)):
        return None
    try:
        if None not in values:
            return field.comparator.prepare_texts(values, zone)
        texts = iter(field.comparator.prepare_texts([value for value in values if value is not None], zone))
        return [None if value is None else next(texts) for value in values]
    except Unreadable:
        return None


def _at(values: list[Any], places: Places) -> list[Any]:
    return values if places is None else [values[place] for place in places]
