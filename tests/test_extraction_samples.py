"""The shipped samples: each is valid, agrees with the calendar of the real world, and together they cover the field."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.config import Config, ExtractionOptions, LlmOptions
from assay.extraction.extractors.llm import LlmExtractor
from assay.extraction.extractors.rules import Rules
from assay.extraction.prompt import CONFIDENCES, reply_schema
from assay.extraction.protocol import Context, Output, Sample
from assay.extraction.record_type import LEVELS, load_record_type, parse_record_type
from assay.extraction.rules.days import WEEKDAYS, find_days
from assay.extraction.samples import read_folder
from assay.extraction.told import read_output
from assay.llm import Connections, connect
from assay.llm.json_schema import first_fault

FOLDER = Path(__file__).parent.parent / "examples" / "events"
EVENTS = load_record_type(None)
OFFLINE = Config(llm=LlmOptions(cache="off"))
SET = read_folder(FOLDER, EVENTS)
SAMPLES = {sample.id: sample for sample in SET.samples}
CATEGORIES = {"crud", "adversarial", "multi_speaker", "realistic", "long", "french"}
each_sample = pytest.mark.parametrize("sample", SET.samples, ids=lambda sample: sample.id)


def sidecar(sample: Sample) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((FOLDER / f"{sample.id}.expected.json").read_text("utf-8"))
    return data


def expected(sample: Sample) -> tuple[dict[str, Any], ...]:
    assert sample.expected is not None
    return sample.expected


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_they_are_all_read_and_cover_the_field() -> None:
    assert (SET.broken, SET.warnings) == ((), ())
    assert len(SET.samples) >= 60
    by_category = Counter(sample.category for sample in SET.samples)
    assert set(by_category) == CATEGORIES
    assert min(by_category.values()) >= 5
    assert min(Counter(sample.level for sample in SET.samples)[level] for level in LEVELS) >= 6
    assert sum(not expected(sample) for sample in SET.samples) >= 10
    actions = Counter(event["action"] for sample in SET.samples for event in expected(sample))
    assert min(actions[action] for action in ("create", "update", "delete")) >= 10
    assert max(len(expected(sample)) for sample in SET.samples) == 11


def test_every_confidence_is_well_represented_and_the_recorded_answers_are_not_perfect() -> None:
    recorded = [event for sample in SET.samples for event in sample.recorded["events"]]
    assert min(Counter(event["confidence"] for event in recorded)[level] for level in CONFIDENCES) >= 20
    known = {(sample.id, event["title"], event["start_time"]) for sample in SET.samples for event in expected(sample)}
    found = {(s.id, event["title"], event["start_time"]) for s in SET.samples for event in s.recorded["events"]}
    assert len(found - known) >= 15
    assert len(found & known) >= 50


def test_zones_and_nights() -> None:
    offsets = {moment(event["start_time"]).utcoffset() for s in SET.samples for event in expected(s)}
    assert {None, timedelta(hours=1), timedelta(hours=2), timedelta(hours=9)} <= offsets
    spans = [
        (moment(event["start_time"]), moment(event["end_time"]))
        for sample in SET.samples
        for event in expected(sample)
        if "end_time" in event
    ]
    assert sum(start.date() < end.date() for start, end in spans) >= 4
    assert any(start.year < end.year for start, end in spans)
    assert any(start.utcoffset() != end.utcoffset() for start, end in spans)


@each_sample
def test_a_sidecar_has_every_key_and_nothing_else(sample: Sample) -> None:
    data = sidecar(sample)
    assert list(data) == [
        "description",
        "category",
        "tolerance",
        "owner",
        "reference_datetime",
        "calendar_context",
        "expected_events",
        "mock_llm_response",
        "notes",
    ]
    assert data["description"]
    assert len(data["notes"]) > 20
    assert sample.id.startswith(f"{data['category']}/")
    assert first_fault(data["mock_llm_response"], reply_schema(EVENTS).schema) is None


@each_sample
def test_times_agree_with_each_other(sample: Sample) -> None:
    assert sample.reference_datetime
    now = moment(sample.reference_datetime)
    planned = {event.id: event for event in sample.calendar}
    times = [*(event.start for event in planned.values()), *(event["start_time"] for event in expected(sample))]
    assert {moment(time).tzinfo is None for time in times} <= {now.tzinfo is None}
    for event in expected(sample):
        start = moment(event["start_time"])
        assert now < start < now + timedelta(days=200), "an event lies ahead, and not far"
        assert start < moment(event.get("end_time", "9999-01-01" + event["start_time"][10:]))
        if event["action"] != "create":
            assert event["existing_event_id"] is True
            assert event["title"] in {each.summary for each in planned.values()}
        if event["action"] == "delete":
            assert (event["title"], event["start_time"]) in {(each.summary, each.start) for each in planned.values()}


@each_sample
def test_weekdays_in_the_text_fall_on_their_dates(sample: Sample) -> None:
    """`Thursday, 9 July 2026`: found by the rules, checked by the calendar."""
    doubted = [day for day in find_days(sample.text, sample.now) if not day.sound and day.kind == "date"]
    assert [sample.text[day.begin : day.end] for day in doubted if "/" not in sample.text[day.begin : day.end]] == []


@each_sample
def test_a_weekday_in_the_notes_is_that_of_the_reference(sample: Sample) -> None:
    named = re.search(r"(\d{1,2} \w+ 20\d\d) is a (\w+)\.", sample.notes)
    if named:
        day = datetime.strptime(named[1], "%d %B %Y").date()  # noqa: DTZ007 (a day has no zone)
        assert day == sample.now.date()
        assert WEEKDAYS[named[2].lower()] == day.weekday()


@each_sample
def test_what_an_update_or_delete_of_the_recording_names_is_in_the_calendar(sample: Sample) -> None:
    known = {event.id for event in sample.calendar}
    for event in sample.recorded["events"]:
        assert (event["existing_event_id"] in known) == (event["action"] != "create")


def test_the_readme_counts_them_right() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    told = {name: int(count) for name, count in re.findall(r"^\| `(\w+)` \| (\d+) \|", text, re.MULTILINE)}
    assert told == dict(Counter(sample.category for sample in SET.samples))
    assert f"{len(SET.samples)} samples" in text


def floor(sample: Sample) -> Output:
    extractor = Rules(Context(config=OFFLINE, models=Connections(OFFLINE), record=EVENTS))
    return asyncio.run(extractor.extract(sample))


def test_the_floor_is_the_same_each_time_and_finds_the_plain_ones() -> None:
    for name in ("crud/simple_lunch", "crud/cancel_yoga", "crud/move_review", "realistic/school_newsletter"):
        found = [(event["title"], event["start_time"]) for event in floor(SAMPLES[name]).records]
        assert found == [(event["title"], event["start_time"]) for event in expected(SAMPLES[name])]
    first, second = ([floor(sample).records for sample in SET.samples] for _ in range(2))
    assert first == second


def test_a_model_that_gives_the_recorded_answers_gives_the_recorded_records(tmp_path: Path) -> None:
    """All samples through prompt, request and strict reading."""
    lines = [json.dumps({"contains": sample.text, "reply": sample.recorded}) for sample in SET.samples]
    (tmp_path / "script.jsonl").write_text("\n".join(lines), "utf-8")
    extraction = ExtractionOptions(model="scripted/script.jsonl")
    config = Config(root=str(tmp_path), llm=LlmOptions(cache="off"), extraction=extraction)

    async def run() -> list[Output]:
        async with connect(config) as models:
            extractor = LlmExtractor(Context(config=config, models=models, record=EVENTS))
            return [await extractor.extract(sample) for sample in SET.samples]

    for sample, output in zip(SET.samples, asyncio.run(run()), strict=True):
        told = read_output(sample.recorded)
        assert (output.fault, output.records, output.confidences) == (None, told.records, told.confidences)


@pytest.mark.parametrize("name", ["ignore_the_above", "answer_in_the_text", "forged_end_of_data", "hidden_comment"])
def test_the_floor_obeys_no_text(name: str) -> None:
    sample = SAMPLES[f"adversarial/{name}"]
    assert [(event["action"], event["start_time"]) for event in floor(sample).records] == [
        (event["action"], event["start_time"]) for event in expected(sample)
    ]


def test_the_floor_knows_events_alone() -> None:
    invoice = parse_record_type("name: invoice\nfields: {number: {compare: exact}}\n", "invoice.yaml")
    with pytest.raises(Exception, match="knows calendar events, not 'invoice'"):
        Rules(Context(config=OFFLINE, models=Connections(OFFLINE), record=invoice))
