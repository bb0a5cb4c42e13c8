"""Calendar events: the sidecar's words as those of a record, and ids as the events they name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    by_id = {event.id: event for event in calendar}
    told = {str(record.get(_ID)) for record in actual}
    mine = [_as_expected(record, by_id, told) for record in expected]
    return mine, [_named(dict(record), by_id) for record in actual]


def _as_expected(
    record: Mapping[str, Any], by_id: Mapping[str, CalendarEvent], told: Collection[str]
) -> dict[str, Any]:
    wanted = record.get(_ID)
    if wanted is True:
        return {**record, _ID: tuple(by_id)}
    if str(wanted) not in told:
        return dict(record)
    full = _named(dict(record), by_id)
    return {key: full[key] for key in record}


def _named(record: dict[str, Any], by_id: Mapping[str, CalendarEvent]) -> dict[str, Any]:
    """With what the calendar says of the event it names. An id that names nothing changes nothing.

    A delete *is* the event it names, whatever else it says. An update keeps what it says and has the rest from there.
    """
    event = by_id.get(str(record.get(_ID)))
    action = str(record.get("action", "")).strip().lower()
    if event is None or action not in {"delete", "update"}:
        return record
    known = {key: getattr(event, name) for key, name in _NAMED.items() if getattr(event, name) is not None}
    if action == "delete":
        return record | known
    kept = ("title",) if record.get("start_time") else ("title", "start_time", "end_time")
    return record | {key: known[key] for key in kept if key in known and record.get(key) in (None, "")}
