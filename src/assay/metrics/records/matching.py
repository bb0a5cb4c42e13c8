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
from assay.metrics.records.comparator import Zone
from assay.metrics.records.costs import Costs, best_pairs
from assay.metrics.records.scheme import Misread, Ready, Record, Scheme

_PLAIN = {type(None), str, int, float, bool}
_FEW = 20
"""Among more records it is not worth while to look for an equal one."""


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
    ready: tuple[list[Ready], list[Ready]] = ([], [])

    def failures(self, pair: Pair) -> tuple[Failure, ...]:
        """Which fields of the pair are outside tolerance, and by how much; put into words when asked for."""
        mine, theirs = self.ready[0][pair.expected], self.ready[1][pair.actual]
        return tuple(
            Failure(field.name, field.explain(one, other), field.key or field.scored)
            for field, one, other, held in zip(self.scheme.fields, mine, theirs, pair.verdicts, strict=True)
            if held is False
        )


def match(expected: Sequence[Record], actual: Sequence[Record], scheme: Scheme, zone: Zone = None) -> Matching:
    """The best pairs, judged field by field; what found no partner is missed or extra."""
    rows, columns = len(expected), len(actual)
    if not rows or not columns:
        return Matching((), tuple(range(rows)), tuple(range(columns)))
    mine = [scheme.ready(record, zone) for record in expected]
    if scheme.typed or rows > _FEW or Misread in map(type, mine):
        theirs = [scheme.ready(record, zone) for record in actual]
    else:  # a record that is exactly as one expected is read already
        theirs = [
            mine[expected.index(record)] if record in expected else scheme.ready(record, zone) for record in actual
        ]
    costs = Costs(scheme, list(zip(*mine, strict=True)), list(zip(*theirs, strict=True)))
    chosen = best_pairs(costs)
    if chosen is None:
        chosen = _settled(_contents(expected, scheme), _contents(actual, scheme), costs.of_all())
    pairs = tuple([_judged(scheme, mine[one], theirs[other], one, other) for one, other in chosen])
    if rows == columns:
        return Matching(pairs, (), (), scheme, (mine, theirs))
    with_partner, with_expected = {pair.expected for pair in pairs}, {pair.actual for pair in pairs}
    missed = tuple(number for number in range(rows) if number not in with_partner)
    extra = tuple(number for number in range(columns) if number not in with_expected)
    return Matching(pairs, missed, extra, scheme, (mine, theirs))


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


def _judged(scheme: Scheme, mine: Ready, theirs: Ready, one: int, other: int) -> Pair:
    if mine is theirs and scheme.lenient:
        return Pair(one, other, True, tuple([None if value is None else True for value in mine]))
    verdicts = tuple([field.holds(a, b) for field, a, b in zip(scheme.fields, mine, theirs, strict=True)])
    if False not in verdicts:
        return Pair(one, other, True, verdicts)
    wrong = any(held is False and must for held, must in zip(verdicts, scheme.required, strict=True))
    return Pair(one, other, not wrong, verdicts)
