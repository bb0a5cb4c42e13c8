"""Expected and actual records paired one to one: the best pairs there are, whatever the order on either side.

The cost of a pair is the weighted sum of its scored fields' distances, each from 0 to 1; a key (the action of an event)
counts more than all others together. Where that leaves a choice, the fields that are only reported decide, then the
content of the records, and between equal records their position.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from msgspec import Struct

from assay.metrics.records.assignment import assign
from assay.metrics.records.columns import Column, Places, read
from assay.metrics.records.comparator import Zone
from assay.metrics.records.costs import Costs
from assay.metrics.records.scheme import Record, Scheme
from assay.metrics.records.unique import best_pairs

_PLAIN = {type(None), str, int, float, bool}


class Failure(Struct, frozen=True, gc=False):
    """A field outside tolerance."""

    field: str
    detail: str
    scored: bool


class Pair(Struct, frozen=True, gc=False):
    """An expected and an actual record, by position."""

    expected: int
    actual: int
    matched: bool
    """Every key equal and every scored field within tolerance."""
    verdicts: tuple[bool | None, ...]
    """By field, in the order of the scheme; None: not compared."""


class Matching(Struct, frozen=True, gc=False):
    """What became of all records."""

    pairs: tuple[Pair, ...]
    missed: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    scheme: Scheme = Scheme(())
    columns: Sequence[Column] = ()
    """Of these records, and maybe of other samples' too."""
    start: tuple[int, int] = (0, 0)
    """Where in the columns the expected and the actual records begin."""

    def failures(self, pair: Pair) -> tuple[Failure, ...]:
        """Which fields of the pair are outside tolerance, and by how much; put into words when asked for."""
        ours, theirs = self.start[0] + pair.expected, self.start[1] + pair.actual
        return tuple(
            Failure(
                column.field.name,
                column.field.explain(column.expected[ours], column.actual[theirs]),
                column.field.key or column.field.scored,
            )
            for column, held in zip(self.columns, pair.verdicts, strict=True)
            if held is False
        )


def match(expected: Sequence[Record], actual: Sequence[Record], scheme: Scheme, zone: Zone = None) -> Matching:
    """The best pairs, judged field by field; what found no partner is missed or extra."""
    rows, width = len(expected), len(actual)
    if not rows or not width:
        return Matching((), tuple(range(rows)), tuple(range(width)))
    columns = read(scheme, expected, actual, zone)
    costs = Costs(scheme, columns)
    chosen = best_pairs(costs)
    if chosen is None:
        chosen = _settled(_contents(expected, scheme), _contents(actual, scheme), costs.of_all())
    ours, theirs = zip(*chosen, strict=True)
    pairs = judged(columns, ours, theirs, (None if len(ours) == rows else ours, theirs))
    if rows == width:
        return Matching(pairs, (), (), scheme, columns)
    missed, extra = set(range(rows)).difference(ours), set(range(width)).difference(theirs)
    return Matching(pairs, tuple(sorted(missed)), tuple(sorted(extra)), scheme, columns)


def _settled(expected: Sequence[str], actual: Sequence[str], cost: list[float]) -> list[tuple[int, int]]:
    """The cheapest assignment of the records in the order of their content, so that the order given does not matter."""
    rows, columns = _order(expected), _order(actual)
    width = len(actual)
    sorted_cost = [cost[row * width + column] for row in rows for column in columns]
    found = [(rows[row], columns[column]) for row, column in assign(sorted_cost, len(rows), len(columns))]
    if len(set(expected)) == len(expected) and len(set(actual)) == len(actual):
        return sorted(found)
    found = _by_position(found, expected)
    turned = _by_position([(column, row) for row, column in found], actual)
    return sorted((row, column) for column, row in turned)


def _order(keys: Sequence[str]) -> list[int]:
    return sorted(range(len(keys)), key=keys.__getitem__)


def _contents(records: Sequence[Record], scheme: Scheme) -> list[str]:
    """What the scheme looks at of each record, as text; records that are equal in it are equal."""
    names = scheme.names
    values = [tuple([record.get(name) for name in names]) for record in records]
    if all(_PLAIN.issuperset(map(type, line)) for line in values):
        return list(map(repr, values))
    return [json.dumps(line, sort_keys=True, ensure_ascii=False, allow_nan=False, default=str) for line in values]


def _by_position(pairs: list[tuple[int, int]], keys: Sequence[str]) -> list[tuple[int, int]]:
    """Of equal records the first ones have a partner, and the earlier one has the earlier partner."""
    places: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    partners: dict[str, list[int]] = {}
    for one, other in pairs:
        partners.setdefault(keys[one], []).append(other)
    return [pair for key, found in partners.items() for pair in zip(places[key], sorted(found), strict=False)]


def judged(
    columns: Sequence[Column], ours: Sequence[int], theirs: Sequence[int], places: tuple[Places, Places]
) -> tuple[Pair, ...]:
    """All chosen pairs, field by field; `places` is where in the columns they are."""
    verdicts = [column.verdicts(*places) for column in columns]
    right = [True] * len(ours)
    for column, held in zip(columns, verdicts, strict=True):
        if False in held and (column.field.key or column.field.scored):
            right = [so_far and each is not False for so_far, each in zip(right, held, strict=True)]
    return tuple(map(Pair, ours, theirs, right, zip(*verdicts, strict=True)))
