"""Times of day and lengths of time in a text, English and French.

A number is a time if it is written like one (`15:30`, `3 pm`, `15h30`, `half past nine`) or stands behind a word that
calls for one (`at 9`, `from 2 to 4pm`, `at noon`). A bare hour from 1 to 6 is taken for the afternoon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time, timedelta, timezone

from msgspec import Struct
from msgspec.structs import replace

_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FRENCH = ("une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze")
WORDS = {word: number for words in (_ENGLISH, _FRENCH) for number, word in enumerate(words, 1)}
ZONES = {
    name: timezone(timedelta(hours=hours))
    for hours, names in {
        0: "UTC GMT",
        1: "CET BST",
        2: "CEST EET",
        3: "EEST",
        9: "JST",
        -4: "EDT",
        -5: "EST CDT",
        -6: "CST MDT",
        -7: "MST PDT",
        -8: "PST",
    }.items()
    for name in names.split()
}
_HOUR = rf"\d{{1,2}}|{'|'.join(sorted(set(WORDS) - {'une', 'neuf'}, key=len, reverse=True))}"
_LEAD = "at|from|until|till|to|between|and|à|de|vers|dès"
_AM_PM = r"\s?(?:[ap]\.m\.|[ap]m\b)"
_OF_DAY = r"\s+(?:in\s+the\s+(?:morning|afternoon|evening)|at\s+night|du\s+matin|du\s+soir|de\s+l['’]après-midi)"
_NO_TIME = (
    r"(?!\s*(?:[%:.,h]\d|st\b|nd\b|rd\b|th\b|%|weeks?|days?|hours?|minutes?|min\b|past\b|jours?|semaines?|people|of\b))"
)


def _part(name: str) -> str:
    return rf"(?P<{name}>{_AM_PM}|{_OF_DAY})?"


def _zone(name: str) -> str:
    return rf"(?-i:\s*\(?(?P<{name}>{'|'.join(ZONES)})\b\)?)?"


_FIGURES = r"(?<![\d.:])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?![\d:])|\s?h(?:\s?(?P<after_h>\d{2}))?\b)"
_CLOCK = re.compile(
    "|".join(
        (
            rf"{_FIGURES}{_part('part')}{_zone('zone')}",
            rf"(?<![\d.:])(?P<hour2>\d{{1,2}})(?:\.(?P<minute2>\d{{2}}))?(?P<part2>{_AM_PM}){_zone('zone2')}",
            rf"\b(?P<half>half\s+past|quarter\s+past|quarter\s+to)\s+(?P<hour3>{_HOUR})\b{_part('part3')}",
            rf"\b(?:{_LEAD})\s+(?P<hour4>{_HOUR})\b{_NO_TIME}(?:\s+o['’]clock|\s+heures?)?{_part('part4')}",
            rf"(?:\b(?:{_LEAD}|by)\s+|(?<=day )|(?<=di )|(?<=demain ))(?P<name>noon|midnight|midi|minuit)\b",
        )
    ),
    re.IGNORECASE,
)
_NAMED = {"noon": time(12), "midi": time(12), "midnight": time(0), "minuit": time(0)}
_JOIN = re.compile(r"^\s*(?:to|until|till|and|[-–—]|à|jusqu['’]à|et)\s*$", re.IGNORECASE)
_COUNT = rf"\d{{1,3}}|{'|'.join(sorted(WORDS, key=len, reverse=True))}|an|a|half\s+an"
_LENGTH = re.compile(
    rf"\b(?P<count>{_COUNT})\s+(?P<unit>hours?|heures?|minutes?|mins?)\b(?P<half>\s+and\s+a\s+half|\s+et\s+demie)?",
    re.IGNORECASE,
)


class Clock(Struct, frozen=True, kw_only=True):
    """A time of day and where it is named. `sound`: which half of the day is meant had not to be guessed."""

    begin: int
    end: int
    time: time
    zone: timezone | None = None
    sound: bool = True
    half: bool = False
    """Which half of the day is meant is said: `am`, `in the evening`."""


def find_clocks(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Clock]:
    """All times named outside the places that are taken (days), in the order of the text."""
    clocks = [clock for match in _CLOCK.finditer(text) if (clock := _read(match)) is not None]
    return [clock for clock in clocks if not any(clock.begin < end and begin < clock.end for begin, end in taken)]


def spans(text: str, clocks: Sequence[Clock]) -> list[tuple[Clock, Clock | None]]:
    """Start and, where `to`, `until` or a dash joins two times, end."""
    joined: list[tuple[Clock, Clock | None]] = []
    for clock in clocks:
        start, end = joined[-1] if joined else (None, None)
        if start is not None and end is None and _JOIN.match(text[start.end : clock.begin]):
            joined[-1] = _same_half(start, clock), clock
        else:
            joined.append((clock, None))
    return joined


def find_length(text: str) -> timedelta | None:
    """The first length of time named: `30 minutes`, `an hour and a half`, `une heure et demie`."""
    for match in _LENGTH.finditer(text):
        if re.match(r"\s*(?:before|earlier|ago|late|avant|plus\s+tôt)\b", text[match.end() :], re.IGNORECASE):
            continue
        words = " ".join(match["count"].lower().split())
        count = 0.5 if words == "half an" else 1 if words in {"a", "an"} else WORDS.get(words) or float(words)
        count += 0.5 if match["half"] else 0
        hours = match["unit"].lower().startswith("h")
        return timedelta(hours=count) if hours else timedelta(minutes=count)
    return None


def _same_half(start: Clock, end: Clock) -> Clock:
    """`5:30 to 6:00 pm` begins in the afternoon, too."""
    late = start.time.hour + 12
    if start.half or not end.half or late >= 24 or start.time.replace(hour=late) >= end.time:
        return start
    return replace(start, time=start.time.replace(hour=late), sound=True)


def _read(match: re.Match[str]) -> Clock | None:
    if match["name"]:
        return Clock(begin=match.start(), end=match.end(), time=_NAMED[match["name"].lower()])
    written = match["hour"] or match["hour2"]
    word = (match["hour3"] or match["hour4"] or "").lower()
    hour = int(written) if written else WORDS.get(word) or int(word)
    minute = int(match["minute"] or match["after_h"] or match["minute2"] or 0)
    if match["half"]:
        hour, minute = _past(match["half"].lower(), hour)
    part = (match["part"] or match["part2"] or match["part3"] or match["part4"] or "").lower()
    bare = not part and not match["hour"]
    hour = _in_part(hour, part) if part else hour + 12 if bare and 1 <= hour <= 6 else hour
    if hour > 23 or minute > 59:
        return None
    zone = match["zone"] or match["zone2"]
    begin = match.start("hour4") if match["hour4"] else match.start()
    at, where = time(hour, minute), ZONES.get(zone or "")
    return Clock(begin=begin, end=match.end(), time=at, zone=where, sound=not bare, half=bool(part))


def _past(words: str, hour: int) -> tuple[int, int]:
    if words.startswith("half"):
        return hour, 30
    return (hour, 15) if words.endswith("past") else (hour - 1, 45)


def _in_part(hour: int, part: str) -> int:
    """Twelve in the morning is midnight; three in the afternoon is fifteen. 15:00 p.m. stays what it is."""
    late = any(word in part for word in ("p.m", "pm", "afternoon", "evening", "soir", "midi", "night"))
    if late:
        return hour + 12 if 1 <= hour < 12 else hour
    return 0 if hour == 12 else hour
