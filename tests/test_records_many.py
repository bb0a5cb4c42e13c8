"""Samples matched together: to the last bit what they are one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.extraction.record_type import load_record_type, parse_record_type
from assay.metrics.records import Counts, Scheme, match
from assay.metrics.records.many import BLOCK, Sides, match_all

EVENT = load_record_type(None)
INVOICE = parse_record_type(
    """
name: invoice
fields:
  kind: {compare: enum, values: [bill, credit], key: true}
  number: {compare: exact, key: true}
  total: {compare: number, relative: 0.01}
  due: {compare: date, when: always}
  supplier: {compare: ratio, at_least: 85, weight: 2}
  tags: {compare: overlap, scored: false}
  lines: {compare: records, fields: {item: {compare: text}, price: {compare: number}}}
""",
    "invoice.yaml",
).scheme


def same(samples: Sequence[Sides], scheme: Scheme, zone: tzinfo | None = None) -> None:
    """Pairs, what is left over, and every word of explanation."""
    found = list(match_all(samples, scheme, zone))
    assert len(found) == len(samples)
    for (expected, actual), together in zip(samples, found, strict=True):
        alone = match(expected, actual, scheme, zone)
        assert (together.pairs, together.missed, together.extra) == (alone.pairs, alone.missed, alone.extra)
        assert list(map(together.failures, together.pairs)) == list(map(alone.failures, alone.pairs))
        assert Counts.of(together) == Counts.of(alone)


MAYBE = st.sampled_from
EVENTS = st.fixed_dictionaries(
    {
        "action": MAYBE(["create", "create", "Update", "delete", None, 3]),
        "title": MAYBE(["Lunch", "Lunch Ana", "ana LUNCH", "Call", "Café", "", "--"]),
        "start_time": MAYBE(["2026-03-29T01:30", "2026-03-29T12:00+01:00", "2026-03-29", "2026-03-30T09:00", "when?"]),
    },
    optional={
        "end_time": MAYBE(["2026-03-29T13:00", "2026-03-29T14:00Z", None]),
        "location": MAYBE(["Room 1", "room 1", "Harbour"]),
        "attendees": st.lists(MAYBE(["Ana", "Ana Ruiz", "Bo"]), max_size=2),
    },
)
INVOICES = st.fixed_dictionaries(
    {
        "kind": MAYBE(["bill", "Bill", "credit", "letter"]),
        "number": MAYBE([1, 2, True, "1"]),
        "total": MAYBE([100, 100.5, "99.2", None]),
    },
    optional={
        "due": MAYBE(["2026-01-31", "2026-02-01T00:30+02:00", "soon"]),
        "supplier": MAYBE(["Harbour Ltd", "harbour", "Quay & Sons"]),
        "tags": st.lists(MAYBE(["new", "old"]), max_size=2),
        "lines": st.lists(st.fixed_dictionaries({"item": MAYBE(["rope", "Rope", "oar"]), "price": MAYBE([1, 2])})),
    },
)


def samples_of(records: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[Sides]]:
    """A few shapes, so that samples of the same one meet."""
    sides = [
        st.tuples(st.lists(records, min_size=r, max_size=r), st.lists(records, min_size=c, max_size=c))
        for r, c in ((1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (0, 2), (1, 0))
    ]
    return st.lists(st.sampled_from(sides).flatmap(lambda each: each), min_size=5, max_size=24)


@settings(max_examples=120, deadline=None)
@given(samples_of(EVENTS), st.sampled_from(["strict", "moderate", "relaxed"]), st.booleans())
def test_events_together_are_as_one_by_one(samples: list[Sides], level: str, zoned: bool) -> None:
    same(samples, EVENT.level(level), ZoneInfo("Europe/Paris") if zoned else None)


@settings(max_examples=80, deadline=None)
@given(samples_of(INVOICES))
def test_any_record_type_together_is_as_one_by_one(samples: list[Sides]) -> None:
    same(samples, INVOICE, UTC)


@pytest.mark.parametrize("size", [2, 5, 9])
def test_samples_with_many_rivals(size: int) -> None:
    """Few titles and few times: records want the same partner, and often two are as good."""
    draw = random.Random(size)

    def some(number: int) -> list[dict[str, Any]]:
        return [
            {
                "action": draw.choice(["create", "create", "delete"]),
                "title": " ".join(draw.sample(["lunch", "call", "ana", "review", "team"], 2)),
                "start_time": datetime(2026, 3, 2, draw.randrange(8, 18), tzinfo=UTC).isoformat(),
                "location": draw.choice(["Room 1", "online"]),
            }
            for _ in range(number)
        ]

    samples: list[Sides] = [(some(size), some(size + number % 2)) for number in range(120)]
    same(samples, EVENT.scheme, UTC)


def test_a_scheme_without_quick_fields_and_one_without_slow_ones() -> None:
    records = [{"a": "x y", "n": 1}, {"a": "x", "n": 2}, {"a": "y", "n": 3}]
    draw = random.Random(1)
    samples: list[Sides] = [(draw.sample(records, 3), draw.sample(records, 3)) for _ in range(10)]
    for field in ("a: {compare: ratio}", "n: {compare: number}", "n: {compare: exact, scored: false}"):
        same(samples, parse_record_type(f"name: x\nfields:\n  {field}\n", "x.yaml").scheme)


def test_a_big_sample_among_small_ones() -> None:
    big = [{"action": "create", "title": f"talk {n}", "start_time": "2026-03-02T09:00"} for n in range(30)]
    same([(big[:1], big[:1])] * 5 + [(big, big[::-1])] * 5, EVENT.scheme)


def test_samples_are_taken_as_they_are_needed() -> None:
    taken = 0

    def endless() -> Iterator[Sides]:
        nonlocal taken
        while True:
            taken += 1
            yield [{"title": "a"}], [{"title": "a"}]

    first = next(match_all(endless(), EVENT.scheme))
    assert first.pairs[0].matched
    assert taken == BLOCK
