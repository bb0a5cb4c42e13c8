"""Runs that go on: seen line by line, torn tails waited for, gone ones told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from viewer_project import Client, make_small, places, running

from assay.files import write_json
from assay.runs.folder import RunFolder
from assay.runs.writing import writing
from assay.viewer.lines import Lines

Shown = tuple[RunFolder, Client, list[bytes]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_small(tmp_path_factory.mktemp("live"))


@pytest.fixture
def shown(finished: RunFolder, tmp_path: Path) -> Iterator[Shown]:
    """A run that somebody has just begun, and the lines it will write."""
    (tmp_path / "assay.yaml").write_text("{}")
    run = RunFolder(tmp_path / "runs" / "2026-02-02__slow__p5__0a1b2c3d")
    run.path.mkdir(parents=True)
    write_json(run.path / "manifest.json", finished.manifest | {"rows": 5})
    with running(places(tmp_path)) as client, writing(run, new=False):
        yield run, client, (finished.path / "results.jsonl").read_bytes().splitlines(keepends=True)


def append(run: RunFolder, data: bytes) -> None:
    with (run.path / "results.jsonl").open("ab") as file:
        file.write(data)


def progress(shown: Shown) -> tuple[str, int]:
    data = shown[1].json(f"/runs/{shown[0].name}/progress")
    return data["status"], data["done"]


def test_a_run_that_has_just_begun(shown: Shown) -> None:
    run, client, _ = shown
    assert progress(shown) == ("running", 0)
    page = client.get(f"/runs/{run.name}").text
    assert "0 of 5 results" in page
    assert f'data-live="/runs/{run.name}/progress.json"' in page
    assert "No result yet." in client.get(f"/runs/{run.name}/questions").text
    listed = client.json("/runs")["runs"][0]
    assert (listed["status"], listed["verdict"], listed["system"]) == ("running", None, "slow")


def test_rows_are_seen_as_they_come_and_a_torn_one_when_it_is_whole(shown: Shown) -> None:
    run, client, lines = shown
    stamps = [client.json("/progress")["stamp"]]
    append(run, lines[0] + lines[1] + lines[2][:50])
    assert progress(shown) == ("running", 2)
    stamps.append(client.json("/progress")["stamp"])
    append(run, lines[2][50:-1])
    assert progress(shown) == ("running", 2)
    append(run, lines[2][-1:])
    assert progress(shown) == ("running", 3)
    stamps.append(client.json("/progress")["stamp"])
    assert len(set(stamps)) == 3
    found = client.json(f"/runs/{run.name}/questions")["questions"]
    assert [each["id"] for each in found] == ["q1", "q2", "q3"]
    assert client.json(f"/runs/{run.name}/question", {"id": "q3"})["rows"] == [json.loads(lines[2])]


def test_a_better_row_replaces_the_one_before_it(shown: Shown) -> None:
    run, client, lines = shown
    failed = json.loads(lines[0]) | {"status": "error", "error": {"phase": "judge", "message": "no"}}
    append(run, json.dumps(failed).encode() + b"\n" + lines[1])
    path = f"/runs/{run.name}/questions"
    assert client.json(path)["questions"][0]["outcome"] == "error"
    append(run, lines[0])
    found = client.json(path)["questions"]
    assert [each["id"] for each in found] == ["q1", "q2"]
    assert found[0]["outcome"] == json.loads(lines[0])["judgment"]["verdict"]


def test_a_file_written_anew_is_read_anew(shown: Shown) -> None:
    run, client, lines = shown
    append(run, lines[1] + lines[0])
    path = f"/runs/{run.name}/questions"
    assert [each["id"] for each in client.json(path)["questions"]] == ["q2", "q1"]
    (run.path / "new").write_bytes(b"".join(lines))
    (run.path / "new").replace(run.path / "results.jsonl")
    assert [each["id"] for each in client.json(path)["questions"]] == ["q1", "q2", "q3", "q4", "q5"]
    (run.path / "results.jsonl").write_bytes(lines[4])
    assert [each["id"] for each in client.json(path)["questions"]] == ["q5"]
    (run.path / "results.jsonl").unlink()
    assert client.json(path)["total"] == 0


def test_spoiled_lines_are_counted_and_hide_nothing(shown: Shown) -> None:
    run, client, lines = shown
    append(run, lines[0] + b"{spoiled\n\n[]\n" + b'{"variant": 5}\n' + lines[1])
    data = client.json(f"/runs/{run.name}/questions")
    assert (data["total"], data["spoiled"]) == (2, 3)
    assert "3 lines of results.jsonl cannot be read." in client.get(f"/runs/{run.name}/questions").text


def test_a_run_that_stopped_says_how_to_go_on(shown: Shown) -> None:
    """At once: nobody holds its lock, though one that was killed has left its file."""
    run, client, lines = shown
    append(run, lines[0])
    (run.path / ".lock").rename(run.path / "held")
    (run.path / ".lock").write_text("4711")
    assert progress(shown) == ("incomplete", 1)
    page = client.get(f"/runs/{run.name}").text
    assert f"Go on with: assay run --resume {run.name}" in page
    assert client.json(f"/runs/{run.name}")["resume"] == f"assay run --resume {run.name}"


def test_the_end_of_a_run(shown: Shown, finished: RunFolder) -> None:
    run, client, lines = shown
    append(run, b"".join(lines))
    assert progress(shown) == ("running", 5)
    for name in ("run_summary.json", "passages.jsonl"):
        shutil.copy(finished.path / name, run.path / name)
    assert progress(shown) == ("complete", 5)
    page = client.get(f"/runs/{run.name}").text
    assert "data-live" not in page.partition("<main")[2]
    assert client.json(f"/runs/{run.name}")["summary"]["kind"] == "rag"


def test_a_run_that_vanishes(shown: Shown) -> None:
    run, client, lines = shown
    append(run, lines[0])
    assert progress(shown)[1] == 1
    shutil.rmtree(run.path)
    for page in ("", "/questions", "/progress", "/question"):
        assert client.get(f"/runs/{run.name}{page}.json", {"id": "q1"}).status == 404
    assert client.json("/runs")["runs"] == []
    assert client.json("/progress")["running"] == []


def test_the_rate_needs_a_second_to_be_known(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    run, client, lines = shown
    clock = [100.0]
    monkeypatch.setattr("assay.viewer.catalogue.time.monotonic", lambda: clock[0])
    append(run, lines[0])
    path = f"/runs/{run.name}/progress"
    assert client.json(path)["per_second"] is None
    clock[0] += 2
    append(run, lines[1] + lines[2])
    data = client.json(path)
    assert (data["per_second"], data["seconds_left"], data["expected"]) == (1.0, 2.0, 5)
    assert "3 of 5 results · 1.0 a second · 2.00\u00a0s left" in client.get(f"/runs/{run.name}").text


def test_half_a_surrogate_pair_is_read(tmp_path: Path) -> None:
    """As `json` writes it and msgspec refuses it."""
    path = tmp_path / "results.jsonl"
    row = {"variant": "v", "case_id": "a\ud800", "status": "ok", "tags": {}, "scores": {}, "question": "q"}
    path.write_text(json.dumps(row) + "\n")
    lines = Lines(path, "retrieval")
    (entry,) = lines.entries()
    assert entry.case_id == "a\ud800"
    assert lines.rows([entry]) == [row]


def test_a_run_says_how_many_rows_it_will_have(finished: RunFolder) -> None:
    assert finished.manifest["rows"] == len(finished.results.read()) == 5
