"""The words of extraction: a sample, what an extractor gives for it, and what every extractor is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from msgspec import Struct

from assay.config import Config
from assay.extraction.record_type import RecordType
from assay.metrics.records.moments import parsed
from assay.records import Fault
from assay.registry import Registry

if TYPE_CHECKING:
    from assay.llm import Connections
    from assay.llm.protocol import Usage


class CalendarEvent(Struct, frozen=True, kw_only=True):
    """An event that is in the calendar already."""

    id: str
    summary: str
    start: str
    end: str | None = None
    location: str | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """One text and, if there is a sidecar, what is expected from it."""

    id: str
    """Its path below the root, without the extension: `crud/simple_lunch`."""
    text: str
    category: str = "uncategorized"
    description: str = ""
    level: str = "moderate"
    owner: str | None = None
    reference_datetime: str | None = None
    timezone: str | None = None
    calendar: tuple[CalendarEvent, ...] = ()
    expected: tuple[dict[str, Any], ...] | None = None
    """None: nobody says; the sample is extracted and left out of the scores."""
    recorded: Any = None
    """`mock_llm_response`."""
    notes: str = ""
    where: str = ""
    text_sha256: str | None = None
    """Of a text that was read before, where only what was said of it is at hand."""

    @property
    def tags(self) -> dict[str, str]:
        return {"category": self.category, "level": self.level}

    @property
    def zone(self) -> tzinfo | None:
        """Of times without an offset: the named zone, else the offset of `reference_datetime`."""
        if self.timezone:
            from zoneinfo import ZoneInfo

            return ZoneInfo(self.timezone)
        return parsed(self.reference_datetime).tzinfo if self.reference_datetime else None

    @property
    def now(self) -> datetime:
        """The time at which the text was written; without one, this moment, on the clock of this machine."""
        if not self.reference_datetime:
            return datetime.now(self.zone).astimezone(self.zone)
        found = parsed(self.reference_datetime)
        return found.replace(tzinfo=self.zone) if found.tzinfo is None else found


class Output(Struct, frozen=True, kw_only=True):
    """What an extractor gave for a sample."""

    records: tuple[dict[str, Any], ...] = ()
    confidences: tuple[str | float | None, ...] = ()
    """One for each record; empty: none is told."""
    usage: Usage | None = None
    seconds: float | None = None
    model: str | None = None
    attempts: int = 1
    fault: Fault | None = None
    """What went wrong; there are no records then."""


class Extractor(Protocol):
    """Called for several samples at once. A sample's fault is an Output with a fault; one of all samples is raised."""

    @property
    def name(self) -> str: ...

    async def extract(self, sample: Sample) -> Output: ...

    async def close(self) -> None: ...


@runtime_checkable
class Fingerprinted(Protocol):
    """An extractor that is made from files: the SHA-256 of each, by what it is (prompt, recorded)."""

    @property
    def inputs(self) -> Mapping[str, str]: ...


class Context(Struct, frozen=True, kw_only=True):
    """What an extractor is made from."""

    config: Config
    models: Connections
    record: RecordType
    argument: str = ""
    """What stands behind the colon: `python:module:function` gives `module:function`."""


EXTRACTORS: Registry[Callable[[Context], Extractor]] = Registry("extractor", "assay.extraction.extractors")
