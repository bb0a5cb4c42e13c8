"""The floor every model should beat: events by rules and a date library, offline, the same each time.

What the rules are is said in `assay.extraction.rules`. They know calendar events in English and French.
"""

from __future__ import annotations

from datetime import datetime
from time import perf_counter

from assay.errors import AssayError
from assay.extraction.protocol import EXTRACTORS, CalendarEvent, Context, Output, Sample
from assay.extraction.rules import Planned, find_events
from assay.extraction.told import read_output
from assay.metrics.records.comparator import Unreadable
from assay.metrics.records.moments import parsed

NAME = "rules"


@EXTRACTORS.register(NAME)
class Rules:
    """`find_events` for samples."""

    name = NAME
    paces_itself = True

    def __init__(self, context: Context) -> None:
        if not context.record.is_event:
            raise AssayError(
                f"the extractor '{NAME}' knows calendar events, not '{context.record.name}'",
                hint="Name a model with --model, or an extractor of your own with --system",
            )

    async def extract(self, sample: Sample) -> Output:
        start = perf_counter()
        now = sample.now.astimezone(sample.zone) if sample.now.tzinfo and sample.zone else sample.now
        calendar = [planned for event in sample.calendar if (planned := _planned(event, now)) is not None]
        output = read_output(find_events(sample.text, now, calendar))
        return Output(records=output.records, confidences=output.confidences, seconds=perf_counter() - start)

    async def close(self) -> None:
        """Nothing is open."""


def _planned(event: CalendarEvent, now: datetime) -> Planned | None:
    """None: its times cannot be read, so the rules cannot tell when it is."""
    try:
        start = parsed(event.start)
        end = parsed(event.end) if event.end else None
    except Unreadable:
        return None
    return Planned(
        id=event.id, title=event.summary, start=_in_zone(start, now), end=_in_zone(end, now) if end else None
    )


def _in_zone(moment: datetime, now: datetime) -> datetime:
    """Calendar and conversation both with a zone, or both without."""
    if (moment.tzinfo is None) == (now.tzinfo is None):
        return moment
    return moment.replace(tzinfo=now.tzinfo)
