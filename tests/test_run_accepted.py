"""Questions with several answers that are right: one is enough, now and when the run is judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from judged_project import make_judged, say
from small_project import last

from assay.cli.main import main

OTHER = "The mooring master signs."


def answers(folder: Path) -> dict[str, object]:
    run = last(folder)
    rows = {row["case_id"]: row for row in run.results.rows()}
    keys = ("expected_answer", "accepted_answers", "answer")
    return {key: rows["q1"][key] for key in keys} | {
        "exact": rows["q1"]["scores"]["exact_match"],
        "verdict": rows["q1"]["judgment"]["verdict"],
    }


def test_an_accepted_answer_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path)
    say(tmp_path, q1=OTHER)
    assert main(["run", "--quiet"]) == 0
    first = "The duty officer countersigns the float plan."
    assert answers(tmp_path) == {
        "expected_answer": first,
        "accepted_answers": [],
        "answer": OTHER,
        "exact": 0.0,
        "verdict": "fail",
    }
    cases = json.loads((tmp_path / "cases.json").read_text())
    cases[0]["answer"] = [first, OTHER]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    assert main(["run", "--quiet"]) == 0
    found = answers(tmp_path)
    assert found == {
        "expected_answer": first,
        "accepted_answers": [OTHER],
        "answer": OTHER,
        "exact": 1.0,
        "verdict": "pass",
    }
    assert "Right too" in (last(tmp_path).path / "report.html").read_text()
    capsys.readouterr()
    assert main(["score", "last", "--judge", "reference", "--quiet"]) == 0
    assert answers(tmp_path) == found
