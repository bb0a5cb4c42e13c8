"""Expected and actual records paired one to one: the best pairs there are, whatever the order on either side.

The cost of a pair is the weighted sum of its scored fields' distances, each from 0 to 1; a key (the action of an event)
counts more than all others together. Where that leaves a choice, the fields that are only reported decide, then the
content of the records, and between equal records their position.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import add

from msgspec import Struct

from assay.metrics.records.assignment import assign
from assay.metrics.records.comparator import Zone
from assay.metrics.records.scheme import Field, Ready, Record, Scheme

_AFTERTHOUGHT = 1e-6
"""The weight of fields that are not scored: they decide only between pairs that are alike otherwise."""

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
    failures: tuple[Failure, ...] = ()


class Matching(Struct, frozen=True, gc=False):
    """What became of all records."""

    pairs: tuple[Pair, ...]
    missed: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()


def match(expected: Sequence[Record], actual: Sequence[Record], scheme: Scheme, zone: Zone = None) -> Matching:
    """The best pairs, judged field by field; what found no partner is missed or extra."""
    rows, columns = len(expected), len(actual)
    if not rows or not columns:
        return Matching((), tuple(range(rows)), tuple(range(columns)))
    mine = [scheme.ready(record, zone) for record in expected]
    theirs = [_ready(record, expected, mine, scheme, zone) for record in actual]
    costs = _Costs(scheme.fields, list(zip(*mine, strict=True)), list(zip(*theirs, strict=True)))
    chosen = costs.obvious()
    if chosen is None:
        chosen = _settled(_contents(expected, scheme), _contents(actual, scheme), costs.of_all())
    pairs = tuple([_judged(scheme.fields, mine[one], theirs[other], one, other) for one, other in chosen])
    if rows == columns:
        return Matching(pairs)
    with_partner, with_expected = {pair.expected for pair in pairs}, {pair.actual for pair in pairs}
    missed = tuple(number for number in range(rows) if number not in with_partner)
    extra = tuple(number for number in range(columns) if number not in with_expected)
    return Matching(pairs, missed, extra)


def _ready(record: Record, known: Sequence[Record], ready: Sequence[Ready], scheme: Scheme, zone: Zone) -> Ready:
    """A record that is exactly as one expected is read already. (True is no 1, but only in JSON.)"""
    if len(known) <= _FEW and record in known:
        at = known.index(record)
        if bool not in map(type, known[at].values()) and bool not in map(type, record.values()):
            return ready[at]
    return scheme.ready(record, zone)


class _Costs:
    """What pairs cost, row by row: the quick fields of all pairs at once, the slow ones only where they matter.

    A key outweighs everything that all pairs together could differ by otherwise.
    """

    def __init__(self, fields: Sequence[Field], ready: Sequence[Ready], given: Sequence[Ready]):
        rows, columns = len(ready[0]), len(given[0])
        self.rows, self.columns = rows, columns
        self._slow: list[tuple[Field, float, Ready, Ready]] = []
        self._unscored: list[tuple[Field, float, Ready, Ready]] = []
        quick: list[float] | None = None
        for field, mine, theirs in zip(fields, ready, given, strict=True):
            if mine.count(None) == rows and field.when == "expected":
                continue
            weight = _heavy(fields, min(rows, columns)) if field.key else field.weight
            if not (field.key or field.scored):
                self._unscored.append((field, _AFTERTHOUGHT, mine, theirs))
                continue
            if field.comparator.slow:
                self._slow.append((field, weight, mine, theirs))
                continue
            apart = field.distances(mine, theirs)
            if weight != 1.0:
                apart = [weight * value for value in apart] if any(apart) else apart
            quick = apart if quick is None else list(map(add, quick, apart))
        self._quick = quick if quick is not None else [0.0] * (rows * columns)

    def of_all(self) -> list[float]:
        """Of all pairs. Where some cost the same, the fields that are not scored have their say."""
        total = self._with(self._quick, self._slow)
        return self._with(total, self._unscored) if len(set(total)) < len(total) else total

    @staticmethod
    def _with(total: list[float], more: list[tuple[Field, float, Ready, Ready]]) -> list[float]:
        for field, weight, mine, theirs in more:
            apart = field.distances(mine, theirs)
            total = [so_far + weight * far for so_far, far in zip(total, apart, strict=True)]
        return total

    def of(self, row: int, column: int) -> float:
        """Of one pair: the same number as in `of_all`."""
        total = self._quick[row * self.columns + column]
        for field, weight, mine, theirs in self._slow:
            one, other = mine[row], theirs[column]
            if one is not other:
                total += weight * field.distance(one, other)
        return total

    def obvious(self) -> list[tuple[int, int]] | None:
        """Where each record (of the shorter side) has one best partner and no two have the same, that is the only best
        assignment. None: it takes more than a look. What is dearer than the best already without its slow fields
        need not be looked at: they only add to it."""
        turned, columns = self.rows > self.columns, self.columns
        pairs = []
        for number in range(columns if turned else self.rows):
            line = self._quick[number::columns] if turned else self._quick[number * columns : (number + 1) * columns]
            best = min(line)
            at = line.index(best)
            best = self.of(at, number) if turned else self.of(number, at)
            for other, least in enumerate(line):
                if least <= best and other != at:
                    cost = self.of(other, number) if turned else self.of(number, other)
                    if cost == best:
                        return None
                    if cost < best:
                        best, at = cost, other
            pairs.append((at, number) if turned else (number, at))
        if len({pair[not turned] for pair in pairs}) < len(pairs):
            return None
        return sorted(pairs) if turned else pairs


def _heavy(fields: Sequence[Field], pairs: int) -> float:
    return 1.0 + pairs * sum(field.weight for field in fields if field.scored and not field.key)


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


def _judged(fields: Sequence[Field], mine: Ready, theirs: Ready, one: int, other: int) -> Pair:
    verdicts = tuple([field.holds(a, b) for field, a, b in zip(fields, mine, theirs, strict=True)])
    if False not in verdicts:
        return Pair(one, other, True, verdicts)
    failures = tuple(
        Failure(field.name, field.explain(a, b), field.key or field.scored)
        for field, a, b, held in zip(fields, mine, theirs, verdicts, strict=True)
        if held is False
    )
    return Pair(one, other, not any(failure.scored for failure in failures), verdicts, failures)
