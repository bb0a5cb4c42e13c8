"""Samples and what is read of them: sidecars, categories, faults with file and line; answers of all kinds."""

from __future__ import annotations

import dataclasses
import json
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from extraction_project import DINNER, LUNCH, event, sidecar, write_sample

from assay.errors import AssayError
from assay.extraction.events import both_named
from assay.extraction.protocol import CalendarEvent, Output
from assay.extraction.record_type import load_record_type, parse_record_type
from assay.extraction.samples import read_folder, read_gold, read_sample
from assay.extraction.told import read_output
from assay.files import dump_json
from assay.metrics.records import match
from assay.retrievers.answers import BadAnswer

EVENT = load_record_type(None)


def test_categories_levels_and_ids(tmp_path: Path) -> None:
    write_sample(tmp_path, "crud/deep/lunch", sidecar([LUNCH]))
    write_sample(tmp_path, "hard/dinner", sidecar([DINNER], category="evening", tolerance="relaxed"))
    write_sample(tmp_path, "alone", sidecar([]))
    found = read_folder(tmp_path, EVENT)
    assert [(s.id, s.category, s.level) for s in found.samples] == [
        ("alone", "uncategorized", "moderate"),
        ("crud/deep/lunch", "crud", "moderate"),
        ("hard/dinner", "evening", "relaxed"),
    ]
    assert found.broken == ()
    assert found.warnings == ()


def test_a_text_without_a_sidecar_is_warned_about_and_not_scored(tmp_path: Path) -> None:
    write_sample(tmp_path, "a", sidecar([LUNCH]))
    path = write_sample(tmp_path, "b", None)
    found = read_folder(tmp_path, EVENT)
    assert [sample.id for sample in found.scored] == ["a"]
    assert found.warnings == (f"{path} has no .expected.json beside it: extracted, and left out of the scores",)


FINE = sidecar([LUNCH])
BACKWARDS = """{"expected_events": [{"action": "create", "title": "x", "start_time": "2026-01-02",
"end_time": "2026-01-01"}]}"""


@pytest.mark.parametrize(
    ("written", "line", "told"),
    [
        ("", 1, "the file is empty"),
        ("[]", 1, "it is []; expected an object with expected_events"),
        ('{"expected_events": [],\n]', 2, "not JSON"),
        (
            '{"description": "x",\n "expectd_events": []}',
            2,
            "unknown key 'expectd_events'. Did you mean expected_events",
        ),
        ('{"description": "x"}', 1, "it has no 'expected_events'"),
        (
            '{"expected_events": [],\n"tolerance": "stric"}',
            2,
            "tolerance is 'stric'; expected strict or moderate or relax",
        ),
        ('{"expected_events": [\n{"action": "create"}]}', 2, "expected_events[0] has no 'title'"),
        (
            '{"expected_events": [\n{"action": "make", "title": "x", "start_time": "2026-01-01"}]}',
            2,
            "expected create or",
        ),
        (
            '{"expected_events": [{"action": "create", "title": "x",\n"start_time": "noon"}]}',
            2,
            "start_time: 'noon' is no",
        ),
        (
            BACKWARDS,
            2,
            "the end 2026-01-01 is before the start 2026-01-02",
        ),
        (
            '{"expected_events": [],\n"reference_datetime": "yesterday"}',
            2,
            "reference_datetime: 'yesterday' is no time",
        ),
        (
            '{"expected_events": [],\n"reference_datetime": "0001-01-01T00:00:00+14:00"}',
            2,
            "reference_datetime is in the year 1; expected 1000 to 9000",
        ),
        ('{"expected_events": [],\n"timezone": ""}', 2, "no timezone ''. Such as Europe/Paris"),
        (
            '{"expected_events": [],\n"timezone": "Europe/Pari"}',
            2,
            "no timezone 'Europe/Pari'. Did you mean Europe/Paris",
        ),
        (
            '{"expected_events": [{"action": "create",\n"title": " ", "start_time": "2026-01-01"}]}',
            2,
            "title is empty, so that anything would be right",
        ),
        (
            '{"expected_events": [{"action": "create", "title": "x",\n"start_time": ""}]}',
            2,
            "start_time is empty, so that anything would be right",
        ),
        (
            '{"expected_events": [],\n"expected_records": []}',
            2,
            "it has both 'expected_events' and 'expected_records'",
        ),
        (
            (
                '{"expected_events": [], "calendar_context": [{"id": "a", "summary": "x", "start": "2026-01-01"},\n'
                '{"id": "a", "summary": "y", "start": "2026-01-01"}]}'
            ),
            2,
            "two events have the id 'a'",
        ),
        (
            '{"expected_events": [], "calendar_context": [{"id": "a", "summary": "x",\n"start": "noon"}]}',
            2,
            "calendar_context[0].start: 'noon' is no time",
        ),
        (
            (
                '{"expected_events": [], "calendar_context": [{"id": "a", "summary": "x", "start": "2026-01-01",\n'
                '"end": "late"}]}'
            ),
            2,
            "calendar_context[0].end: 'late' is no time",
        ),
    ],
)
def test_a_broken_sidecar_is_told_with_its_line_and_the_others_go_on(
    tmp_path: Path, written: str, line: int, told: str
) -> None:
    write_sample(tmp_path, "bad", written)
    write_sample(tmp_path, "good", FINE)
    found = read_folder(tmp_path, EVENT)
    assert [sample.id for sample in found.samples] == ["good"]
    (broken,) = found.broken
    assert broken.id == "bad"
    assert f"bad.expected.json:{line}: " in broken.message
    assert told in broken.message


def test_a_text_that_is_not_utf8_and_a_sidecar_alone_are_broken_samples(tmp_path: Path) -> None:
    write_sample(tmp_path, "latin", FINE).write_bytes(b"ok\nD\xe9jeuner")
    write_sample(tmp_path, "lost", FINE).unlink()
    messages = [each.message for each in read_folder(tmp_path, EVENT).broken]
    assert f"{tmp_path / 'latin.txt'}:2: not UTF-8" in messages[0]
    assert messages[1].endswith("no lost.txt beside it")


def test_an_empty_text_is_a_sample(tmp_path: Path) -> None:
    path = write_sample(tmp_path, "empty", sidecar([]), text="")
    found = read_folder(tmp_path, EVENT)
    assert found.samples[0].text == ""
    assert found.warnings == (f"{path} is empty",)


def test_no_sample_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"no sample: there is no \*\.txt"):
        read_folder(tmp_path, EVENT)


def test_what_is_expected_in_the_words_of_a_record(tmp_path: Path) -> None:
    expected = event(
        "Déjeuner 🍽", "2026-03-02T12:00", attendees_contain=["Ana", " "], existing_event_id_required="ev-1"
    )
    sample = read_sample(write_sample(tmp_path, "s", sidecar([expected])), "s", EVENT)
    assert sample.expected == (
        {
            "action": "create",
            "title": "Déjeuner 🍽",
            "start_time": "2026-03-02T12:00",
            "attendees": ["Ana"],
            "existing_event_id": "ev-1",
        },
    )


def test_now_and_zone_come_from_the_sidecar(tmp_path: Path) -> None:
    path = write_sample(tmp_path, "s", sidecar([]))
    sample = read_sample(path, "s", EVENT)
    assert sample.now == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert sample.zone is not None
    assert sample.zone.utcoffset(None) == timedelta(hours=1)
    write_sample(tmp_path, "s", sidecar([], timezone="Europe/Paris", reference_datetime="2026-07-01T09:00"))
    assert read_sample(path, "s", EVENT).now == datetime(2026, 7, 1, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("2026-03-02T24:00:00+01:00", datetime(2026, 3, 2, 23, tzinfo=UTC)),
        (" 2026-03-02T09:00:00+01:00 ", datetime(2026, 3, 2, 8, tzinfo=UTC)),
    ],
)
def test_a_time_that_a_sidecar_may_have_can_also_be_used(tmp_path: Path, written: str, now: datetime) -> None:
    sample = read_sample(write_sample(tmp_path, "s", sidecar([], reference_datetime=written)), "s", EVENT)
    assert sample.now == now
    assert sample.zone is not None


def test_without_a_sidecar_it_is_now_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        now = read_sample(write_sample(tmp_path, "s", None), "s", EVENT).now
    finally:
        monkeypatch.undo()
        time.tzset()
    assert now.utcoffset() == timedelta(hours=9)
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize(
    "change",
    [
        {"timezone": "Asia/Tokyo"},
        {"owner": "Ana"},
        {"reference_datetime": "2026-03-03T09:00:00+01:00"},
        {"calendar_context": [{"id": "a", "summary": "x", "start": "2026-01-01"}]},
        {"tolerance": "strict"},
        {"category": "other"},
        {"expected_events": [DINNER]},
    ],
)
def test_whatever_can_change_a_result_changes_the_digest(tmp_path: Path, change: dict[str, Any]) -> None:
    write_sample(tmp_path, "s", FINE)
    before = read_folder(tmp_path, EVENT)
    write_sample(tmp_path, "s", FINE | change)
    after = read_folder(tmp_path, EVENT)
    assert after.sha256 != before.sha256
    assert after.recorded_sha256 == before.recorded_sha256


def test_recorded_answers_have_a_digest_of_their_own(tmp_path: Path) -> None:
    write_sample(tmp_path, "s", FINE)
    before = read_folder(tmp_path, EVENT)
    write_sample(tmp_path, "s", FINE | {"mock_llm_response": [DINNER]})
    after = read_folder(tmp_path, EVENT)
    assert (after.sha256, after.recorded_sha256 == before.recorded_sha256) == (before.sha256, False)


def test_hidden_folders_are_skipped_and_capitals_read(tmp_path: Path) -> None:
    for name in (".venv/lib/licence", ".git/x", "a/.cache/y", ".hidden"):
        write_sample(tmp_path, name, FINE)
    write_sample(tmp_path, "a/loud", FINE).rename(tmp_path / "a" / "loud.TXT")
    found = read_folder(tmp_path, EVENT)
    assert [(sample.id, sample.expected is not None) for sample in found.samples] == [("a/loud", True)]
    assert found.broken == ()


def test_two_texts_of_one_name_are_told(tmp_path: Path) -> None:
    write_sample(tmp_path, "a", FINE)
    (tmp_path / "a.TXT").write_text("LUNCH")
    if not (tmp_path / "a.txt").samefile(tmp_path / "a.TXT"):
        (broken,) = read_folder(tmp_path, EVENT).broken
        assert "another text has this name" in broken.message


CALENDAR = (
    CalendarEvent(id="ev-1", summary="Yoga", start="2026-03-05T18:00", end="2026-03-05T19:00", location="Hall"),
)


def named(records: list[dict[str, Any]], calendar: tuple[CalendarEvent, ...]) -> list[dict[str, Any]]:
    return both_named([], records, calendar)[1]


def test_a_delete_is_the_event_its_id_names() -> None:
    (found,) = named([{"action": "delete", "existing_event_id": "ev-1", "title": "the class"}], CALENDAR)
    assert (found["title"], found["start_time"], found["end_time"]) == ("Yoga", "2026-03-05T18:00", "2026-03-05T19:00")
    unknown = {"action": "delete", "existing_event_id": "ev-9", "title": "the class"}
    assert named([unknown], CALENDAR) == [unknown]


def test_an_update_keeps_what_it_says() -> None:
    moved = {"action": "update", "existing_event_id": "ev-1", "start_time": "2026-03-06T18:00"}
    assert named([moved], CALENDAR) == [moved | {"title": "Yoga"}]
    renamed = {"action": "update", "existing_event_id": "ev-1", "title": "Pilates"}
    assert named([renamed], CALENDAR)[0]["start_time"] == "2026-03-05T18:00"


GONE = {"action": "delete", "title": "Yoga class", "start_time": "2026-03-05T18:00", "existing_event_id": "ev-1"}


@pytest.mark.parametrize(
    ("expected", "said", "right"),
    [
        # no id: compared with what is written, and nothing is added to that
        (GONE, {"action": "delete", "title": "Yoga class", "start_time": "2026-03-05T18:00"}, True),
        (GONE, {"action": "delete", "existing_event_id": "ev-1"}, True),
        (GONE, {"action": "delete", "existing_event_id": "ev-1", "title": "that", "start_time": "2027-01-01"}, True),
        (GONE, {"action": "delete", "existing_event_id": "ev-2"}, False),
        (GONE, {"action": "delete", "title": "Choir", "start_time": "2026-03-05T18:00"}, False),
        ({"action": "update", "existing_event_id": "ev-1", "start_time": "2026-03-06T18:00"},
         {"action": "update", "start_time": "2026-03-06T18:00"}, True),
    ],
)  # fmt: skip
def test_a_delete_with_and_without_an_id(expected: dict[str, Any], said: dict[str, Any], right: bool) -> None:
    calendar = (*CALENDAR, CalendarEvent(id="ev-2", summary="Choir", start="2026-03-08T10:00"))
    found = match(*both_named([expected], [said], calendar), EVENT.level("strict"))
    assert [pair.matched for pair in found.pairs] == [right]


@pytest.mark.parametrize(("said", "right"), [("ev-1", True), ("ev-99", False), (None, False), (True, False)])
def test_an_id_that_is_in_no_calendar_is_wrong(said: Any, right: bool) -> None:
    expected = {"action": "update", "title": "Yoga", "start_time": "2026-03-06", "existing_event_id": True}
    found = match(*both_named([expected], [expected | {"existing_event_id": said}], CALENDAR), EVENT.scheme)
    (pair,) = found.pairs
    assert dict(zip(EVENT.scheme.names, pair.verdicts, strict=True))["existing_event_id"] is right


@dataclasses.dataclass
class Invoice:
    number: str
    issued: datetime
    total: Decimal
    confidence: float = 0.5


@pytest.mark.parametrize(
    ("given", "records", "confidences"),
    [
        ([], (), ()),
        ([{"a": 1}], ({"a": 1},), ()),
        ({"events": [{"a": 1, "confidence": "high"}, {"a": 2}]}, ({"a": 1}, {"a": 2}), ("high", None)),
        ('{"records": [{"a": null}]}', ({"a": None},), ()),
        (
            [Invoice("7", datetime(2026, 1, 2, tzinfo=UTC), Decimal("9.50"))],
            ({"number": "7", "issued": "2026-01-02T00:00:00+00:00", "total": 9.5},),
            (0.5,),
        ),
    ],
)
def test_answers_that_can_be_read(given: Any, records: tuple[Any, ...], confidences: tuple[Any, ...]) -> None:
    found = read_output(given)
    assert (found.records, found.confidences) == (records, confidences)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "there are no records in None"),
        ({"event": []}, "an object with the keys 'event'"),
        (["a"], "record 1 is str; expected an object"),
        ("no JSON", "not JSON"),
        ([{"a": float("nan")}], "a value is nan"),
        ([{"a": object()}], "a value is object"),
        ([{"confidence": [1]}], "the confidence of record 1"),
    ],
)
def test_answers_that_cannot(given: Any, told: str) -> None:
    with pytest.raises(BadAnswer, match=told):
        read_output(given)


def test_tokens_and_seconds_are_taken_where_they_are_told() -> None:
    given = {"records": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}, "timing": {"total_ms": 1500}}
    found = read_output(given)
    assert isinstance(found, Output)
    assert found.usage is not None
    assert (found.usage.prompt, found.usage.completion, found.seconds) == (10, 2, 1.5)


INVOICE = """\
name: invoice
fields:
  number: {compare: exact, key: true}
  supplier: {compare: ratio, at_least: 85}
  total: {compare: number, absolute: 0.01, weight: 2}
  lines: {compare: records, fields: {item: {compare: ratio}, price: {compare: number}}}
levels:
  strict: {supplier: {compare: text}, total: {absolute: 0}}
"""


def test_a_record_type_is_a_file_of_fields_and_levels() -> None:
    found = parse_record_type(INVOICE, "invoice.yaml")
    assert list(found.levels) == ["strict", "moderate", "relaxed"]
    strict, moderate = found.level("strict"), found.level("moderate")
    assert [type(field.comparator).__name__ for field in strict.fields] == ["Exact", "Text", "Number", "Records"]
    assert (strict.fields[2].weight, strict.fields[0].key) == (2.0, True)
    assert moderate.fields[1].comparator.at_least == 85  # type: ignore[attr-defined]
    assert found.json_schema["properties"]["lines"]["anyOf"][0]["type"] == "array"
    with pytest.raises(AssayError, match=r"unknown level 'stric'\. Did you mean strict"):
        found.level("stric")


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("compare: exact", "compare: exakt", 3, "unknown comparator 'exakt'. Did you mean exact"),
        ("at_least: 85", "at_leest: 85", 4, "unknown key 'at_leest'. Did you mean at_least"),
        ("at_least: 85", "at_least: 850", 4, "at_least is 850; expected a number <= 100"),
        ("weight: 2", "weight: 0", 5, "weight is 0"),
        ("total: {absolute: 0}", "totl: {absolute: 0}", 8, "unknown field 'totl'. Did you mean total"),
        ("total: {absolute: 0}", "total: {absolute: -1}", 8, "absolute is -1"),
        (
            "fields: {item: {compare: ratio}, price: {compare: number}}",
            "at_least: 1",
            6,
            "nested records need 'fields'",
        ),
        ("item: {compare: ratio}", "item: {compare: rato}", 6, "unknown comparator 'rato'"),
        ("name: invoice", "nam: invoice", 1, "unknown key 'nam'. Did you mean name"),
    ],
)
def test_a_mistake_in_a_record_type_is_told_with_its_line(old: str, new: str, line: int, told: str) -> None:
    assert old in INVOICE
    with pytest.raises(AssayError) as fault:
        parse_record_type(INVOICE.replace(old, new), "invoice.yaml")
    assert str(fault.value).startswith(f"invoice.yaml:{line}: ")
    assert told in str(fault.value)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('{"records": []}', "gold.jsonl:1: the line has no 'id'"),
        ('{"id": "a"}', "gold.jsonl:1: the line has no list 'records'"),
        ('{"id": "a", "records": []}\n{"id": "a", "records": []}', "gold.jsonl:2: 'a' is given twice"),
        ('{"id": "a", "records": [{"total": "much"}]}', "gold.jsonl:1: total: 'much' is no number"),
        ('{"id": "a", "records": [{"totl": 1}]}', "gold.jsonl:1: unknown field 'totl'. Did you mean total"),
        ('{"id": "a", "records": [], "timezone": 5}', "gold.jsonl:1: timezone is 5; expected text"),
        (
            '{"id": "a", "records": [], "reference_datetime": "now"}',
            "gold.jsonl:1: reference_datetime: 'now' is no time",
        ),
        ('{"id": "a", "records": [], "tolerance": ["x"]}', "gold.jsonl:1: tolerance is"),
        ('{"id": "a", "records": [], "categry": "x"}', "gold.jsonl:1: unknown key 'categry'. Did you mean category"),
        ('{"id": "a", "records": [], "record": null}', "gold.jsonl:1: the line has both 'records' and 'record'"),
        ('{"id": "a", "records": [{"supplier": " "}]}', "gold.jsonl:1: supplier is empty"),
        ('{"id": "a", "records": [], "timezone": "Mars"}', "gold.jsonl:1: no timezone 'Mars'"),
        ("", "there is no sample"),
    ],
)
def test_a_mistake_in_a_gold_file_is_told_with_its_line(tmp_path: Path, lines: str, told: str) -> None:
    (tmp_path / "gold.jsonl").write_text(lines)
    with pytest.raises(AssayError, match=told.replace("'", ".").replace(".jsonl", r"\.jsonl")):
        read_gold(tmp_path / "gold.jsonl", parse_record_type(INVOICE, "invoice.yaml"))


def test_gold_lines_speak_as_sidecars_do(tmp_path: Path) -> None:
    expected = event("Yoga", "2026-03-05T18:00", "delete", existing_event_id_required=True, attendees_contain=["Ana"])
    calendar = [{"id": "ev-1", "summary": "Yoga", "start": "2026-03-05T18:00"}]
    line = {
        "id": 7,
        "expected_events": [expected],
        "calendar_context": calendar,
        "owner": "Tove",
        "tolerance": "strict",
    }
    (tmp_path / "gold.jsonl").write_text(json.dumps(line) + '\n{"id": "b", "record": null}')
    seven, b = read_gold(tmp_path / "gold.jsonl", EVENT).samples
    assert (seven.id, seven.owner, seven.level, seven.calendar[0].id) == ("7", "Tove", "strict", "ev-1")
    assert seven.expected == (
        {"action": "delete", "title": "Yoga", "start_time": "2026-03-05T18:00", "attendees": ["Ana"],
         "existing_event_id": True},
    )  # fmt: skip
    assert b.expected == ()


@pytest.mark.parametrize("usable", [0, 1, 3])
def test_the_digest_is_that_of_one_json_text(tmp_path: Path, usable: int) -> None:
    """Though it is made sample by sample: a run of an earlier version goes on."""
    for number in range(usable):
        write_sample(tmp_path, f"s{number}", FINE, text=f"Lunch {number} à midi")
    write_sample(tmp_path, "broken", "{")
    found = read_folder(tmp_path, EVENT)
    parts: list[Any] = [
        [s.id, s.text, s.level, s.category, s.expected, s.reference_datetime, s.timezone, s.owner, []]
        for s in found.samples
    ]
    assert len(parts) == usable
    assert found.sha256 == sha256(dump_json([parts, ["broken"]]).encode()).hexdigest()
    recorded = [[s.id, s.recorded] for s in found.samples]
    assert found.recorded_sha256 == sha256(dump_json(recorded).encode()).hexdigest()
