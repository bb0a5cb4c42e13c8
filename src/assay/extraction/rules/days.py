"""Days in a text, English and French: where they stand is found here, what they mean is said by `dateparser`.

Found: full dates (`14 April 2026`, `April 14th`, `le 1er octobre`, `2026-04-14`, `14/04/2026` with the day first), days
of a month (`on the 24th`), weekdays (`Friday`, `Fri 6pm`, `next Friday`, `Friday week`, `jeudi en huit`) and relative
days (`tomorrow`, `in two weeks`, `après-demain`, `dans 3 jours`). A day that no calendar has is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

_ENGLISH = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FRENCH = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
WEEKDAYS = {name: number for names in (_ENGLISH, _FRENCH) for number, name in enumerate(names)}
LONGEST_GUESS = timedelta(days=300)
"""A date without a year that would lie further ahead is one of the past that somebody speaks of."""

_WEEKDAY = "|".join(WEEKDAYS)
_SHORT = "mon|tue|wed|thu|fri|sat|sun"
_MONTH = (
    "january|february|april|june|july|august|september|october|november|december"
    "|janvier|février|fevrier|mars|avril|mai|juin|juillet|août|aout|septembre|octobre|novembre|décembre|decembre"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?-i:May|March|MAY|MARCH)"
)
_NUMBER = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix"
_DAY_NUMBER = r"(?<![\d.:,/-])\d{1,2}(?:st|nd|rd|th|er)?"
_DATE = (
    rf"(?:\b(?P<named>{_WEEKDAY}|{_SHORT})\b\.?,?\s+)?(?:the\s+|le\s+|au\s+)?"
    rf"(?:{_DAY_NUMBER}\s+(?:of\s+)?(?:{_MONTH})\b\.?|\b(?:{_MONTH})\s+{_DAY_NUMBER}\b)"
    r"(?:,?\s+(?P<year>\d{4,9})\b(?!:))?"
)
_NEXT = (
    rf"\b(?:next\s+|this\s+|coming\s+|ce\s+)?(?P<weekday>{_WEEKDAY})\b"
    r"(?P<later>\s+week\b|\s+en\s+huit\b|\s+en\s+quinze\b)?(?:\s+prochain\b)?"
)
_NO_DAY = r"(?!\s+(?:floor|century|birthday|anniversary|time|place|edition|row)\b)"
_FORMS = (
    ("iso", r"(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])"),
    ("figures", r"(?<![\d./])\d{1,2}([./])\d{1,2}\1\d{4}(?![\d/])"),
    ("date", _DATE),
    ("week_on", rf"\ba\s+week\s+(?:on\s+)?(?P<week_on>{_WEEKDAY})\b"),
    ("weekday", _NEXT),
    ("short", rf"\b(?-i:(?P<short>{_SHORT.title()}))\b\.?(?=,?\s+(?:at\s+)?\d)"),
    ("of_month", r"\b(?:on|until|to|till|by)\s+(?:the\s+)?(?P<number>\d{1,2})(?:st|nd|rd|th)\b" + _NO_DAY),
    ("after_next", r"\b(?:the\s+)?day\s+after\s+tomorrow\b|\baprès-demain\b"),
    ("relative", rf"\b(?:in|dans)\s+(?:{_NUMBER})\s+(?:days?|weeks?|jours?|semaines?)\b"),
    ("word", r"\b(?:tomorrow|today|tonight|demain|aujourd['’]hui|ce\s+soir)\b"),
)
_DAYS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _FORMS]
_TODAY = {"today", "tonight", "aujourd'hui", "ce soir"}

Kind = Literal["date", "weekday", "relative"]


class Day(Struct, frozen=True, kw_only=True):
    """A day and where it is named. `sound`: weekday and date agree, and nothing had to be guessed."""

    begin: int
    end: int
    day: date
    kind: Kind
    sound: bool = True


def find_days(text: str, now: datetime) -> list[Day]:
    """All days named in the text, in its order; of two that overlap, the fuller form."""
    now = now.replace(tzinfo=None)  # the clock on the wall there; equal instants elsewhere are other days
    found: list[Day] = []
    for kind, pattern in _DAYS:
        for match in pattern.finditer(text):
            if any(match.start() < day.end and day.begin < match.end() for day in found):
                continue
            found.extend(_read(kind, match, now))
    return sorted(found, key=lambda day: day.begin)


def _read(kind: str, match: re.Match[str], now: datetime) -> Iterator[Day]:
    """None if there is no such day."""
    phrase = " ".join(match[0].split())
    if kind == "iso":
        yield from _placed(match, _iso(phrase), "date")
    elif kind == "figures":
        yield from _placed(match, _parsed(phrase, now), "date", sound=int(re.split(r"[./]", phrase)[0]) > 12)
    elif kind == "date":
        yield from _date(match, now)
    elif kind in {"weekday", "week_on", "short"}:
        yield from _weekday(match, kind, now)
    elif kind == "of_month":
        yield from _placed(match, _next_of_month(int(match["number"]), now.date()), "date")
    else:
        today = phrase.lower().replace("’", "'") in _TODAY
        yield from _placed(match, now.date() if today else _parsed(phrase, now), "relative")


def _date(match: re.Match[str], now: datetime) -> Iterator[Day]:
    """With a weekday in front that says otherwise, the date is believed, and the doubt is kept."""
    named, year = match["named"], match["year"]
    unnamed = match[0][len(named or "") :].lstrip("., \n")
    phrase = re.sub(r"^(?:the|le|au)\s+", "", unnamed, flags=re.IGNORECASE)
    day = _parsed(phrase, now)
    if day is None or (not year and day - now.date() > LONGEST_GUESS):
        return
    agrees = named is None or _number_of(named) == day.weekday()
    yield from _placed(match, day, "date", sound=agrees)


def _weekday(match: re.Match[str], kind: str, now: datetime) -> Iterator[Day]:
    """The next such day after today; `week`, `en huit`: seven days later; `en quinze`: fourteen."""
    groups = match.groupdict()
    name, later = groups.get("week_on") or groups.get("weekday") or "", (groups.get("later") or "").lower()
    day = _parsed(name or groups["short"], now)
    if day is None:
        return
    weeks = 1 if kind == "week_on" else 2 if "quinze" in later else int(bool(later))
    yield from _placed(match, _ahead(day, weeks), "weekday")


def _next_of_month(number: int, today: date) -> date | None:
    """The next day of that number, this month or the next."""
    for month in (today.month, today.month + 1):
        try:
            day = date(today.year + month // 13, (month - 1) % 12 + 1, number)
        except ValueError:
            continue
        if day > today:
            return day
    return None


def _ahead(day: date, weeks: int) -> date | None:
    try:
        return day + timedelta(weeks=weeks)
    except OverflowError:
        return None


def _placed(match: re.Match[str], day: date | None, kind: Kind, *, sound: bool = True) -> Iterator[Day]:
    if day is not None:
        yield Day(begin=match.start(), end=match.end(), day=day, kind=kind, sound=sound)


def _number_of(name: str) -> int:
    whole = next((known for known in WEEKDAYS if known.startswith(name.lower())), "")
    return WEEKDAYS.get(whole, -1)


def _iso(phrase: str) -> date | None:
    try:
        return date.fromisoformat(phrase)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _parsed(phrase: str, now: datetime) -> date | None:
    """What the library makes of it, in either language, later than `now` where that is open."""
    import dateparser

    settings: dict[str, Any] = {
        "RELATIVE_BASE": now,
        "PREFER_DATES_FROM": "future",
        "DATE_ORDER": "DMY",
        "RETURN_AS_TIMEZONE_AWARE": False,
    }
    try:
        found = dateparser.parse(phrase, languages=["en", "fr"], settings=settings)
    except (ValueError, OverflowError):  # before year 1 or after 9999
        return None
    return found.date() if found else None
