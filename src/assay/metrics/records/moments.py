"""Texts as points in time. With and without an offset, twice on the night the clocks go back, midnight as 24:00."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from msgspec import Struct

from assay.metrics.records.comparator import Unreadable, Zone

DAY = 86400.0
_MIDNIGHT = re.compile(r"^(\d{4}-?\d{2}-?\d{2}[T ])24((?::?00){0,2}(?:[.,]0+)?)(?=$|[Z+\-])")
_SHORT = 16
"""A date alone, with some space around it, is shorter; looking at the length first spares a search."""
_DATE = re.compile(r"\d{4}-?\d{2}-?\d{2}\Z")


class Instants(Struct, frozen=True):
    """A time that is not one plain instant."""

    instants: tuple[float, ...]
    """Seconds since 1970; two on the hour that comes twice; none where the zone is not known."""
    wall: float
    """Seconds since 1970 as the clock on the wall shows it."""
    length: float = 0.0
    """A day, of a date alone."""


Moment = float | Instants


def moment(value: Any, zone: Zone) -> Moment:
    """A plain instant as its seconds since 1970, everything else as `Instants`. No time at all is `Unreadable`."""
    if isinstance(value, str) and len(value) < _SHORT and _DATE.match(value.strip()):
        start = _moment(parsed(value), zone)
        instants, wall = ((start,), start) if isinstance(start, float) else (start.instants, start.wall)
        return Instants(instants, wall, DAY)
    return _moment(parsed(value), zone)


@lru_cache(maxsize=4096)
def instant_of(text: str) -> float | None:
    """Of a text with an offset, which is the same in every zone. The same times are met again and again."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if time.tzinfo is None else time.timestamp()


def _moment(time: datetime, zone: Zone) -> Moment:
    if zone is None:
        wall = time.replace(tzinfo=UTC).timestamp()
        return Instants((time.timestamp(),) if time.tzinfo else (), wall)
    if time.tzinfo is not None:
        return time.timestamp()
    first = time.replace(tzinfo=zone).timestamp()
    if isinstance(zone, timezone):
        return first
    second = time.replace(tzinfo=zone, fold=1).timestamp()
    return first if first == second else Instants((first, second), first)


def parsed(value: Any) -> datetime:
    """ISO 8601, as text. 24:00 is the midnight at the end of the day."""
    if not isinstance(value, str):
        raise Unreadable(f"{value!r:.60} is no time")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        text = value.strip()
    try:
        last = _MIDNIGHT.match(text)
        if not last:
            return datetime.fromisoformat(text)
        return datetime.fromisoformat(f"{last[1]}00{last[2]}{text[last.end() :]}") + timedelta(days=1)
    except (ValueError, OverflowError):
        raise Unreadable(f"{value!r:.60} is no time in ISO 8601") from None


def gap(expected: Moment, actual: Moment) -> float:
    """Seconds between the two; 0 for a time within a day that is expected as a whole."""
    if isinstance(expected, float) and isinstance(actual, float):
        return abs(expected - actual)
    one, other = _several(expected), _several(actual)
    if one.instants and other.instants:
        return min(_apart(a, b, one.length) for a in one.instants for b in other.instants)
    return _apart(one.wall, other.wall, one.length)


def _several(value: Moment) -> Instants:
    return Instants((value,), value) if isinstance(value, float) else value


def _apart(expected: float, actual: float, length: float) -> float:
    if expected <= actual < expected + length:
        return 0.0
    return min(abs(expected - actual), abs(expected + length - actual)) if length else abs(expected - actual)


def day(value: Any, zone: Zone) -> int:
    """The number of the day; a point in time with an offset is brought into the zone first."""
    if isinstance(value, str) and _DATE.match(value.strip()):
        try:
            return date.fromisoformat(value.strip()).toordinal()
        except ValueError:
            raise Unreadable(f"{value!r:.60} is no date") from None
    time = parsed(value)
    try:
        local = time.astimezone(zone) if zone is not None and time.tzinfo is not None else time
    except OverflowError:
        raise Unreadable(f"{value!r:.60} is no date") from None
    return local.toordinal()
