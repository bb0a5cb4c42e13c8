"""Calendar events: the sidecar's words as those of a record, and ids as the events they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.extraction.protocol import CalendarEvent

_NAMED = {"title": "summary", "start_time": "start", "end_time": "end", "location": "location"}
_ID = "existing_event_id"


def both_named(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]], calendar: Sequence[CalendarEvent]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Expected and actual records as they are compared.

    What is expected gains no field: it is brought into the calendar's words where an actual record names the same
    event, so that these two can meet, and else stands as it is written. Any id will do, if the calendar has it.
    """
    ids = tuple(event.id for event in calendar)
    told = {str(record.get(_ID)) for record in actual}
    mine = []
    for record in expected:
        full = named([record], calendar)[0] if str(record.get(_ID)) in told else record
        kept = {key: full[key] for key in record}
        mine.append(kept | ({_ID: ids} if record.get(_ID) is True else {}))
    return mine, named(actual, calendar)


def named(records: Sequence[Mapping[str, Any]], calendar: Sequence[CalendarEvent]) -> list[dict[str, Any]]:
    """Records with what the calendar says of the events they name.

    A delete *is* the event it names, whatever else it says. An update keeps what it says and has the rest from there.
    An id that names nothing changes nothing.
    """
    by_id = {event.id: event for event in calendar}
    return [_named(dict(record), by_id) for record in records]


def _named(record: dict[str, Any], by_id: Mapping[str, CalendarEvent]) -> dict[str, Any]:
    event = by_id.get(str(record.get(_ID)))
    action = str(record.get("action", "")).strip().lower()
    if event is None or action not in {"delete", "update"}:
        return record
    known = {key: getattr(event, name) for key, name in _NAMED.items() if getattr(event, name) is not None}
    if action == "delete":
        return record | known
    kept = ("title",) if record.get("start_time") else ("title", "start_time", "end_time")
    return record | {key: known[key] for key in kept if key in known and record.get(key) in (None, "")}
