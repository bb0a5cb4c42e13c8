"""`assay extract` as a user runs it: folders, one text, outputs with gold, faults, resuming, summary, history."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from chat_server import Answer, ChatServer, chat, error
from extraction_project import DINNER, LUNCH, event, last, make, rows, sidecar, write_sample
from fake_server import FakeServer, Reply

from assay.cli.main import main
from assay.extraction import subject
from assay.report.benchmark import write_benchmark
from assay.report.extraction import samples
from assay.runs.history import FILE_NAME

Run = Callable[..., int]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_recorded_answers_are_scored_by_hand(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "samples", "--system", "recorded"]) == 0
    scores = {id_: [row["scores"][m] for m in ("precision", "recall", "f1")] for id_, row in rows(project).items()}
    assert scores == {
        "crud/right": [1.0, 1.0, 1.0],
        "crud/half": [0.5, 0.5, 0.5],
        "hard/invented": [0.0, 1.0, 0.0],
        "hard/nothing": [1.0, 1.0, 1.0],
        "loose": [1.0, 1.0, 1.0],
    }
    summary = last(project).summary
    assert summary["metrics"]["f1"] == pytest.approx(3.5 / 5)
    # right 2 + 1 + 0 + 0 + 1, wrong 0 + 1 + 1, missed 0 + 1
    assert summary["overall"]["counts"] == {"true_positives": 4, "false_positives": 2, "false_negatives": 1}
    assert summary["metrics"]["micro_f1"] == pytest.approx(8 / 11)
    assert summary["by_category"]["crud"]["metrics"]["f1"]["mean"] == pytest.approx(0.75)
    assert summary["by_field"]["start_time"] == {
        "compared": 5,
        "right": 4,
        "accuracy": 0.8,
        "often": [["3 h apart, limit 2 h", 1]],
    }
    assert [(level["name"], level["n"], level["right"]) for level in summary["confidence"]["levels"]] == [
        ("high", 2, 2),
        ("medium", 1, 0),
        ("low", 1, 0),
    ]
    assert summary["confidence"]["levels"][0]["reason"] == "too few: 2 of 10 records"
    out, err = capsys.readouterr()
    assert "[2/5] crud/right  P=1.00 R=1.00\n" in err
    assert "[" not in out.splitlines()[0]
    assert "No summary was written: no model extracts, and none is named in extraction.summary_model." in out


def test_one_line_of_history_with_the_totals(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["extract", "--system", "recorded", "--quiet"])
    (entry,) = [json.loads(line) for line in (project / "runs" / FILE_NAME).read_text().splitlines()]
    assert entry["kind"] == "extraction"
    assert (entry["sample_count"], entry["scored_count"], entry["model"]) == (5, 5, "recorded")
    assert (entry["precision"], entry["recall"], entry["f1"]) == pytest.approx((0.7, 0.9, 0.7))
    assert (entry["avg_latency_s"], entry["est_cost_usd"]) == (None, 0.0)
    datetime.fromisoformat(entry["timestamp"])
    capsys.readouterr()
    assert main(["history", "--kind", "extraction"]) == 0
    assert "0.700" in capsys.readouterr().out


def test_the_reports_show_each_sample_field_by_field(project: Path) -> None:
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    (written,) = (project / "reports").iterdir()
    assert re.fullmatch(r"benchmark_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.md", written.name)
    text = written.read_text("utf-8")
    assert text == (last(project).path / "report.md").read_text("utf-8")
    assert "- start_time: 2026-03-02T19:00:00\n+ start_time: 2026-03-02T22:00:00    (3 h apart, limit 2 h)" in text
    assert "  location: Chez Ana" in text
    assert "crud/half" in (last(project).path / "report.html").read_text("utf-8")


def test_the_markdown_has_a_diff_of_a_sample_without_a_mistake_too(project: Path) -> None:
    near = {**LUNCH, "title": "Lunch!", "start_time": "2026-03-02T13:00:00"}
    write_sample(project / "samples", "crud/near", sidecar([LUNCH], [near]))
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    text = (last(project).path / "report.md").read_text("utf-8")
    assert "~ start_time: 2026-03-02T12:00:00  ≈  2026-03-02T13:00:00" in text
    assert [text.count(f"<summary>✓ {id_} ·") for id_ in ("crud/near", "crud/right", "hard/nothing")] == [1, 1, 1]


def test_of_a_great_many_samples_those_with_a_mistake_are_shown_first(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "SHOWN", 3)
    write_sample(project / "samples", "crud/unknown", None)
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    found = samples.samples_of(last(project))
    assert [item.id for item in found.scored] == ["crud/half", "crud/right", "hard/invented"]
    assert [item.id for item in found.left_out] == ["crud/unknown"]
    assert "2 samples more are in results.jsonl." in (last(project).path / "report.md").read_text("utf-8")
    assert samples.samples_of(last(project), questions=False).scored == ()


def test_two_reports_of_the_same_second_have_names_of_their_own(tmp_path: Path) -> None:
    now = datetime(2026, 3, 2, 9, 5, 7, tzinfo=UTC)
    names = []
    for number in range(3):
        (tmp_path / "report.md").write_text(f"{number}", "utf-8")
        names.append(write_benchmark(tmp_path / "all", tmp_path / "report.md", now).name)
    assert names == [f"benchmark_2026-03-02T09-05-07{more}.md" for more in ("", "_2", "_3")]
    assert [path.read_text() for path in sorted((tmp_path / "all").iterdir())] == ["0", "1", "2"]


def test_numbers_as_confidence_have_a_reliability_diagram(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(12):
        said = {**LUNCH, "confidence": 0.9 if number % 2 else 0.3, "title": "Lunch" if number % 2 else "Nap"}
        write_sample(project / "samples", f"more/{number}", sidecar([LUNCH], [said]))
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    numbers = last(project).summary["confidence"]["numbers"]
    assert (numbers["n"], numbers["accuracy"], numbers["auroc"], numbers["enough"]) == (12, 0.5, 1.0, True)
    assert numbers["brier"] == pytest.approx((0.1**2 + 0.3**2) / 2)
    assert numbers["ece"] == pytest.approx((0.1 + 0.3) / 2)
    assert "Reliability" in (last(project).path / "report.html").read_text("utf-8")


FAILING = """
calls = []
def events(text, sample, reference_datetime):
    calls.append(sample["id"])
    assert reference_datetime == "2026-03-02T09:00:00+01:00"
    assert "expected" not in str(sample)
    if len(calls) == 3:
        raise RuntimeError("no such luck")
    return [{"action": "create", "title": "Lunch", "start_time": "2026-03-02T12:00:00", "confidence": "high"}]
async def later(text):
    return {"events": []}
def odd(text):
    return "nothing useful"
"""


def test_an_extractor_that_fails_on_the_third_sample(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "failing_extractor.py").write_text(FAILING)
    monkeypatch.syspath_prepend(project)
    command = ["extract", "samples", "--system", "failing_extractor:events", "--workers", "1"]
    assert main(command) == 3
    found = rows(project)
    third = sorted(found)[2]
    assert found[third]["error"] == {"phase": "extract", "message": "RuntimeError: no such luck"}
    assert third == "hard/invented"
    # nothing was expected there, and still a failure is no success
    assert [found[third]["scores"][name] for name in ("precision", "recall", "f1", "perfect")] == [0.0, 0.0, 0.0, 0.0]
    assert found["crud/right"]["counts"] == {"true_positives": 1, "false_positives": 0, "false_negatives": 1}
    assert last(project).summary["errors"]["total"] == 1
    err = capsys.readouterr().err
    assert "[3/5] hard/invented  failed: RuntimeError: no such luck" in err
    assert main([*command, "--resume", "last"]) == 0
    assert last(project).summary["errors"]["total"] == 0


def test_a_failed_sample_misses_all_it_should_have_found(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "odd_extractor.py").write_text(FAILING)
    monkeypatch.syspath_prepend(project)
    assert main(["extract", "samples", "--system", "python:odd_extractor:odd", "--quiet"]) == 3
    assert last(project).summary["overall"]["counts"] == {
        "true_positives": 0,
        "false_positives": 0,
        "false_negatives": 5,
    }
    assert last(project).summary["overall"]["failed"] == 5
    assert last(project).summary["partial"] == "5 of 5 samples failed or are broken, more than 5.0%"
    assert main(["extract", "samples", "--system", "odd_extractor:later", "--quiet"]) == 0
    assert rows(project)["crud/half"]["scores"]["precision"] == 1.0


def test_broken_samples_are_told_and_the_others_go_on(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sample(project / "samples", "crud/broken", '{"expected_events": [\n{"action": "create"}]}')
    write_sample(project / "samples", "crud/latin", sidecar([])).write_bytes(b"\xff")
    write_sample(project / "samples", "notes", None)
    assert main(["extract", "samples", "--system", "recorded", "--quiet"]) == 3
    err = capsys.readouterr().err
    assert "samples/crud/broken.expected.json:2: expected_events[0] has no 'title'" in err
    assert "samples/crud/latin.txt:1: not UTF-8 at byte 0" in err
    assert "notes.txt has no .expected.json beside it" in err
    summary = last(project).summary
    assert summary["corpus"]["tested"] == 5
    assert summary["metrics"]["f1"] == pytest.approx(0.7)
    assert summary["skipped"]["ids"] == {"notes": "no sidecar"}


def test_a_text_that_is_read_as_of_now_is_told(project: Path) -> None:
    write_sample(project / "samples", "whenever", sidecar([LUNCH], reference_datetime=None))
    told = "samples without reference_datetime: 1; they were read as of now, and another day may give another score"
    main(["extract", "samples", "--system", "rules", "--quiet"])
    assert told in last(project).summary["notes"]
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    assert told not in last(project).summary["notes"]


def test_levels_and_fields_on_the_command_line(project: Path) -> None:
    close = [{**DINNER, "start_time": "2026-03-02T19:40:00", "location": "elsewhere"}]
    write_sample(project / "samples", "crud/close", sidecar([DINNER], close))

    def f1(*more: str) -> float:
        main(["extract", "samples", "--system", "recorded", "--quiet", "--baseline", "none", *more])
        value: float = rows(project)["crud/close"]["scores"]["f1"]
        return value

    assert [f1(), f1("--level", "strict"), f1("--fields", "location")] == [1.0, 0.0, 0.0]


def test_naive_times_are_in_the_zone_of_the_sample(project: Path) -> None:
    write_sample(
        project / "samples",
        "zone",
        sidecar([LUNCH], [{**LUNCH, "start_time": "2026-03-02T11:00:00Z"}], tolerance="strict"),
    )
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    assert rows(project)["zone"]["scores"]["f1"] == 1.0


def test_a_delete_is_compared_with_the_event_it_names(project: Path) -> None:
    calendar = [{"id": "ev-1", "summary": "Yoga", "start": "2026-03-05T18:00:00", "end": "2026-03-05T19:00:00"}]
    expected = event("Yoga", "2026-03-05T18:00:00", "delete", existing_event_id_required=True)
    said = [{"action": "delete", "existing_event_id": "ev-1"}]
    write_sample(project / "samples", "gone", sidecar([expected], said, calendar_context=calendar, tolerance="strict"))
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    assert rows(project)["gone"]["scores"]["f1"] == 1.0
    assert rows(project)["gone"]["scores"]["field.existing_event_id"] == 1.0


def test_a_baseline_and_a_regression(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(30):
        write_sample(project / "samples", f"many/{number}", sidecar([LUNCH]))
    assert main(["extract", "samples", "--system", "recorded", "--quiet", "--update-baseline"]) == 0
    for number in range(30):
        path = project / "samples" / "many" / f"{number}.expected.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"mock_llm_response": []}))
    assert main(["extract", "samples", "--system", "recorded", "--quiet"]) == 1
    assert "regression: recall, f1" in capsys.readouterr().out
    assert main(["compare", "baseline", "last"]) == 1


def test_any_record_type_from_two_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "invoice.yaml").write_text(
        "name: invoice\nfields:\n  number: {compare: exact}\n  total: {compare: number, absolute: 0.01}\n"
    )
    gold = [{"id": "a", "records": [{"number": "1", "total": 9.5}]}, {"id": "b", "record": {"number": "2", "total": 3}}]
    out = [{"id": "a", "records": [{"number": "1", "total": 9.51}, {"number": "7"}]}, {"id": "z", "records": []}]
    for name, lines in (("gold", gold), ("out", out)):
        (project / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["extract", "out.jsonl", "--gold", "gold.jsonl", "--record", "invoice.yaml", "--quiet"]) == 3
    found = rows(project)
    assert found["a"]["scores"]["precision"] == 0.5
    assert found["b"]["error"]["message"] == "no line of the file is about this sample"
    assert found["b"]["counts"]["false_negatives"] == 1
    assert "1 outputs are about no sample and were left out: z" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"records": []}, "out.jsonl:2: the line has no 'id'"),
        ({"id": "a", "records": []}, "out.jsonl:2: 'a' is given twice, first at out.jsonl:1"),
    ],
)
def test_outputs_that_cannot_be_told_apart(
    project: Path, capsys: pytest.CaptureFixture[str], line: dict[str, Any], told: str
) -> None:
    (project / "gold.jsonl").write_text(json.dumps({"id": "a", "records": [LUNCH]}) + "\n")
    (project / "out.jsonl").write_text(json.dumps({"id": "a", "record": LUNCH}) + "\n" + json.dumps(line) + "\n")
    assert main(["extract", "out.jsonl", "--gold", "gold.jsonl"]) == 2
    assert told in capsys.readouterr().err


def test_an_output_of_the_wrong_shape_is_the_fault_of_its_sample(project: Path) -> None:
    for name, said in (("gold", [[LUNCH], [LUNCH]]), ("out", [[LUNCH], [7]])):
        lines = [json.dumps({"id": f"s{number}", "records": records}) for number, records in enumerate(said)]
        (project / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    assert main(["extract", "out.jsonl", "--gold", "gold.jsonl", "--quiet"]) == 3
    assert [row["scores"]["recall"] for row in rows(project).values()] == [1.0, 0.0]
    assert rows(project)["s1"]["error"]["message"].startswith("out.jsonl:2: record 1 is ")


def test_calls_of_many_workers_begin_apart() -> None:
    async def turns(delay: float) -> list[float]:
        pace, clock = subject.Pace(delay), asyncio.get_running_loop().time
        start = clock()

        async def turn() -> float:
            await pace.turn()
            return clock() - start

        return await asyncio.gather(*(turn() for _ in range(4)))

    for number, begun in enumerate(asyncio.run(turns(0.02))):
        assert begun >= number * 0.02 - 0.001  # never too early; how late depends on the machine


def test_outputs_at_hand_are_scored_together_and_as_one_by_one(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    late = {**DINNER, "start_time": "2026-03-02T22:00:00"}
    said = [[LUNCH], [LUNCH, late], [], [{**LUNCH, "start_time": "soon"}, DINNER, LUNCH]]
    gold, out = [], []
    for number in range(450):
        gold.append({"id": f"s{number:03}", "tolerance": ("strict", "relaxed")[number % 2], "records": [LUNCH, DINNER]})
        out.append({"id": f"s{number:03}", "records": said[number % 4]})
    for name, lines in (("gold", gold), ("out", out)):
        (project / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["extract", "out.jsonl", "--gold", "gold.jsonl"]
    assert main(words) == 0
    together = (last(project).path / "results.jsonl").read_bytes()
    assert [row["counts"]["true_positives"] for row in rows(project).values()][:4] == [1, 2, 0, 2]
    steps = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    assert len(steps) == 113
    assert steps[0].startswith("[4/450] s003  P=0.67 R=1.00")
    monkeypatch.setattr(subject, "MOST", 1)
    assert main([*words, "--quiet"]) == 0
    assert (last(project).path / "results.jsonl").read_bytes() == together


def scripted(project: Path, *lines: dict[str, Any]) -> str:
    (project / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "scripted/replies.jsonl"


EVENTS = {
    "events": [
        {**LUNCH, "end_time": None, "location": None, "attendees": [], "existing_event_id": None, "confidence": "high"}
    ]
}


def test_a_model_extracts_and_writes_the_summary(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    usage = {"prompt": 100, "completion": 10}
    model = scripted(
        project,
        {"contains": "You review the benchmark", "reply": "Dinners are missed. " * 300, "usage": usage},
        {"reply": EVENTS, "usage": usage},
    )
    (project / "assay.yaml").write_text("llm: {prices: {replies.jsonl: {input: 1000, output: 10000}}}\n")
    assert main(["extract", "samples", "--model", model, "--quiet"]) == 0
    summary = last(project).summary
    assert summary["narrative"]["text"].endswith("[…]")
    assert len(summary["narrative"]["text"].split()) < 500
    assert summary["tokens"]["extraction"]["prompt"] == 500
    assert summary["tokens"]["summary"]["prompt"] == 100
    # six calls of 100 · 0.001 + 10 · 0.01 dollars, the summary's among them
    assert summary["cost"]["total_cost_usd"] == pytest.approx(6 * 0.2)
    assert summary["cost"]["summary_cost"] == pytest.approx(0.2)
    assert "Dinners are missed." in capsys.readouterr().out
    assert summary["metrics"]["recall"] == pytest.approx((0.5 + 0.5 + 1 + 1 + 1) / 5)


def test_a_summary_that_fails_harms_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = scripted(project, {"contains": "You review the benchmark", "fault": "400"}, {"reply": EVENTS})
    assert main(["extract", "samples", "--model", model, "--quiet"]) == 0
    summary = last(project).summary
    assert summary["narrative"]["text"] is None
    assert "answered 400" in summary["narrative"]["reason"]
    assert "No summary was written:" in capsys.readouterr().out
    assert main(["extract", "samples", "--model", model, "--quiet", "--no-summary"]) == 0
    assert last(project).summary["narrative"]["reason"] == "switched off"


def test_over_a_real_chat_service_with_a_pause_between_calls(project: Path) -> None:
    def handler(call: Any) -> Answer:
        if "You review" in str(call.body["messages"][0]["content"]):
            return error(500)
        return Answer(chat(json.dumps(EVENTS)))

    for number, path in enumerate(sorted(project.glob("samples/**/*.txt"))):
        path.write_text(f"Lunch number {number}?")
    with ChatServer(handler) as server:
        (project / "assay.yaml").write_text(
            f"llm: {{models: {{m: {{model: openai/x, base_url: '{server.url}', first_wait: 0.01, tries: 2}}}}}}\n"
        )
        start = monotonic()
        assert main(["extract", "samples", "--model", "m", "--delay", "0.1", "--workers", "4", "--quiet"]) == 0
        assert monotonic() - start >= 0.4
        texts = [call.body["messages"] for call in server.calls]
        start, calls = monotonic(), len(server.calls)
        # what is in the cache needs no pause
        assert main(["extract", "samples", "--model", "m", "--delay", "60", "--no-summary", "--quiet"]) == 0
        assert (monotonic() - start < 30, len(server.calls)) == (True, calls)
    assert any("2026-03-02" in json.dumps(messages) for messages in texts)
    assert last(project).summary["narrative"]["reason"]


def test_a_service_behind_http(project: Path) -> None:
    def handler(call: Any) -> Reply:
        assert set(call.body) == {"id", "text", "owner", "reference_datetime", "timezone", "calendar_context"}
        if call.body["id"] == "loose":
            return Reply(body={"wrong": 1})
        return Reply(body={"events": [LUNCH], "usage": {"prompt_tokens": 3, "completion_tokens": 4}})

    with FakeServer(handler) as server:
        assert main(["extract", "samples", "--system", f"{server.url}/v1/pull", "--quiet"]) == 3
        assert {call.path for call in server.calls} == {"/v1/pull"}
    found = rows(project)
    assert found["crud/right"]["tokens"]["total"] == 7
    assert "there are no records in" in found["loose"]["error"]["message"]


@pytest.mark.parametrize(
    ("models", "told", "said"),
    [
        (["m", "m"], 2e-4 * 2, ""),
        (["m", "dear"], None, "no price is known for dear: its cost is not counted"),
        (["m", None], None, "tokens were told without a model: name it with --model"),
    ],
)
def test_outputs_are_priced_by_the_models_they_name(
    project: Path, models: list[str | None], told: float | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """100 tokens in at 1 dollar a million, 50 out at 2: 0.0001 + 0.0001."""
    (project / "assay.yaml").write_text("llm: {prices: {m: {input: 1, output: 2}}}\n")
    usage = {"prompt_tokens": 100, "completion_tokens": 50}
    lines: list[dict[str, Any]] = [
        {"id": str(n), "records": [], "usage": usage, "model": model} for n, model in enumerate(models)
    ]
    (project / "out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (project / "gold.jsonl").write_text("".join(json.dumps({"id": str(n), "records": []}) + "\n" for n in range(2)))
    assert main(["extract", "out.jsonl", "--gold", "gold.jsonl", "--quiet"]) == 0
    assert last(project).summary["cost"]["total_cost_usd"] == (pytest.approx(told) if told else None)
    assert said in " ".join(capsys.readouterr().out.split())


def test_one_text_prints_its_records(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = scripted(project, {"reply": EVENTS})
    (project / "note.txt").write_text("Lunch on Monday at noon?")
    (project / "assay.yaml").write_text(f"extraction: {{model: {model}}}\n")
    assert main(["note.txt"]) == 0
    assert "1. (confidence high)\n   action: create\n   title: Lunch\n" in capsys.readouterr().out
    assert main(["note.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["title"] == "Lunch"
    assert not (project / "runs").exists()
    assert main(["no-such-file.txt"]) == 2
    assert "unknown command 'no-such-file.txt'" in capsys.readouterr().err


def test_without_a_model_the_rules_extract(project: Path) -> None:
    assert main(["extract", "samples", "--quiet"]) in (0, 1)
    assert last(project).summary["system"] == "rules"
    assert last(project).summary["cost"]["total_cost_usd"] == 0.0


@pytest.mark.parametrize("system", ["recorded", "rules"])
def test_who_calls_nobody_waits_for_nobody(project: Path, system: str) -> None:
    start = monotonic()
    main(["extract", "samples", "--system", system, "--delay", "60", "--quiet"])
    assert monotonic() - start < 30


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"mock_llm_response": []}, "extractor"),
        ({"timezone": "Asia/Tokyo"}, "gold"),
        ({"calendar_context": [{"id": "a", "summary": "x", "start": "2026-01-01"}]}, "gold"),
    ],
)
def test_a_run_does_not_go_on_with_other_sidecars(
    project: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], told: str
) -> None:
    command = ["extract", "samples", "--system", "recorded", "--quiet"]
    assert main(command) == 0
    lines = (project / "runs" / FILE_NAME).read_text()
    assert main([*command, "--resume", "last"]) == 0
    assert (project / "runs" / FILE_NAME).read_text() == lines
    path = project / "samples" / "loose.expected.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    capsys.readouterr()
    assert main([*command, "--resume", "last"]) == 2
    assert told in capsys.readouterr().err


def test_values_with_backticks_and_line_breaks_stay_within_their_block(project: Path) -> None:
    expected = {**DINNER, "title": "Dinner\n```\n# Owned"}
    said = {**DINNER, "title": "`code`\r\nx", "location": "``"}
    write_sample(project / "samples", "crud/hostile", sidecar([expected], [said]))
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    text = (last(project).path / "report.md").read_text("utf-8")
    assert '````text\n  action: create\n- title: "Dinner\\n```\\n# Owned"\n+ title: "`code`\\r\\nx" ' in text
    assert "\n# Owned" not in text


def test_a_baseline_and_a_run_may_stand_in_either_order(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "samples", "--system", "recorded", "--quiet", "--update-baseline"]) == 0
    for path in project.glob("samples/**/*.expected.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"mock_llm_response": []}))
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    (saved,) = [path for path in (project / "baselines").rglob("*") if path.is_file()]
    capsys.readouterr()
    told = []
    for words in (["baseline", "last"], ["last", "baseline"], ["last", str(saved)]):
        main(["compare", *words, "--json"])
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1] == told[2]
    (f1,) = [row for row in told[0]["rows"] if row["measure"] == "f1"]
    assert f1["delta"] < 0


CHATTY = """
print("imported")
def events(text):
    print("called")
    return [{"action": "create", "title": "Lunch", "start_time": "2026-03-02T12:00:00", "confidence": 0.5}]
async def later(text):
    print("called later")
    return []
"""


def test_an_extractor_that_prints_does_not_spoil_the_result(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "chatty_extractor.py").write_text(CHATTY)
    monkeypatch.syspath_prepend(project)
    for name in ("events", "later"):
        main(["extract", "samples", "--system", f"chatty_extractor:{name}", "--json"])
        out, err = capsys.readouterr()
        assert json.loads(out)["kind"] == "extraction"
        assert "called" in err
    (project / "note.txt").write_text("Lunch?")
    assert main(["note.txt", "--system", "chatty_extractor:events", "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["title"], record["confidence"]) == ("Lunch", 0.5)


def test_confidences_that_cannot_be_read_are_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in project.glob("samples/**/*.expected.json"):
        said = [{**LUNCH, "confidence": 95}]
        path.write_text(json.dumps(json.loads(path.read_text()) | {"mock_llm_response": said}))
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    out = capsys.readouterr().out
    assert "5 confidences are neither a word nor a number from 0 to 1." in out
    assert "told no confidence" not in out


def test_a_gate_on_an_unknown_measure_is_told_before_anything_is_extracted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "assay.yaml").write_text("extraction: {gates: [{measure: recal, at_least: 0.5}]}\n")
    assert main(["extract", "samples", "--system", "recorded", "--quiet"]) == 2
    assert "unknown measure 'recal'. Did you mean recall" in capsys.readouterr().err
    assert not (project / "runs").exists()
    (project / "assay.yaml").write_text("extraction: {gates: [{measure: field.location, at_least: 0.5}]}\n")
    assert main(["extract", "samples", "--system", "recorded", "--quiet"]) == 0


def test_micro_measures_tell_how_many_samples(project: Path) -> None:
    main(["extract", "samples", "--system", "recorded", "--quiet"])
    found = last(project).summary["intervals"]["micro_f1"]
    # hard/nothing has no record on either side
    assert (found["n_scored"], found["n_cases"]) == (4, 5)


def test_a_kind_that_nobody_knows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--kind", "extracton"]) == 2
    assert "unknown kind 'extracton'. Did you mean extraction" in capsys.readouterr().err
    assert main(["history", "--kind", "extraction"]) == 0


def test_a_token_that_is_missing_is_named_as_it_is_set(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(lambda _call: Reply(status=401)) as server:
        assert main(["extract", "samples", "--system", f"{server.url}/pull", "--quiet"]) == 2
    assert "extraction.token_env" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["extract", "samples", "--system", "http://localhost:1/x?key=secret"], "query"),
        (["extract", "samples", "--system", "http://me:secret@localhost:1/x"], "extraction.token_env"),
        (["extract", "samples", "--max-cost", "-1"], "--max-cost is -1"),
        (["samples/loose.txt", "--resume", "last"], "samples/loose.txt: --resume is for runs"),
        (["samples/loose.txt", "--update-baseline"], "--update-baseline is for runs"),
        (["extract", "out.jsonl", "--gold", "g.jsonl", "--system", "rules"], "--system and --gold exclude each other"),
        (["extract", "nowhere"], "nowhere: no such folder"),
        (["extract", "samples", "--system", "recordd"], "unknown extractor 'recordd'. Did you mean recorded"),
        (["extract", "samples", "--level", "stric"], "unknown level 'stric'. Did you mean strict"),
        (["extract", "samples", "--fields", "place"], "unknown field 'place'"),
        (["extract", "samples", "--workers", "0"], "--workers is 0"),
        (["extract", "samples", "--delay", "-1"], "--delay is -1"),
        (["extract", "out.jsonl"], "out.jsonl: no such folder"),
        (["extract", "--gold", "gold.jsonl"], "--gold needs the outputs"),
        (["extract", "samples", "--system", "llm"], "needs a model"),
    ],
)
def test_mistakes_are_one_line(project: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    assert main(words) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "secret" not in err


def test_json_is_the_whole_summary(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["extract", "samples", "--system", "recorded", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["kind"] == "extraction"
    assert data["exit_code"] == 0


def test_the_same_bytes_with_any_number_of_workers(project: Path) -> None:
    results = []
    for workers in ("1", "4"):
        main(["extract", "samples", "--system", "recorded", "--quiet", "--workers", workers])
        results.append((last(project).path / "results.jsonl").read_bytes())
    assert results[0] == results[1]


APPEND = """
import sys
from pathlib import Path
from assay.runs.history import record
for number in range(200):
    record(Path(sys.argv[1]), {"kind": "extraction", "writer": sys.argv[2], "number": number, "text": "é" * 300})
"""


def test_two_processes_append_200_lines_each(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", APPEND, str(tmp_path), name]) for name in ("a", "b")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    lines = [json.loads(line) for line in (tmp_path / FILE_NAME).read_text("utf-8").splitlines()]
    for name in ("a", "b"):
        assert [line["number"] for line in lines if line["writer"] == name] == list(range(200))


def loaded_by(code: str) -> set[str]:
    """Everything that a fresh interpreter has loaded then."""
    script = f"import sys\n{code}\nprint('LOADED', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


HEAVY = {"aiohttp", "dateparser", "numpy", "pydantic", "rich", "scipy"}


def test_nothing_heavy_is_loaded_before_the_first_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    loaded = loaded_by("from assay.cli.main import main; assert main(['extract', 'empty']) == 2")
    assert {"assay.extraction.samples", "assay.metrics.records.comparators.text"} <= loaded
    assert not loaded & (HEAVY | {"assay.judges", "assay.extraction.rules", "assay.stats", "importlib.metadata"})


def test_the_evaluation_loads_no_service_and_no_comparator_before_it_needs_one() -> None:
    loaded = loaded_by("import assay.extraction.evaluation")
    assert "assay.extraction.record_type" in loaded
    assert not loaded & (HEAVY | {"assay.judges", "assay.llm", "assay.report", "rapidfuzz"})
