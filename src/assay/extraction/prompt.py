"""What a model is asked for a sample, and what it must reply.

The instructions are a file of the package (`prompts/events.en.md`, `records.en.md`, versioned in their titles) or the
user's own. Everything else is data between marks that no text can forge: the situation (now, zone, owner), the
calendar, the text itself. The truth of the sample is not among it.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.extraction.protocol import Sample
from assay.extraction.record_type import RecordType
from assay.files import dump_json, read_text
from assay.judges.fence import Section, fenced, mark_of
from assay.llm.protocol import JsonSchema, Message

CONFIDENCES = ("high", "medium", "low")

_FOLDER = Path(__file__).parent / "prompts"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TASK = "Extract from the {what} above. Reply with the JSON object alone."
_TEXT = {"type": "string"}
_PERHAPS = {"type": ["string", "null"]}
_CONFIDENCE = {"type": "string", "enum": list(CONFIDENCES)}
_EVENT = {
    "action": {"type": "string", "enum": ["create", "update", "delete"]},
    "title": _TEXT,
    "start_time": _TEXT,
    "end_time": _PERHAPS,
    "existing_event_id": _PERHAPS,
    "location": _PERHAPS,
    "attendees": {"type": "array", "items": _TEXT},
    "confidence": _CONFIDENCE,
}
"""A time that cannot be read is one wrong record, which the scores tell, and not a reply that cannot be read."""


class Prompt(Struct, frozen=True, kw_only=True):
    """Instructions, and the reply they ask for."""

    instructions: str
    schema: JsonSchema
    is_event: bool

    @property
    def sha256(self) -> str:
        """Changes with every word of the instructions and with what must be replied."""
        parts = (self.instructions, _TASK, self.schema)
        return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()

    def messages(self, sample: Sample) -> tuple[Message, Message]:
        """The same system message for every sample, so that services can keep it; the data in the user's."""
        what = "conversation" if self.is_event else "text"
        sections = [Section("situation", self._situation(sample))]
        if self.is_event:
            sections.append(Section("calendar", _calendar(sample)))
        sections.append(Section(what, sample.text))
        mark = mark_of(sections)
        parts = (f"Mark of the data: {mark}", fenced(sections, mark), _TASK.format(what=what))
        return Message("system", self.instructions), Message("user", "\n\n".join(parts))

    def _situation(self, sample: Sample) -> str:
        now = sample.now
        facts: dict[str, Any] = {
            "now": now.isoformat(timespec="seconds"),
            "weekday": _WEEKDAYS[now.weekday()],
            "timezone": sample.timezone,
            "owner": sample.owner,
        }
        if not self.is_event:
            facts["fields"] = _item(self.schema)
        return dump_json({name: value for name, value in facts.items() if value is not None})


def load_prompt(path: Path | None, record: RecordType) -> Prompt:
    """The user's file, or the one of the package for that type of record."""
    path = path or _FOLDER / ("events.en.md" if record.is_event else "records.en.md")
    text = read_text(path)
    if not text.strip():
        raise AssayError("the prompt is empty", where=str(path))
    return Prompt(instructions=text, schema=reply_schema(record), is_event=record.is_event)


def reply_schema(record: RecordType) -> JsonSchema:
    """`{"events": [...]}`, or `{"records": [...]}` of another type, each with a confidence."""
    if record.is_event:
        return _listed("events", {"type": "object", "properties": _EVENT, "required": list(_EVENT)})
    known = record.json_schema
    properties = {**known.get("properties", {}), "confidence": _CONFIDENCE}
    required = [*known.get("required", ()), "confidence"]
    return _listed("records", {**known, "properties": properties, "required": required})


def _listed(name: str, item: dict[str, Any]) -> JsonSchema:
    listed = {"type": "array", "items": {**item, "additionalProperties": False}}
    schema = {"type": "object", "properties": {name: listed}, "required": [name], "additionalProperties": False}
    return JsonSchema(name=name, schema=schema)


def _item(schema: JsonSchema) -> Any:
    return schema.schema["properties"][schema.name]["items"]["properties"]


def _calendar(sample: Sample) -> str:
    """One event a line, as JSON: a title with a line break in it cannot look like another event."""
    return "\n".join(dump_json(msgspec.to_builtins(event)) for event in sample.calendar) or "(empty)"
