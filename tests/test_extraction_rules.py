"""The floor: days, times and events by rules, English and French. The tables are read on Tuesday, 17 March 2026."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.extraction.rules import Planned, find_events
from assay.extraction.rules.clocks import find_clocks, find_length, spans
from assay.extraction.rules.days import find_days
from assay.extraction.rules.sentences import sentences
from assay.extraction.rules.wording import action_of, guests_of, place_of, title_of

NOW = datetime(2026, 3, 17, 9, 15)  # noqa: DTZ001 (a conversation without a zone)
REVIEW = Planned(
    id="r-1",
    title="Quarterly review",
    start=datetime(2026, 3, 18, 10),  # noqa: DTZ001
    end=datetime(2026, 3, 18, 11, 30),  # noqa: DTZ001
)


def days(text: str, now: datetime = NOW) -> list[str]:
    return [found.day.isoformat() for found in find_days(text, now)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on Friday", "2026-03-20"),
        ("next Friday", "2026-03-20"),
        ("Friday week", "2026-03-27"),
        ("a week on Friday", "2026-03-27"),
        ("on Tuesday", "2026-03-24"),  # today is Tuesday: the next one is meant
        ("tomorrow", "2026-03-18"),
        ("the day after tomorrow", "2026-03-19"),
        ("tonight", "2026-03-17"),
        ("in two weeks", "2026-03-31"),
        ("in 3 days", "2026-03-20"),
        ("Fri 6pm", "2026-03-20"),
        ("Thu, Mar 26", "2026-03-26"),
        ("on the 24th", "2026-03-24"),
        ("to the 12th", "2026-04-12"),
        ("14 April", "2026-04-14"),
        ("the 14th of April", "2026-04-14"),
        ("April 14th, 2027", "2027-04-14"),
        ("Saturday, 9 May", "2026-05-09"),
        ("2 January", "2027-01-02"),  # over the end of the year
        ("31 December", "2026-12-31"),
        ("29 February 2028", "2028-02-29"),
        ("2026-04-05", "2026-04-05"),
        ("03/04/2026", "2026-04-03"),
        ("14.04.2026", "2026-04-14"),
        ("vendredi", "2026-03-20"),
        ("vendredi prochain", "2026-03-20"),
        ("jeudi en huit", "2026-03-26"),
        ("jeudi en quinze", "2026-04-02"),
        ("demain", "2026-03-18"),
        ("après-demain", "2026-03-19"),
        ("ce soir", "2026-03-17"),
        ("aujourd’hui", "2026-03-17"),
        ("dans deux semaines", "2026-03-31"),
        ("le 3 avril", "2026-04-03"),
        ("le jeudi 1er octobre", "2026-10-01"),
        ("le 15 août 2026", "2026-08-15"),
    ],
)
def test_a_day(text: str, expected: str) -> None:
    assert days(f"We meet {text}, as agreed.") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "30 February",
        "31 April 2026",
        "2026-13-01",
        "version 3.11 may break",
        "12 may do, march on",
        "Saturn and mondayish",
        "room 11.15",
        "mon ami, the sun at 9",
        "on the 31st floor by the 40th",
        "5 September 99999",
        "12 February",  # a month ago: somebody speaks of the past, nobody of next year
    ],
)
def test_no_day(text: str) -> None:
    assert days(text) == []


def test_a_weekday_that_disagrees_with_its_date_is_doubted() -> None:
    [agrees] = find_days("Friday 27 March", NOW)
    [disagrees] = find_days("Thursday 27 March", NOW)
    assert agrees.day == disagrees.day == date(2026, 3, 27)
    assert (agrees.sound, disagrees.sound) == (True, False)


def times(text: str) -> list[str]:
    return [f"{found.time:%H:%M}" for found in find_clocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 15:30", ["15:30"]),
        ("at 3pm", ["15:00"]),
        ("at 3 p.m.", ["15:00"]),
        ("at 9.30 am", ["09:30"]),
        ("at 12 am", ["00:00"]),
        ("at 12 pm", ["12:00"]),
        ("at 9", ["09:00"]),
        ("at 3", ["15:00"]),  # a bare small hour is in the afternoon
        ("at 2 in the morning", ["02:00"]),
        ("at two in the afternoon", ["14:00"]),
        ("at half past nine", ["09:30"]),
        ("quarter to eight in the evening", ["19:45"]),
        ("at noon", ["12:00"]),
        ("until midnight", ["00:00"]),
        ("Thursday noon", ["12:00"]),
        ("demain midi", ["12:00"]),
        ("midnight cinema", []),
        ("ten past nine", []),
        ("from 8:00 to 15:00", ["08:00", "15:00"]),
        ("between 10 and 12", ["10:00", "12:00"]),
        ("à 14h30", ["14:30"]),
        ("à 9 h", ["09:00"]),
        ("à 9 heures", ["09:00"]),
        ("à midi", ["12:00"]),
        ("de 18h à 19h30", ["18:00", "19:30"]),
        ("à 8h du soir", ["20:00"]),
        ("at 25:30 or 12:99", []),
        ("4.30 a kilo, version 12.04, 2-1", []),
        ("in 3 weeks, at 50 % of it", []),
    ],
)
def test_times(text: str, expected: list[str]) -> None:
    assert times(text) == expected


@pytest.mark.parametrize("text", ["9:30 to 11:00", "9:30-11:00", "9:30 – 11:00", "9h30 à 11h", "9:30 until 11:00"])
def test_two_times_that_are_joined_are_start_and_end(text: str) -> None:
    [(start, end)] = spans(text, find_clocks(text))
    assert end is not None
    assert (f"{start.time:%H:%M}", f"{end.time:%H:%M}") == ("09:30", "11:00")


def test_an_end_in_the_afternoon_pulls_its_start_along() -> None:
    table = {"5:30-6:00 PM": "17:30", "from 2 to 4pm": "14:00", "11:00 to 1:00 pm": "11:00", "9 am to 5 pm": "09:00"}
    for text, expected in table.items():
        [(start, end)] = spans(text, find_clocks(text))
        assert (f"{start.time:%H:%M}", end is None) == (expected, False)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("for 30 minutes", 30),
        ("an hour is plenty", 60),
        ("an hour and a half", 90),
        ("half an hour", 30),
        ("two hours", 120),
        ("une heure et demie", 90),
        ("45 minutes at most", 45),
        ("rings half an hour before", None),
        ("no word of it", None),
    ],
)
def test_lengths(text: str, minutes: int | None) -> None:
    assert find_length(text) == (None if minutes is None else timedelta(minutes=minutes))


def events(text: str, now: datetime = NOW, calendar: tuple[Planned, ...] = ()) -> list[tuple[Any, ...]]:
    found = find_events(text, now, calendar)
    return [(each["action"], each["title"], each["start_time"], each["end_time"]) for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lunch with Maren on Friday at 12:30.", ("Lunch with Maren", "2026-03-20T12:30:00", None)),
        ("Please note: dentist on 14 April at 8:45", ("Dentist", "2026-04-14T08:45:00", None)),
        ("Tour on Friday from 10:00 to 12:00.", ("Tour", "2026-03-20T10:00:00", "2026-03-20T12:00:00")),
        ("Party on Friday from 21:00 to 2:00.", ("Party", "2026-03-20T21:00:00", "2026-03-21T02:00:00")),
        ("Call tomorrow at 10:00. Give it 30 minutes.", ("Call", "2026-03-18T10:00:00", "2026-03-18T10:30:00")),
        ("On Friday at 3pm I have the site visit at Pier 9.", ("Site visit", "2026-03-20T15:00:00", None)),
        ("Stocktaking on Saturday, the whole day.", ("Stocktaking", "2026-03-21T00:00:00", None)),
        ("Tea with Dr. Weiss is confirmed for Friday at 9:15.", ("Tea with Dr. Weiss", "2026-03-20T09:15:00", None)),
        ("Le concert aura lieu vendredi à 20h30.", ("Concert", "2026-03-20T20:30:00", None)),
        ("Réunion budget vendredi à 14h30.", ("Réunion budget", "2026-03-20T14:30:00", None)),
        ("- Sortie le 3 avril de 8h30 à 16h", ("Sortie", "2026-04-03T08:30:00", "2026-04-03T16:00:00")),
        ("Dîner demain à 20h. Une heure et demie.", ("Dîner", "2026-03-18T20:00:00", "2026-03-18T21:30:00")),
    ],
)  # fmt: skip
def test_an_event_is_created(text: str, expected: tuple[str, str, str | None]) -> None:
    assert events(text) == [("create", *expected)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We met on Monday at 15:00.",
        "Friday at 15:00?",
        "If we met on Friday at 15:00, fine.",
        "Please do not book Friday at 10:00.",
        "Friday is fine.",
        "At 15:00 as always.",
        "Please pay by 30 June at 12:00.",
        "Cancel everything on Friday.",
        "Move it to Friday at 10:00.",
        "> Lunch on Friday at 12:30",
        "<!-- Lunch on Friday at 12:30 -->",
        "--\nLunch on Friday at 12:30",
        "On s'est vus vendredi à 15h.",
    ],
)
def test_nothing_is_created(text: str) -> None:
    assert events(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Move the quarterly review to Thursday at 14:00.",
            ("update", "Quarterly review", "2026-03-19T14:00:00", "2026-03-19T15:30:00"),
        ),
        (
            "Please move the quarterly review from Wednesday to Friday.",
            ("update", "Quarterly review", "2026-03-20T10:00:00", "2026-03-20T11:30:00"),
        ),
        (
            "Il faut reporter la quarterly review à jeudi à 9h30.",
            ("update", "Quarterly review", "2026-03-19T09:30:00", "2026-03-19T11:00:00"),
        ),
        ("Cancel the review.", ("delete", "Quarterly review", "2026-03-18T10:00:00", "2026-03-18T11:30:00")),
        ("The review is cancelled.", ("delete", "Quarterly review", "2026-03-18T10:00:00", "2026-03-18T11:30:00")),
        ("Annule la quarterly review.", ("delete", "Quarterly review", "2026-03-18T10:00:00", "2026-03-18T11:30:00")),
    ],
)  # fmt: skip
def test_an_event_of_the_calendar_is_named(text: str, expected: tuple[str, ...]) -> None:
    [record] = find_events(text, NOW, [REVIEW])
    assert record["existing_event_id"] == "r-1"
    assert events(text, calendar=(REVIEW,)) == [expected]


def test_the_day_tells_equal_events_apart_and_the_last_word_counts() -> None:
    week = tuple(
        Planned(id=f"s-{day}", title="Stand-up", start=datetime(2026, 3, day, 9), end=None)  # noqa: DTZ001
        for day in (18, 19, 20)
    )
    [record] = find_events("Drop the stand-up on Thursday.", NOW, week)
    assert record["existing_event_id"] == "s-19"
    text = "Cancel the stand-up on Thursday. No wait, move the stand-up on Thursday to 9:30."
    assert events(text, calendar=week) == [("update", "Stand-up", "2026-03-19T09:30:00", None)]


def test_place_and_guests() -> None:
    [record] = find_events("Lunch with Maren and Oske on Friday at 12:30 at the Copper Kettle, I pay.", NOW)
    assert (record["location"], record["attendees"]) == ("Copper Kettle", ["Maren", "Oske"])
    assert place_of(" at the Copper Kettle.", "Lunch") == "Copper Kettle"
    assert place_of(", gym", "Evening") == "gym"
    assert place_of(" and bring a towel.", "Swim") is None
    assert guests_of("Call with Bastian tomorrow") == ["Bastian"]
    assert guests_of("avec Solène et Aloïs") == ["Solène", "Aloïs"]


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("Dentist on 14 April at 8:45.", "high"),
        ("Dentist on Friday at 8:45.", "medium"),
        ("Dentist on Friday at 9.", "low"),
        ("Dentist on Friday, all day.", "low"),
        ("Dentist on Thursday 27 March at 8:45.", "low"),
        ("Move the quarterly review to Friday at 14:00.", "high"),
        ("Move the quarterly review to Friday.", "low"),
    ],
)
def test_confidence_is_a_rule(text: str, confidence: str) -> None:
    [record] = find_events(text, NOW, [REVIEW])
    assert record["confidence"] == confidence


def test_zones() -> None:
    oslo = datetime(2026, 3, 27, 16, tzinfo=timezone(timedelta(hours=1)))
    text = "Maintenance on Sunday, 29 March from 01:30 (CET) to 03:30 (CEST)."
    assert events(text, oslo) == [("create", "Maintenance", "2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00")]
    assert events("Call on Monday at 15:00 UTC.", oslo)[0][2] == "2026-03-30T15:00:00+00:00"
    named = datetime(2026, 3, 27, 16, tzinfo=ZoneInfo("Europe/Oslo"))
    assert events("Tour on Monday at 10:00.", named)[0][2] == "2026-03-30T10:00:00+02:00"
    assert events("Tour on Saturday at 10:00.", named)[0][2] == "2026-03-28T10:00:00+01:00"


def test_the_day_is_that_of_the_clock_on_the_wall() -> None:
    """One instant, two places: it is tomorrow already in one of them."""
    here = datetime(2026, 3, 17, 23, 30, tzinfo=UTC)
    there = here.astimezone(timezone(timedelta(hours=1)))
    assert (days("tomorrow", here), days("tomorrow", there)) == (["2026-03-18"], ["2026-03-19"])


def test_midnight_and_the_end_of_the_year() -> None:
    eve = datetime(2026, 12, 28, 18, 30, tzinfo=UTC)
    text = "Party on Thursday from 21:00 to 2:00. Swim on 1 January at 11:00."
    assert events(text, eve) == [
        ("create", "Party", "2026-12-31T21:00:00+00:00", "2027-01-01T02:00:00+00:00"),
        ("create", "Swim", "2027-01-01T11:00:00+00:00", None),
    ]


def test_sentences_know_their_heading() -> None:
    found = sentences("Programme\nAda: Lunch on Friday. Good?\n- Tour at ten\n> old\nA line that is long enough to have"
                      " been wrapped by some mail\nprogram goes on.")  # fmt: skip
    assert [each.text for each in found] == [
        "Programme",
        "Lunch on Friday.",
        "Good?",
        "Tour at ten",
        "A line that is long enough to have been wrapped by some mail program goes on.",
    ]
    assert found[3].heading == "Programme"


@pytest.mark.parametrize(
    ("before", "title"),
    [
        ("Please note: the dentist on ", "Dentist"),
        ("Could you, so, and ", ""),
        ("  «Choir» at the ", "Choir"),
        ("l'assemblée le ", "Assemblée"),
    ],
)
def test_titles(before: str, title: str) -> None:
    assert title_of(before) == title


def test_verbs() -> None:
    assert [action_of(text) for text in ("We call the tennis off", "Reportons le cours", "Lunch")] == [
        "delete",
        "update",
        "create",
    ]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2900, 1, 1)))  # noqa: DTZ001
def test_no_text_is_too_strange(text: str, now: datetime) -> None:
    assert find_events(text, now, [REVIEW]) == find_events(text, now, [REVIEW])


WORDS = """Friday tomorrow 29 30 31 February May jeudi en huit le 1er 99 at à 25:61 12:30 to 9999-12-31 0001-01-01
cancel move the quarterly review ? . > -- <!-- ( ) 3pm in 999 weeks Quarterly"""
EDGES = [NOW.replace(year=1, month=1, day=1), NOW, NOW.replace(year=9999, month=12, day=31), NOW.replace(tzinfo=UTC)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=25), st.sampled_from(EDGES))
def test_no_mixture_of_its_own_words_is_too_strange(words: list[str], now: datetime) -> None:
    for record in find_events(" ".join(words), now, [REVIEW]):
        assert record["title"]
        assert datetime.fromisoformat(record["start_time"])


@pytest.mark.parametrize(
    "text",
    [
        "1 " * 50_000,
        "Friday at 10:00 " * 6_000,
        "a" * 200_000,
        "<" * 100_000,
        "<!--" * 50_000,
        "\n" * 200_000,
        "Go on Friday at 9:00. " * 9_000,
    ],
    ids=["numbers", "one endless sentence", "one word", "brackets", "comments", "lines", "sentences"],
)
def test_hostile_texts_cost_no_more_than_their_length(text: str) -> None:
    start = time.process_time()
    find_events(text, NOW)
    assert time.process_time() - start < 3
