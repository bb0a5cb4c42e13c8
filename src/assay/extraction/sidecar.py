"""`name.expected.json`: what is expected from `name.txt`, and when and where it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from assay.errors import AssayError, offer
from assay.extraction.protocol import CalendarEvent
from assay.extraction.record_type import RecordType
from assay.files import line_of, parse_json, read_text
from assay.metrics.records.comparator import Unread, Unreadable
from assay.metrics.records.moments import parsed
from assay.metrics.records.scheme import Field
from assay.validation import Keys, convert, shown

_YEARS = (1000, 9000)
_LONGEST_HINT = 200


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


class GoldLine(Sidecar, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a gold file: all that a sidecar says, with the id, perhaps the text, and other names of the records."""

    id: str | int
    text: str = ""
    records: tuple[dict[str, Any], ...] | None = None
    events: tuple[dict[str, Any], ...] | None = None
    record: dict[str, Any] | UnsetType | None = UNSET
    """One alone; null: none."""

    def expected(self) -> tuple[dict[str, Any], ...]:
        if self.record is not UNSET:
            return (self.record,) if self.record is not None else ()
        found = self.records if self.records is not None else self.events
        return super().expected() if found is None else found

    @property
    def keys(self) -> list[str]:
        """Under which the records are given."""
        lists = ("records", "events", "expected_events", "expected_records")
        found = [key for key in lists if getattr(self, key) is not None]
        return found if self.record is UNSET else [*found, "record"]


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
    if sidecar.expected_events is not None and sidecar.expected_records is not None:
        other = "expected_records" if record.is_event else "expected_events"
        raise AssayError(f"it has both '{key}' and '{other}'", where=place((other,)), hint="Keep one of them")
    check_content(sidecar, key, record, place)


def check_content(sidecar: Sidecar, key: str, record: RecordType, place: Any) -> None:
    """Everything but the key under which the records are."""
    if sidecar.tolerance not in record.levels:
        levels = " or ".join(record.levels)
        raise AssayError(f"tolerance is {shown(sidecar.tolerance)}", where=place(("tolerance",)), expected=levels)
    check_clock(sidecar.reference_datetime, sidecar.timezone, place)
    _check_calendar(sidecar.calendar_context, place)
    for number, event in enumerate(sidecar.expected_events or ()):
        _check_order(event, place, number)
    for number, each in enumerate(sidecar.expected()):
        check_record(each, record, lambda keys, at=number: place((key, at, *keys)))


def _check_calendar(calendar: tuple[CalendarEvent, ...], place: Any) -> None:
    """An id names one event, and its times can be read: both are needed to tell what a delete deletes."""
    seen: set[str] = set()
    for number, event in enumerate(calendar):
        if event.id in seen:
            raise AssayError(f"two events have the id '{event.id}'", where=place(("calendar_context", number, "id")))
        seen.add(event.id)
        for name in ("start", "end"):
            where = place(("calendar_context", number, name))
            _check_time(getattr(event, name) or event.start, f"calendar_context[{number}].{name}", where)


def check_clock(reference: Any, zone: Any, place: Any) -> None:
    """When and where a text was written, if that is said."""
    if reference is not None:
        _check_time(reference, "reference_datetime", place(("reference_datetime",)))
    if zone is not None:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, TypeError, ValueError, OSError):
            near = offer(str(zone), available_timezones())
            hint = near if len(near) < _LONGEST_HINT else "Such as Europe/Paris"
            raise AssayError(f"no timezone {shown(zone)}", where=place(("timezone",)), hint=hint) from None


def _check_time(value: Any, name: str, where: str) -> None:
    """It can be read, and reckoned with: the first and the last days there are have no neighbours."""
    try:
        year = parsed(value).year
    except Unreadable as fault:
        raise AssayError(f"{name}: {fault}", where=where) from None
    if not _YEARS[0] <= year <= _YEARS[1]:
        raise AssayError(f"{name} is in the year {year}", where=where, expected=f"{_YEARS[0]} to {_YEARS[1]}")


def _check_order(event: ExpectedEvent, place: Any, number: int) -> None:
    try:
        start, end = parsed(event.start_time), parsed(event.end_time or event.start_time)
    except Unreadable:
        return  # told for the field
    if (start.tzinfo is None) == (end.tzinfo is None) and end < start:
        where = place(("expected_events", number, "end_time"))
        raise AssayError(f"the end {event.end_time} is before the start {event.start_time}", where=where)


def _counts(field: Field) -> bool:
    """Whether a record is wrong if this field is, unless nothing is expected there."""
    return (field.key or field.scored) and field.when == "expected"


def check_record(record: dict[str, Any], kind: RecordType, place: Any) -> None:
    """An expected value that cannot be read could never be found: a mistake of the gold set."""
    for field in kind.scheme.fields:
        value = record.get(field.name)
        if _counts(field) and isinstance(value, str) and not value.strip():
            what = f"{field.name} is empty, so that anything would be right"
            raise AssayError(what, where=place((field.name,)), hint="Leave the key out if nothing is expected there")
        found = field.ready(value, None)
        if isinstance(found, Unread):
            raise AssayError(f"{field.name}: {found.reason}", where=place((field.name,)))
    known = kind.scheme.names
    for name in record:
        if name not in known:
            raise AssayError(f"unknown field '{name}'", where=place((name,)), hint=offer(name, known))
