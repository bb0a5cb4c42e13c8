"""Comparators: distance, tolerance and words, field by field."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.records import COMPARATORS, Field, Scheme, Unreadable
from assay.metrics.records.comparator import Unread, Zone

PARIS = ZoneInfo("Europe/Paris")
NEEDED = "at least 0.4 needed"
PLUS_ONE = timezone(timedelta(hours=1))


def held(kind: str, expected: Any, actual: Any, zone: Zone = None, **options: Any) -> tuple[bool, str]:
    field = Field(name="x", comparator=COMPARATORS.get(kind)(**options))
    one, other = field.ready(expected, zone), field.ready(actual, zone)
    result = field.holds(one, other)
    assert result is not None
    assert 0.0 <= field.distance(one, other) <= 1.0
    return result, "" if result else field.explain(one, other)


@pytest.mark.parametrize(
    ("kind", "options", "expected", "actual", "right", "told"),
    [
        ("exact", {}, "A1", "A1", True, ""),
        ("exact", {}, "A1", "a1", False, "not equal"),
        ("exact", {}, 1, 1.0, True, ""),
        ("exact", {}, True, 1, False, "not equal"),
        ("exact", {}, {"a": [1]}, {"a": [True]}, False, "not equal"),
        ("exact", {}, {"a": [1, "x"]}, {"a": [1.0, "x"]}, True, ""),
        ("exact", {}, "A1", None, False, "missing"),
        ("enum", {"values": ["create", "delete"]}, "create", " CREATE ", True, ""),
        ("enum", {"values": ["create", "delete"]}, "create", "make", False, "'make' is none of create, delete"),
        ("enum", {}, "create", 7, False, "7 is no text"),
        ("text", {}, "Lunch", "  lunch ", True, ""),
        ("text", {}, "Lunch", "Lunch!", False, "not the same text (ratio 91)"),
        ("text", {}, "Caf\u00e9", "Cafe\u0301", True, ""),
        ("text", {}, "STRASSE", "straße", True, ""),
        ("ratio", {"at_least": 80}, "Lunch with Ana", "ana, lunch WITH", True, ""),
        # {a, b} against {a, c}: the words in common are "a"; best of ("a", "a b"), ("a", "a c"), ("a b", "a c")
        # = ratio("a b", "a c") = 2 · 2 / 6 = 66.7, ratio("a", "a b") = 2 · 1 / 4 = 50
        ("ratio", {"at_least": 80}, "a b", "a c", False, "ratio 67, at least 80 needed"),
        ("ratio", {"at_least": 60}, "a b", "a c", True, ""),
        ("ratio", {"at_least": 95}, "🎉", "🎉", True, ""),
        ("ratio", {"at_least": 95}, "🎉", "🎂", False, "ratio 0, at least 95 needed"),
        ("ratio", {"at_least": 80}, "Déjeuner à l’école", "DÉJEUNER À L'ÉCOLE", True, ""),
        ("number", {}, 3, 3.0, True, ""),
        ("number", {}, 3, "3.00", True, ""),
        ("number", {"absolute": 0.1}, 0.2, 0.3, True, ""),
        ("number", {"absolute": 0.1}, 0.2, 0.31, False, "0.11 apart, limit 0.1"),
        ("number", {"relative": 0.01}, 200, 202, True, ""),
        ("number", {"relative": 0.01}, 200, 203, False, "3 apart, limit 2"),
        ("number", {"relative": 0.01}, -200, -202, True, ""),
        ("number", {}, 3, "three", False, "'three' is no number"),
        ("number", {}, 3, True, False, "True is no number"),
        ("number", {}, 1e308, -1e308, False, "inf apart, limit 0"),
        ("date", {}, "2026-12-31", "2026-12-31T23:59", True, ""),
        ("date", {"days": 1}, "2026-12-31", "2027-01-01", True, ""),
        ("date", {}, "2026-12-31", "2027-01-02", False, "2 days apart, limit 0 min"),
        ("date", {}, "2026-02-28", "2026-02-30", False, "'2026-02-30' is no date"),
        ("overlap", {}, ["Ana"], ["Ana Ruiz <ana@example.org>", "Bo"], True, ""),
        ("overlap", {}, ["Ana", "Bo"], ["ana"], False, "overlap 0.50, at least 1 needed"),
        ("overlap", {"at_least": 0.5}, ["Ana", "Bo"], ["ana"], True, ""),
        ("overlap", {}, ["An"], ["Ana"], False, "overlap 0.00, at least 1 needed"),
        ("overlap", {"of": "jaccard", "at_least": 0.4}, ["a", "b"], ["a", "c"], False, f"overlap 0.33, {NEEDED}"),
        ("overlap", {}, ["Ana"], "ana", True, ""),
        ("overlap", {}, ["Ana"], 5, False, "5 is no list of texts"),
        ("reference", {}, True, "ev-7", True, ""),
        ("reference", {}, "ev-7", "ev-7", True, ""),
        ("reference", {}, "ev-7", "ev-8", False, "not equal"),
    ],
)  # fmt: skip
def test_values_within_and_beyond_tolerance(
    kind: str, options: dict[str, Any], expected: Any, actual: Any, right: bool, told: str
) -> None:
    assert held(kind, expected, actual, **options) == (right, told)


@pytest.mark.parametrize(
    ("expected", "actual", "zone", "minutes", "right", "told"),
    [
        ("2026-03-02T12:00", "2026-03-02T12:30", None, 30, True, ""),
        ("2026-03-02T12:00", "2026-03-02T12:31", None, 30, False, "31 min apart, limit 30 min"),
        # naive against aware, in the sample's zone: 12:00 at +01:00 is 11:00 Z
        ("2026-03-02T12:00", "2026-03-02T11:00Z", PLUS_ONE, 0, True, ""),
        ("2026-03-02T12:00", "2026-03-02T12:00Z", PLUS_ONE, 0, False, "1 h apart, limit 0 min"),
        ("2026-03-02T12:00+01:00", "2026-03-02T11:00Z", None, 0, True, ""),
        # nobody knows the zone: the clock on the wall
        ("2026-03-02T12:00", "2026-03-02T12:00+05:00", None, 0, True, ""),
        # midnight and the year's end
        ("2026-12-31T24:00", "2027-01-01T00:00", UTC, 0, True, ""),
        ("2026-12-31T23:45", "2027-01-01T00:15", UTC, 30, True, ""),
        ("2026-12-31T23:45:00+01:00", "2026-12-31T22:45:00Z", UTC, 0, True, ""),
        # the night the clocks go forward: 01:30 and 03:30 are one hour apart
        ("2026-03-29T01:30", "2026-03-29T03:30", PARIS, 60, True, ""),
        ("2026-03-29T01:30", "2026-03-29T03:30", PARIS, 59, False, "1 h apart, limit 59 min"),
        # the night they go back: 02:30 comes twice, and either is meant
        ("2026-10-25T02:30", "2026-10-25T02:30+02:00", PARIS, 0, True, ""),
        ("2026-10-25T02:30", "2026-10-25T02:30+01:00", PARIS, 0, True, ""),
        ("2026-10-25T01:30", "2026-10-25T03:30", PARIS, 179, False, "3 h apart, limit 2 h 59 min"),
        # a day without a time is the whole day
        ("2026-05-09", "2026-05-09T18:00", UTC, 0, True, ""),
        ("2026-05-09", "2026-05-10T01:00", UTC, 30, False, "1 h apart, limit 30 min"),
        ("2026-05-09T18:00", "2026-05-09", UTC, 30, False, "18 h apart, limit 30 min"),
        ("2026-05-09T18:00", "soonish", UTC, 30, False, "'soonish' is no time in ISO 8601"),
        ("2026-05-09T18:00", 1778349600, UTC, 30, False, "1778349600 is no time"),
        ("2026-05-09T18:00", "9999-12-31T24:00", UTC, 30, False, "'9999-12-31T24:00' is no time in ISO 8601"),
    ],
)
def test_times(expected: str, actual: Any, zone: Zone, minutes: float, right: bool, told: str) -> None:
    assert held("time", expected, actual, zone, minutes=minutes) == (right, told)


TIMES = st.datetimes().flatmap(
    lambda when: st.sampled_from([when.isoformat(), when.isoformat() + "Z", str(when.date())])
)


@given(TIMES, TIMES, st.sampled_from([None, UTC, PARIS]))
def test_any_two_times_can_be_compared(one: str, other: str, zone: Zone) -> None:
    assert held("time", one, one, zone)[0] or len(one) == 10
    held("time", one, other, zone, minutes=30)


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.lists(st.text()),
        st.dictionaries(st.text(), st.none()),
    )
)
def test_no_value_is_too_odd_to_be_told(value: Any) -> None:
    for name in COMPARATORS.names():
        if name != "records":
            field = Field(name="x", comparator=COMPARATORS.get(name)())
            ready = field.ready(value, None)
            assert ready is None or isinstance(ready, Unread) or field.holds(ready, ready) in (True, False)


def test_nothing_expected_is_not_compared_unless_it_always_is() -> None:
    exact = COMPARATORS.get("exact")()
    lenient, strict = Field(name="x", comparator=exact), Field(name="x", comparator=exact, when="always")
    assert lenient.holds(None, "given") is None
    assert strict.holds(None, "given") is False
    assert strict.explain(None, "given") == "not expected"
    assert strict.holds(None, None) is True


def test_records_within_records_are_matched_one_to_one() -> None:
    line = Scheme(
        (
            Field(name="item", comparator=COMPARATORS.get("text")()),
            Field(name="price", comparator=COMPARATORS.get("number")()),
        )
    )
    lines = COMPARATORS.get("records")(scheme=line)
    field = Field(name="lines", comparator=lines)
    expected = field.ready([{"item": "Rope", "price": 9}, {"item": "Sail", "price": 90}], None)
    assert field.holds(expected, field.ready([{"item": "sail", "price": 90}, {"item": "rope", "price": 9}], None))
    wrong = field.ready([{"item": "sail", "price": 91}, {"item": "rope", "price": 9}], None)
    assert not field.holds(expected, wrong)
    assert field.explain(expected, wrong) == "1 of 2 found, 1 wrong; price: 1 apart, limit 0"
    assert field.distance(expected, wrong) == pytest.approx(0.5)
    with pytest.raises(Unreadable):
        lines.prepare("rope", None)
