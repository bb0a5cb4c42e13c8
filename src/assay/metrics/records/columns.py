"""The values of one field in all records of both sides, made ready once and handled together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from assay.metrics.records.comparator import Unread, Unreadable, Zone
from assay.metrics.records.scheme import Field, Record, Scheme

_TEXTS = {str}
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
    getters, rows = [record.get for record in (*expected, *actual)], len(expected)
    return [_column(field, [get(name) for get in getters], rows, zone) for name, field in scheme.named]


def _column(field: Field, values: list[Any], rows: int, zone: Zone) -> Column:
    if values.count(None) == len(values):
        return Column(field, values[:rows], values[rows:], False, field.when == "always")
    if _TEXTS.issuperset(map(type, values)) and "" not in values:
        try:
            ready = field.comparator.prepare_texts(values, zone)
            return Column(field, ready[:rows], ready[rows:], True, True)
        except Unreadable:
            pass
    ready = [field.ready(value, zone) for value in values]
    mine = ready[:rows]
    compared = field.when == "always" or mine.count(None) < rows
    return Column(field, mine, ready[rows:], _ODD.isdisjoint(map(type, ready)), compared)


def _at(values: list[Any], places: Places) -> list[Any]:
    return values if places is None else [values[place] for place in places]
