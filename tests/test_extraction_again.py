"""A finished extraction run scored again from its folder alone, and what a run would cost before it is made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from extraction_project import DINNER, LUNCH, last, make, rows, sidecar, write_sample

from assay.cli.main import main
from assay.runs.folder import all_runs

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_lines(path: Path, *lines: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("system", ["recorded", "rules"])
def test_scored_again_in_the_same_way_is_the_same_to_the_byte(tmp_path: Path, system: str) -> None:
    """Zones, calendars, deletes, levels, empty samples: all that matters is in the folder; the texts are gone."""
    shutil.copytree(ROOT / "examples" / "events", tmp_path / "events")
    (tmp_path / "assay.yaml").write_text("statistics: {resamples: 200}\n")
    config = ["--config", str(tmp_path / "assay.yaml"), "--quiet"]
    assert main(["extract", str(tmp_path / "events"), "--system", system, *config]) == 0
    first = last(tmp_path)
    shutil.rmtree(tmp_path / "events")
    assert main(["score", "last", *config]) == 0
    again = last(tmp_path)
    assert again.name != first.name
    assert again.results.path.read_bytes() == first.results.path.read_bytes()
    kept = ("metrics", "intervals", "by_category", "by_field", "confidence", "tokens", "cost", "system", "identity")
    assert {key: again.summary[key] for key in kept} == {key: first.summary[key] for key in kept}
    assert again.summary["source"] == first.name


def test_another_level_another_rule_another_tolerance(project: Path) -> None:
    late = {**LUNCH, "start_time": "2026-03-02T12:45:00"}
    write_sample(project / "samples", "loose", sidecar([LUNCH], [late], category="other"))
    write_sample(
        project / "samples", "place", sidecar([{**LUNCH, "location": "Quay"}], [{**LUNCH, "location": "Attic"}])
    )
    main(["extract", "--system", "recorded", "--quiet"])
    run = last(project).name
    assert [rows(project)[id_]["scores"]["f1"] for id_ in ("loose", "place")] == [1.0, 1.0]
    main(["score", run, "--level", "strict", "--quiet"])  # 45 minutes are more than 30
    assert [rows(project)[id_]["scores"]["f1"] for id_ in ("loose", "place")] == [0.0, 1.0]
    assert rows(project)["loose"]["tags"]["level"] == "strict"
    assert rows(project)["loose"]["context"]["level"] == "moderate"
    main(["score", run, "--fields", "location", "--quiet"])
    assert [rows(project)[id_]["scores"]["f1"] for id_ in ("loose", "place")] == [1.0, 0.0]
    (project / "titles.yaml").write_text(
        "name: titles\nfields:\n  action: {compare: enum}\n  title: {compare: text}\n  start_time: {compare: exact}\n"
        "  end_time: {compare: time, minutes: 5}\n  location: {compare: text, scored: false}\n"
    )
    main(["score", run, "--record", "titles.yaml", "--quiet"])
    assert last(project).summary["record_type"] == "titles"
    assert [rows(project)[id_]["scores"]["f1"] for id_ in ("loose", "place")] == [0.0, 1.0]
    main(["score", last(project).name, "--quiet"])  # its own record type, not that of the settings
    assert last(project).summary["record_type"] == "titles"
    entries = [json.loads(line) for line in (project / "runs" / "history.jsonl").read_text().splitlines()]
    assert [entry["kind"] for entry in entries] == ["extraction"] * 5


def test_what_a_model_said_costs_nothing_the_second_time(project: Path) -> None:
    event = {**LUNCH, "end_time": None, "location": None, "attendees": [], "existing_event_id": None}
    reply = {"events": [{**event, "confidence": "high"}]}
    usage = {"prompt": 100, "completion": 10}
    write_lines(
        project / "replies.jsonl",
        {"contains": "You review the benchmark", "reply": "Fine.", "usage": usage},
        {"contains": "Nothing here", "fault": "400"},
        {"reply": reply, "usage": usage},
    )
    write_sample(project / "samples", "fails", sidecar([LUNCH]), text="Nothing here")
    write_sample(project / "samples", "alone", None)
    (project / "assay.yaml").write_text("llm: {prices: {replies.jsonl: {input: 1000, output: 10000}}, cache: 'off'}\n")
    assert main(["extract", "samples", "--model", "scripted/replies.jsonl", "--quiet"]) == 3
    first = last(project).summary
    write_lines(project / "replies.jsonl", {"fault": "500"})
    assert main(["score", "last", "--quiet"]) == 3
    again = last(project).summary
    assert again["execution"]["spent_usd"] == 0
    assert (again["model"], again["narrative"]["reason"]) == (first["model"], "scored again, without a call")
    assert again["tokens"]["extraction"] == first["tokens"]["extraction"]
    assert again["tokens"]["summary"] is None
    assert again["cost"]["total_cost_usd"] == pytest.approx(6 * 0.2)  # of the six that answered
    assert again["errors"] == first["errors"]
    assert (
        again["skipped"]
        == first["skipped"]
        == {"count": 1, "reasons": {"no sidecar": 1}, "ids": {"alone": "no sidecar"}}
    )
    assert again["latency"] == first["latency"]


def test_outputs_with_gold_are_scored_again_by_their_own_record_type(project: Path) -> None:
    (project / "invoice.yaml").write_text(
        "name: invoice\nfields:\n  number: {compare: exact}\n  total: {compare: number, absolute: 0.01}\n"
    )
    write_lines(project / "gold.jsonl", {"id": "a", "records": [{"number": "1", "total": 9.5}]})
    write_lines(project / "out.jsonl", {"id": "a", "records": [{"number": "1", "total": 9.6}]})
    main(["extract", "out.jsonl", "--gold", "gold.jsonl", "--record", "invoice.yaml", "--model", "openai/x", "--quiet"])
    assert rows(project)["a"]["scores"]["f1"] == 0.0
    (project / "invoice.yaml").write_text((project / "invoice.yaml").read_text().replace("0.01", "0.2"))
    assert main(["score", "last", "--quiet"]) == 0
    assert rows(project)["a"]["scores"]["f1"] == 1.0
    assert (last(project).summary["model"], last(project).summary["system"]) == (None, "recorded:out.jsonl")


def test_what_cannot_be_scored_again_says_why(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no run 'last'" in told(capsys, "score", "last")
    main(["extract", "--system", "recorded", "--quiet"])
    capsys.readouterr()
    name = last(project).name
    assert "an extraction run has no answers to judge" in told(capsys, "score", name, "--judge", "reference")
    assert "not both" in told(capsys, "score", name, "--judge", "reference", "--level", "strict")
    assert "unknown level 'strikt'" in told(capsys, "score", name, "--level", "strikt")
    assert "unknown field 'plaice'" in told(capsys, "score", name, "--fields", "plaice")
    assert "--force needs --update-baseline" in told(capsys, "score", name, "--force")
    (project / "other.yaml").write_text("name: other\nfields:\n  nummer: {compare: exact}\n")
    assert "sample crud/half: unknown field 'action'" in told(capsys, "score", name, "--record", "other.yaml")
    assert "no such file" in told(capsys, "score", name, "--record", "gone.yaml")
    results = last(project).results.path
    old = [{k: v for k, v in json.loads(line).items() if k != "context"} for line in results.read_text().splitlines()]
    write_lines(results, *old)
    assert "before runs could be scored again" in told(capsys, "score", name)
    assert [run.name for run in all_runs(project / "runs")] == [name]


def test_a_run_scored_again_is_compared_and_promoted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["extract", "--system", "recorded", "--quiet", "--update-baseline"])
    capsys.readouterr()
    assert main(["score", "last", "--baseline", "latest", "--quiet", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["comparison"]["common"], data["comparison"]["flips"], data["exit_code"]) == (5, [], 0)
    assert main(["score", "last", "--quiet", "--update-baseline"]) == 0
    assert len(list((project / "baselines").rglob("*.json"))) == 2


def test_a_dry_run_of_a_model_tells_calls_tokens_and_cost(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(project / "replies.jsonl", {"fault": "500"})
    (project / "assay.yaml").write_text("llm: {prices: {replies.jsonl: {input: 1000, output: 10000}}}\n")
    words = ["extract", "samples", "--model", "scripted/replies.jsonl", "--dry-run"]
    assert main([*words, "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)
    assert (estimate["questions"], estimate["unit"]) == (5, "samples")
    extraction, summary = estimate["forecasts"]
    assert (extraction["phase"], extraction["calls"], summary["phase"], summary["calls"]) == (
        "extraction",
        5,
        "summary",
        1,
    )
    price = sum(each["prompt_tokens"] / 1000 + each["completion_tokens"] / 100 for each in estimate["forecasts"])
    assert estimate["cost_usd"] == pytest.approx(price, rel=0.01)
    assert not (project / "runs").exists()
    assert main([*words, "--no-summary"]) == 0
    shown = capsys.readouterr().out
    assert "5 samples; nothing was sent and nothing spent." in shown
    assert "summary" not in shown


def test_a_dry_run_with_a_text_that_nobody_scores(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(project / "replies.jsonl", {"fault": "500"})
    write_sample(project / "samples", "alone", None)
    assert main(["extract", "samples", "--model", "scripted/replies.jsonl", "--dry-run", "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)
    assert [(each["phase"], each["calls"]) for each in estimate["forecasts"]] == [("extraction", 6), ("summary", 1)]


def test_a_dry_run_without_a_model(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mine.py").write_text("print('hello')\n\ndef events(text):\n    return []\n")
    for system in ("rules", "recorded"):
        assert main(["extract", "--system", system, "--dry-run"]) == 0
        assert "No model is called: the run costs nothing." in capsys.readouterr().out
    assert main(["extract", "--system", "mine:events", "--dry-run", "--json"]) == 0
    (forecast,) = json.loads(capsys.readouterr().out)["forecasts"]
    assert (forecast["who"], forecast["calls"], forecast["cost"]) == ("python:mine:events", 5, None)
    assert "--dry-run is for runs" in told(capsys, "extract", "samples/loose.txt", "--dry-run")
    assert not (project / "runs").exists()


def test_a_dry_run_of_many_samples_is_like_that_of_few(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(project / "replies.jsonl", {"fault": "500"})
    for number in range(100):
        write_sample(project / "samples", f"more/{number:03}", sidecar([DINNER]))
    main(["extract", "--model", "scripted/replies.jsonl", "--no-summary", "--dry-run", "--json"])
    (forecast,) = json.loads(capsys.readouterr().out)["forecasts"]
    assert forecast["calls"] == 105
    assert forecast["prompt_tokens"] / 105 == pytest.approx(700, rel=0.5)
