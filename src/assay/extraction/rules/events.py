"""The floor: events of a conversation by rules alone, without a model. The same text always gives the same events.

One sentence gives at most one event. It needs a day (the first date, else the first weekday or relative day), and to
create something a time too (or `the whole day`). What is past, refused, only wished for, or asked is left out.
Cancelling and moving need an event of the calendar: half the words of its title stand in the sentence (or in the one
before); of several, the one on the day named, else the first to come. The last word on such an event counts.

Confidence: `high` if date, time and title are all written out, or the event of the calendar and its new time are;
`medium` if the day is relative (`Friday`, `tomorrow`); `low` if something was guessed: no time, a bare hour, a weekday
that disagrees with its date, a title that is not in the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from assay.extraction.rules.clocks import Clock, find_clocks, find_length, spans
from assay.extraction.rules.days import Day, find_days
from assay.extraction.rules.sentences import Sentence, sentences
from assay.extraction.rules.wording import (
    NOT_MEANT,
    WHOLE_DAY,
    Action,
    action_of,
    content_words,
    guests_of,
    place_of,
    title_after,
    title_of,
)

LONGEST_TEXT = 500_000


class Planned(Struct, frozen=True, kw_only=True):
    """An event of the calendar."""

    id: str
    title: str
    start: datetime
    end: datetime | None


class _Reading(Struct, frozen=True, kw_only=True):
    """A sentence with what was found in it."""

    sentence: Sentence
    follows: str
    """The next sentence, where it says no day: it may say how long."""
    before: str
    """The sentence before."""
    days: list[Day]
    times: list[tuple[Clock, Clock | None]]

    @property
    def text(self) -> str:
        return self.sentence.text

    @property
    def begin(self) -> int:
        return min([day.begin for day in self.days] + [start.begin for start, _ in self.times])

    @property
    def end(self) -> int:
        return max([day.end for day in self.days] + [(end or start).end for start, end in self.times])


def find_events(text: str, now: datetime, calendar: Sequence[Planned] = ()) -> list[dict[str, Any]]:
    """Records as a model would give them: action, title, start_time, end_time, existing_event_id, location, ..."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for reading in _readings(text[:LONGEST_TEXT], now):
        record = _record(reading, now, calendar)
        if record is not None:
            id_ = record["existing_event_id"]
            key = ("planned", id_) if id_ else ("new", record["title"].casefold(), record["start_time"])
            found[key] = record
    return list(found.values())


def _readings(text: str, now: datetime) -> Iterator[_Reading]:
    said = sentences(text)
    days = [find_days(sentence.text, now) for sentence in said]
    for number, sentence in enumerate(said):
        clocks = find_clocks(sentence.text, [(day.begin, day.end) for day in days[number]])
        last = number + 1 == len(said)
        yield _Reading(
            sentence=sentence,
            follows="" if last or days[number + 1] else said[number + 1].text,
            before=said[number - 1].text if number else "",
            days=days[number],
            times=spans(sentence.text, clocks),
        )


def _record(reading: _Reading, now: datetime, calendar: Sequence[Planned]) -> dict[str, Any] | None:
    action = action_of(reading.text)
    if action == "create":
        return _created(reading, now)
    planned = _named(reading, now, calendar)
    if planned is None:
        return None
    return _deleted(planned) if action == "delete" else _moved(reading, planned, now)


def _created(reading: _Reading, now: datetime) -> dict[str, Any] | None:
    text = reading.text
    whole_day = bool(WHOLE_DAY.search(text))
    if not reading.days or not (reading.times or whole_day) or text.endswith("?") or NOT_MEANT.search(text):
        return None
    day = next((each for each in reading.days if each.kind == "date"), reading.days[0])
    start, end = reading.times[0] if reading.times else (None, None)
    begins = _at(day, start, now)
    title = title_of(text[: reading.begin]) or title_after(text[reading.end :])
    told = title or title_of(reading.sentence.heading)
    if begins is None or not told or _compared(begins) < _compared(now):
        return None
    ends = _ending(begins, end, reading, now)
    guessed = start is None or not start.sound or not day.sound or not title
    confidence = "low" if guessed else "high" if day.kind == "date" else "medium"
    place = place_of(text[reading.end :], told)
    return _event("create", told, begins, ends) | {
        "location": place,
        "attendees": guests_of(text),
        "confidence": confidence,
    }


def _deleted(planned: Planned) -> dict[str, Any]:
    return _event("delete", planned.title, planned.start, planned.end) | {"existing_event_id": planned.id}


def _moved(reading: _Reading, planned: Planned, now: datetime) -> dict[str, Any] | None:
    """To the last day and time named; what is not named stays. Without an end, it is as long as before."""
    if not reading.days and not reading.times:
        return None
    day = reading.days[-1].day if reading.days else planned.start.date()
    start, end = reading.times[-1] if reading.times else (None, None)
    begins = datetime.combine(day, start.time if start else planned.start.timetz())
    begins = begins if begins.tzinfo else begins.replace(tzinfo=_zone(start, now))
    ends = _ending(begins, end, reading, now)
    if ends is None and planned.end is not None:
        ends = _later(begins, planned.end - planned.start)
    sure = reading.days and start is not None and start.sound
    return _event("update", planned.title, begins, ends) | {
        "existing_event_id": planned.id,
        "location": place_of(reading.text[reading.end :], planned.title),
        "confidence": "high" if sure else "low",
    }


def _named(reading: _Reading, now: datetime, calendar: Sequence[Planned]) -> Planned | None:
    """The event of the calendar that the sentence, or else the one before, speaks of."""
    days = {day.day for day in reading.days}
    for words in (content_words(reading.text), content_words(f"{reading.before} {reading.text}")):
        fitting = [each for each in calendar if _speaks_of(each, words)]
        if fitting:
            return min(
                fitting, key=lambda each: (each.start.date() not in days, _past(each, now), _compared(each.start))
            )
    return None


def _speaks_of(planned: Planned, words: set[str]) -> bool:
    """At least half of the words of its title are there."""
    title = content_words(planned.title)
    return bool(title) and 2 * len(title & words) >= len(title)


def _past(planned: Planned, now: datetime) -> bool:
    return _compared(planned.start) < _compared(now)


def _at(day: Day, clock: Clock | None, now: datetime) -> datetime | None:
    moment = datetime.combine(day.day, clock.time if clock else datetime.min.time())
    return moment.replace(tzinfo=_zone(clock, now))


def _zone(clock: Clock | None, now: datetime) -> Any:
    """The one that is named, if the conversation has a zone at all; else that of the conversation."""
    return clock.zone if clock and clock.zone and now.tzinfo else now.tzinfo


def _ending(begins: datetime, end: Clock | None, reading: _Reading, now: datetime) -> datetime | None:
    """An end that comes before its start is one of the next day. Without an end: start and length, if one is told."""
    if end is None:
        length = find_length(reading.text[reading.begin :]) or find_length(reading.follows)
        return _later(begins, length) if length else None
    ends = begins.replace(
        hour=end.time.hour, minute=end.time.minute, tzinfo=_zone(end, now) if end.zone else begins.tzinfo
    )
    return ends if ends > begins else _later(ends, timedelta(days=1))


def _later(moment: datetime, length: timedelta) -> datetime | None:
    try:
        return moment + length
    except OverflowError:
        return None


def _compared(moment: datetime) -> datetime:
    """So that times with and without a zone can stand in one order."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _event(action: Action, title: str, start: datetime, end: datetime | None) -> dict[str, Any]:
    return {
        "action": action,
        "title": title,
        "start_time": start.isoformat(),
        "end_time": end.isoformat() if end else None,
        "existing_event_id": None,
        "location": None,
        "attendees": [],
        "confidence": "high",
    }
