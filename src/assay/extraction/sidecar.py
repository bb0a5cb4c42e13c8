"""`name.expected.json`: what is expected from `name.txt`, and when and where it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from assay.errors import AssayError, offer
from assay.extraction.protocol import CalendarEvent
from assay.extraction.record_type import RecordType
from assay.files import line_of, parse_json, read_text
from assay.metrics.records.comparator import Unread, Unreadable
from assay.metrics.records.moments import parsed
from assay.validation import Keys, convert, shown


class ExpectedEvent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event that should be found."""

    action: Literal["create", "update", "delete"]
    title: str
    start_time: str
    end_time: str | None = None
    existing_event_id_required: bool | str = False
    """True: any id will do; a text: that id."""
    location: str | None = None
    attendees_contain: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        record = {
            "action": self.action,
            "title": self.title,
            "start_time": self.start_time,
            "end_time": self.end_time,
            "location": self.location,
            "attendees": [name for name in self.attendees_contain if name.strip()],
            "existing_event_id": self.existing_event_id_required or None,
        }
        return {key: value for key, value in record.items() if value is not None and value != []}


class Sidecar(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. Events, or records of any other type."""

    description: str = ""
    category: str | None = None
    tolerance: str = "moderate"
    owner: str | None = None
    reference_datetime: str | None = None
    timezone: str | None = None
    calendar_context: tuple[CalendarEvent, ...] = ()
    expected_events: tuple[ExpectedEvent, ...] | None = None
    expected_records: tuple[dict[str, Any], ...] | None = None
    mock_llm_response: Any = None
    notes: str = ""

    def expected(self) -> tuple[dict[str, Any], ...]:
        if self.expected_events is not None:
            return tuple(event.as_record() for event in self.expected_events)
        return self.expected_records or ()


def read_sidecar(path: Path, record: RecordType) -> Sidecar:
    """Validated; a fault names file and line."""
    text = read_text(path)

    def place(keys: Keys) -> str:
        return f"{path}:{line_of(text, keys)}"

    if not text.strip():
        raise AssayError("the file is empty", where=f"{path}:1", expected="an object with expected_events")
    data = parse_json(text, str(path))
    if not isinstance(data, dict):
        raise AssayError(f"it is {shown(data)}", where=f"{path}:1", expected="an object with expected_events")
    sidecar = convert(data, Sidecar, place)
    _check(sidecar, record, place)
    return sidecar


def _check(sidecar: Sidecar, record: RecordType, place: Any) -> None:
    key = "expected_events" if record.is_event else "expected_records"
    if getattr(sidecar, key) is None:
        raise AssayError(f"it has no '{key}'", where=place(()), hint="An empty list says that nothing is expected")
    if sidecar.tolerance not in record.levels:
        levels = " or ".join(record.levels)
        raise AssayError(f"tolerance is {shown(sidecar.tolerance)}", where=place(("tolerance",)), expected=levels)
    _check_times(sidecar, place)
    for number, each in enumerate(sidecar.expected()):
        check_record(each, record, lambda keys, at=number: place((key, at, *keys)))


def _check_times(sidecar: Sidecar, place: Any) -> None:
    check_clock(sidecar.reference_datetime, sidecar.timezone, place)
    for number, event in enumerate(sidecar.expected_events or ()):
        _check_order(event, place, number)


def check_clock(reference: Any, zone: Any, place: Any) -> None:
    """When and where a text was written, if that is said."""
    if reference is not None:
        try:
            parsed(reference)
        except Unreadable as fault:
            raise AssayError(f"reference_datetime: {fault}", where=place(("reference_datetime",))) from None
    if zone is not None:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, TypeError, ValueError, OSError):
            hint = offer(str(zone), available_timezones())
            raise AssayError(f"no timezone '{zone}'", where=place(("timezone",)), hint=hint) from None


def _check_order(event: ExpectedEvent, place: Any, number: int) -> None:
    try:
        start, end = parsed(event.start_time), parsed(event.end_time or event.start_time)
    except Unreadable:
        return  # told for the field
    if (start.tzinfo is None) == (end.tzinfo is None) and end < start:
        where = place(("expected_events", number, "end_time"))
        raise AssayError(f"the end {event.end_time} is before the start {event.start_time}", where=where)


def check_record(record: dict[str, Any], kind: RecordType, place: Any) -> None:
    """An expected value that cannot be read could never be found: a mistake of the gold set."""
    for field in kind.scheme.fields:
        found = field.ready(record.get(field.name), None)
        if isinstance(found, Unread):
            raise AssayError(f"{field.name}: {found.reason}", where=place((field.name,)))
    known = kind.scheme.names
    for name in record:
        if name not in known:
            raise AssayError(f"unknown field '{name}'", where=place((name,)), hint=offer(name, known))
