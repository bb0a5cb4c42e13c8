"""The corners of the comparators: what is asked of them one at a time, and values at the end of their range."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from assay.metrics.records.assignment import assign
from assay.metrics.records.comparator import Comparator, Unreadable
from assay.metrics.records.comparators.exact import Enum
from assay.metrics.records.comparators.number import Number
from assay.metrics.records.comparators.overlap import Overlap
from assay.metrics.records.comparators.text import Ratio
from assay.metrics.records.comparators.time import Date, Time
from assay.metrics.records.costs import added
from assay.metrics.records.moments import day, moment

PARIS = ZoneInfo("Europe/Paris")


def test_nothing_is_assigned_to_nothing() -> None:
    assert assign([], 0, 3) == []
    assert assign([], 3, 0) == []


def test_a_comparator_must_say_how_it_compares() -> None:
    bare = Comparator()
    for ask in (bare.distance, bare.holds, bare.explain):
        with pytest.raises(NotImplementedError):
            ask(1, 2)


def test_pairs_are_as_far_apart_as_one_by_one() -> None:
    number = Number()
    pairs: tuple[list[Any], list[Any]] = ([1.0, 2.0], [1.0, 4.0])
    assert number.apart(*pairs) == [number.distance(1.0, 1.0), number.distance(2.0, 4.0)]
    time = Time(minutes=30)
    plain = [time.prepare("2026-03-02T10:00:00+00:00", UTC), time.prepare("2026-03-02T12:00:00+00:00", UTC)]
    moved = [time.prepare("2026-03-02T10:30:00+00:00", UTC), time.prepare("2026-03-02T12:00:00+00:00", UTC)]
    # 30 minutes with a window of 30 minutes is half way; equal is 0.
    assert time.apart(plain, moved) == [0.5, 0.0]
    unzoned = [time.prepare("2026-03-02T10:00:00", None)]
    assert time.apart(unzoned, unzoned) == [0.0]


@pytest.mark.parametrize(
    ("comparator", "kind"),
    [
        (Enum(values=("create", "delete")), {"type": "string", "enum": ["create", "delete"]}),
        (Enum(), {"type": "string"}),
        (Overlap(), {"type": "array", "items": {"type": "string"}}),
        (Time(minutes=30), {"type": "string", "format": "date-time"}),
        (Date(), {"type": "string", "format": "date"}),
    ],
)
def test_what_a_model_is_asked_for(comparator: Comparator, kind: dict[str, Any]) -> None:
    assert comparator.json_type == kind


def test_words_of_an_enum_are_folded_where_needed() -> None:
    words = Enum(values=("create", "delete"))
    assert words.prepare_texts(["create", "Delete"], None) == ["create", "delete"]
    assert words.prepare_texts(["create", "delete"], None) == ["create", "delete"]


@pytest.mark.parametrize("value", ["inf", "nan", float("inf")])
def test_a_number_is_finite(value: Any) -> None:
    with pytest.raises(Unreadable, match="not finite"):
        Number().prepare(value, None)


def test_two_empty_lists_overlap_wholly() -> None:
    overlap = Overlap()
    assert overlap.share((), ()) == 1.0


def test_a_weight_changes_nothing_where_nothing_is_apart() -> None:
    assert added([1.0, 2.0], [0.0, 0.0], 0.5) == [1.0, 2.0]
    assert added(None, [0.0], 0.5) == [0.0]
    assert added([1.0], [1.0], 0.5) == [1.5]


def test_a_time_with_an_offset_is_one_instant_in_any_zone() -> None:
    assert moment("2026-03-02T10:00:00+01:00", PARIS) == moment("2026-03-02T09:00:00+00:00", PARIS)
    assert moment("2026-03-02 10:00 +0100", PARIS) == moment("2026-03-02T10:00:00+01:00", PARIS)


def test_a_day_beyond_the_calendar_is_no_date() -> None:
    with pytest.raises(Unreadable, match="no date"):
        day("9999-12-31T23:30:00-05:00", timezone(timedelta(hours=14)))


def test_many_texts_are_prepared_as_one_by_one() -> None:
    time, ratio = Time(minutes=30), Ratio()
    whole = ["2026-03-02T10:00:00+01:00", "2026-03-02T11:00:00+01:00"]
    for texts in (whole, [*whole, "2026-03-02T12:00:00"]):
        assert time.prepare_texts(texts, PARIS) == [time.prepare(text, PARIS) for text in texts]
    for texts in (["Lunch, with Ana", "stand-up"], ["Lunch", "?!"], ["Déjeuner", "Lunch"]):
        assert ratio.prepare_texts(texts, None) == [ratio.prepare(text, None) for text in texts]
