"""Batch files of a run: requests out, results in, and a run that sends nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chat_server import chat
from small_project import QUESTIONS, last, make

from assay.cli.main import main
from assay.files import read_json

GRADES = {"correctness": 5, "completeness": 5, "faithfulness": 5, "relevance": 5, "clarity": 5, "overall_score": 5}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model at an address where nobody listens: whatever is sent ends the run."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    cases = [{"id": id_, "question": question, "answer": "It."} for id_, question, *_ in QUESTIONS]
    Path("cases.json").write_text(json.dumps(cases))
    settings = {
        "paths": {"gold": "cases.json"},
        "statistics": {"resamples": 100},
        "run": {"pipeline": {"model": "m", "precision_k": 3, "recall_k": 5}, "judging": {"judge": "m"}},
        "llm": {
            "models": {"m": {"model": "openai/test", "base_url": "http://127.0.0.1:9"}},
            "prices": {"openai/test": {"input": 1.0, "output": 2.0}},
        },
    }
    Path("assay.yaml").write_text(json.dumps(settings))
    return tmp_path


def serve(requests: str, results: str, *, fails: int = 0) -> int:
    """What the service gives back for a batch file, the last ones of it failed; how many it was asked."""
    lines = [json.loads(line) for line in Path(requests).read_text().splitlines()]
    done = []
    for number, line in enumerate(lines):
        judged = "response_format" in line["body"]
        text = json.dumps({"reason": "fits", "behaviour": "answered", **GRADES}) if judged else "It. [1]"
        response = {"status_code": 200, "body": chat(text)}
        if number >= len(lines) - fails:
            response = {"status_code": 500, "body": {}}
        done.append({"custom_id": line["custom_id"], "response": response, "error": None})
    Path(results).write_text("".join(json.dumps(line) + "\n" for line in reversed(done)))
    return len(lines)


def test_out_in_out_in_and_nothing_is_sent(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet", "--batch-out", "answers.jsonl"]) == 0
    assert "answers.jsonl: 5 requests to openai/test. Take its results in with --batch-in" in capsys.readouterr().out
    assert not Path("runs").exists()
    assert serve("answers.jsonl", "answered.jsonl") == 5
    assert main(["run", "--quiet", "--batch-in", "answered.jsonl", "--batch-out", "judge.jsonl"]) == 0
    assert serve("judge.jsonl", "judged.jsonl") == 5
    assert main(["run", "--quiet", "--batch-in", "judged.jsonl"]) == 0
    summary = last(project).summary
    assert summary["metrics"]["pass_rate"] == 1.0
    # The judge's five results were taken in by the last session: 5 x (10 x 1 + 5 x 2) / 1e6.
    assert summary["execution"]["spent_usd"] == pytest.approx(100e-6)
    assert summary["cost"]["total_cost_usd"] == pytest.approx(200e-6)
    capsys.readouterr()
    assert main(["run", "--quiet", "--batch-out", "none.jsonl"]) == 0
    assert "no reply is missing" in capsys.readouterr().out
    assert not Path("none.jsonl").exists()


def test_what_failed_is_asked_for_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--quiet", "--batch-out", "answers.jsonl"])
    serve("answers.jsonl", "answered.jsonl", fails=2)
    capsys.readouterr()
    main(["run", "--quiet", "--batch-in", "answered.jsonl", "--batch-out", "more.jsonl"])
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "answered.jsonl: 2 of 5 results failed and are asked for again (answered 500: {})"
    assert told[1].startswith("more.jsonl: 5 requests")
    lines = [json.loads(line) for line in Path("more.jsonl").read_text().splitlines()]
    assert sum("response_format" not in line["body"] for line in lines) == 2
    assert sum("response_format" in line["body"] for line in lines) == 3, "the same model judges what is answered"


def test_results_may_be_taken_in_twice_and_their_time_is_not_made_up(project: Path) -> None:
    """Looking a reply up is not generating or judging it."""
    main(["run", "--quiet", "--batch-out", "answers.jsonl"])
    serve("answers.jsonl", "answered.jsonl")
    for _ in range(2):
        assert main(["run", "--quiet", "--batch-in", "answered.jsonl", "--batch-out", "judge.jsonl"]) == 0
    serve("judge.jsonl", "judged.jsonl")
    for _ in range(2):
        assert main(["run", "--quiet", "--batch-in", "answered.jsonl", "--batch-in", "judged.jsonl"]) == 0
        row = last(project).results.read()[0]
        assert row["timing"]["retrieval"] is not None
        assert [row["timing"][phase] for phase in ("generation", "judge", "total")] == [None, None, None]
    assert last(project).summary["execution"]["spent_usd"] == 0, "the second time nothing was new"


def test_one_request_is_no_requests(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--quiet", "--quick", "1", "--batch-out", "one.jsonl"])
    assert "one.jsonl: 1 request to openai/test." in capsys.readouterr().out


def test_a_finished_run_is_judged_by_a_batch(project: Path) -> None:
    assert main(["run", "--quiet", "--judge", "reference", "--batch-out", "answers.jsonl"]) == 0
    serve("answers.jsonl", "answered.jsonl")
    assert main(["run", "--quiet", "--judge", "reference", "--batch-in", "answered.jsonl"]) in (0, 1)
    first = last(project)
    assert main(["score", "last", "--quiet", "--judge", "m", "--batch-out", "judge.jsonl"]) == 0
    assert last(project) == first
    assert serve("judge.jsonl", "judged.jsonl") == 5
    assert main(["score", "last", "--quiet", "--judge", "m", "--batch-in", "judged.jsonl"]) == 0
    assert last(project).summary["judge"]["name"] == "openai/test"
    assert last(project).summary["metrics"]["pass_rate"] == 1.0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--system", "recorded:none.jsonl"], "none.jsonl"),
        (["--system", "python:json:loads"], "not for what a system of your own asks. Run it with --judge reference"),
    ],
)
def test_only_models_that_assay_asks(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["run", "--quiet", "--batch-out", "out.jsonl", *words]) == 2
    assert says in capsys.readouterr().err


def test_results_of_another_batch_and_other_settings_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.jsonl").write_text('{"custom_id": "x"}\n')
    assert main(["run", "--quiet", "--batch-in", "other.jsonl"]) == 2
    assert "other.jsonl:1: custom_id 'x' was not asked for" in capsys.readouterr().err
    settings = read_json(Path("assay.yaml"))
    settings["llm"]["cache"] = "off"
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--quiet", "--batch-out", "out.jsonl"]) == 2
    assert "batch files need the reply cache" in capsys.readouterr().err
    settings["llm"] = {"models": {"m": {"model": "scripted/replies.jsonl"}}}
    Path("replies.jsonl").write_text('{"reply": "x"}\n')
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--quiet", "--batch-out", "out.jsonl"]) == 2
    assert "takes no batch file in OpenAI's format" in capsys.readouterr().err
