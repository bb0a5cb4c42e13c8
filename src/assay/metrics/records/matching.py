"""Expected and actual records paired one to one: the best pairs there are, whatever the order on either side.

The cost of a pair is the weighted sum of its scored fields' distances, each from 0 to 1; a key (the action of an event)
counts more than all others together. Where that leaves a choice, the fields that are only reported decide, then the
content of the records, and between equal records their position.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import add
from typing import Any

from msgspec import Struct

from assay.metrics.records.assignment import assign, unique_minima
from assay.metrics.records.comparator import Zone
from assay.metrics.records.scheme import Field, Record, Scheme

_AFTERTHOUGHT = 1e-6
"""The weight of fields that are not scored: they decide only between pairs that are alike otherwise."""

Columns = list[list[Any]]
"""Prepared values: field → record."""


class Failure(Struct, frozen=True):
    """A field outside tolerance."""

    field: str
    detail: str
    scored: bool


class Pair(Struct, frozen=True):
    """An expected and an actual record, by position."""

    expected: int
    actual: int
    matched: bool
    """Every key equal and every scored field within tolerance."""
    verdicts: tuple[bool | None, ...]
    """By field, in the order of the scheme; None: not compared."""
    failures: tuple[Failure, ...] = ()


class Matching(Struct, frozen=True):
    """What became of all records."""

    pairs: tuple[Pair, ...]
    missed: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()


def match(expected: Sequence[Record], actual: Sequence[Record], scheme: Scheme, zone: Zone = None) -> Matching:
    """The best pairs, judged field by field; what found no partner is missed or extra."""
    rows, columns = len(expected), len(actual)
    if not rows or not columns:
        return Matching((), tuple(range(rows)), tuple(range(columns)))
    ready = [[field.prepared(record, zone) for record in expected] for field in scheme.fields]
    given = [[field.prepared(record, zone) for record in actual] for field in scheme.fields]
    cost = _cost(scheme.fields, ready, given, min(rows, columns))
    chosen = unique_minima(cost, rows, columns)
    if chosen is None:
        chosen = _settled(expected, actual, _with_afterthoughts(scheme.fields, ready, given, cost))
    pairs = tuple([_judged(scheme.fields, ready, given, one, other) for one, other in chosen])
    if rows == columns:
        return Matching(pairs)
    with_partner, with_expected = {pair.expected for pair in pairs}, {pair.actual for pair in pairs}
    missed = tuple(number for number in range(rows) if number not in with_partner)
    extra = tuple(number for number in range(columns) if number not in with_expected)
    return Matching(pairs, missed, extra)


def _cost(fields: Sequence[Field], ready: Columns, given: Columns, pairs: int) -> list[float]:
    """Row by row. A key outweighs everything that all pairs together could differ by otherwise."""
    heavy = 1.0 + pairs * sum(field.weight for field in fields if field.scored and not field.key)
    total: list[float] | None = None
    for field, one, other in zip(fields, ready, given, strict=True):
        if not (field.key or field.scored):
            continue
        apart = field.distances(one, other)
        weight = heavy if field.key else field.weight
        if weight != 1.0:
            apart = [weight * value for value in apart] if any(apart) else apart
        total = apart if total is None else list(map(add, total, apart))
    return total if total is not None else [0.0] * (len(ready[0]) * len(given[0]))


def _with_afterthoughts(fields: Sequence[Field], ready: Columns, given: Columns, cost: list[float]) -> list[float]:
    total = cost
    for field, one, other in zip(fields, ready, given, strict=True):
        if not (field.key or field.scored):
            total = [
                so_far + _AFTERTHOUGHT * more for so_far, more in zip(total, field.distances(one, other), strict=True)
            ]
    return total


def _settled(expected: Sequence[Record], actual: Sequence[Record], cost: list[float]) -> list[tuple[int, int]]:
    """The cheapest assignment of the records in the order of their content, so that the order given does not matter."""
    keys, others = [_content(record) for record in expected], [_content(record) for record in actual]
    rows, columns = _order(keys), _order(others)
    width = len(actual)
    sorted_cost = [cost[row * width + column] for row in rows for column in columns]
    found = [(rows[row], columns[column]) for row, column in assign(sorted_cost, len(rows), len(columns))]
    found = _by_position(found, keys)
    turned = _by_position([(column, row) for row, column in found], others)
    return sorted((row, column) for column, row in turned)


def _order(keys: Sequence[str]) -> list[int]:
    return sorted(range(len(keys)), key=lambda number: (keys[number], number))


def _content(record: Record) -> str:
    return json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False, default=str)


def _by_position(pairs: list[tuple[int, int]], keys: Sequence[str]) -> list[tuple[int, int]]:
    """Of equal records the first ones have a partner, and the earlier one has the earlier partner."""
    places: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    partners: dict[str, list[int]] = {}
    for one, other in pairs:
        partners.setdefault(keys[one], []).append(other)
    return [pair for key, found in partners.items() for pair in zip(places[key], sorted(found), strict=False)]


def _judged(fields: Sequence[Field], ready: Columns, given: Columns, one: int, other: int) -> Pair:
    verdicts = tuple(
        [field.holds(mine[one], theirs[other]) for field, mine, theirs in zip(fields, ready, given, strict=True)]
    )
    if False not in verdicts:
        return Pair(one, other, True, verdicts)
    failures = tuple(
        Failure(field.name, field.explain(mine[one], theirs[other]), field.key or field.scored)
        for field, mine, theirs, held in zip(fields, ready, given, verdicts, strict=True)
        if held is False
    )
    return Pair(one, other, not any(failure.scored for failure in failures), verdicts, failures)
