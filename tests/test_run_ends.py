"""How a run ends before its end: by another that writes it, by a key that is missing or wrong, by a limit, by a signal;
and what it leaves for the next one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat, error
from judged_project import make_judged, say
from small_project import interruptible, last

from assay.cli.main import main
from assay.runs.folder import all_runs
from assay.runs.results import Row

GRADES = {"correctness": 5, "completeness": 5, "faithfulness": 5, "relevance": 5, "clarity": 5, "overall_score": 5}
SECRET = "sk-in-an-answer-4711"
SLOW_BOT = """\
import json, time
from pathlib import Path


def answer(question):
    time.sleep(0.1)
    with open("asked.txt", "a") as file:
        file.write(question + "\\n")
    return {"answer": json.loads(Path("said.json").read_text("utf-8"))[question]}
"""


def good(_: Call) -> Answer:
    return Answer(chat(json.dumps({"reason": "fits", "behaviour": "answered", **GRADES})))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(good) as running:
        yield running


def judged_by(server: ChatServer, folder: Path, times: int = 1) -> None:
    """Answers by a bot that notes what it is asked, judged by a model whose key is in JUDGE_KEY."""
    model = {"model": "openai/test", "base_url": server.url, "api_key_env": "JUDGE_KEY", "first_wait": 0.01}
    make_judged(folder, times, run={"judging": {"judge": "m"}}, llm={"models": {"m": model}})
    (folder / "bot.py").write_text(SLOW_BOT.replace("time.sleep(0.1)", ""))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ChatServer) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_KEY", "sk-of-the-judge")
    judged_by(server, tmp_path)
    return tmp_path


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty questions to a bot that takes a tenth of a second for each, one at a time."""
    monkeypatch.chdir(tmp_path)
    make_judged(tmp_path, 8)
    (tmp_path / "bot.py").write_text(SLOW_BOT)
    return tmp_path


def asked() -> list[str]:
    return Path("asked.txt").read_text().splitlines() if Path("asked.txt").exists() else []


def without_times(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key not in ("time", "timing")} for row in rows]


def begun(project: Path, words: list[str]) -> subprocess.Popen[str]:
    """The command in a process of its own, when it has its first results."""
    process = subprocess.Popen(interruptible(words), stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None and not any(project.glob("runs/*/results.jsonl")):
        time.sleep(0.02)
    return process


def test_a_run_is_written_by_one_process_at_a_time(slow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    process = begun(slow, ["run", "--quiet"])
    try:
        assert main(["run", "--quiet", "--resume", "last"]) == 2
        fault = capsys.readouterr().err
        assert f"another command is writing this run (process {process.pid})" in fault
        assert fault.count("\n") == 1
    finally:
        process.kill()
        process.communicate()
    assert (last(slow).path / ".lock").exists(), "left by the killed one"
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert not (last(slow).path / ".lock").exists()
    assert len(last(slow).results.read()) == 40


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_that_goes_on_exactly(slow: Path, how: signal.Signals) -> None:
    process = begun(slow, ["run", "--quiet"])
    os.kill(process.pid, how)
    _, fault = process.communicate(timeout=30)
    assert process.returncode == 128 + how
    assert "go on with: assay run --quiet --resume last" in fault
    assert "Traceback" not in fault
    assert not (last(slow).path / ".lock").exists()
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert last(slow).summary["execution"]["sessions"] == 2
    resumed = without_times(last(slow).results.read())
    assert main(["run", "--quiet"]) == 0
    assert without_times(last(slow).results.read()) == resumed


def test_max_time_and_resumed_to_the_end_is_as_if_never_stopped(slow: Path) -> None:
    assert main(["run", "--quiet", "--max-time", "1"]) == 3
    done = len(last(slow).results.read())
    assert 0 < done < 40
    assert main(["run", "--quiet", "--max-time", "1", "--resume", "last"]) == 3, "the whole limit again"
    assert done < len(last(slow).results.read()) < 40
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert len(asked()) == len(set(asked())) == 40, "nothing is asked twice"
    resumed, summary = last(slow).results.read(), last(slow).summary
    assert main(["run", "--quiet"]) == 0
    assert without_times(last(slow).results.read()) == without_times(resumed)
    assert last(slow).summary["metrics"] == summary["metrics"]


def test_a_judge_without_a_key_is_told_before_the_first_question(
    project: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JUDGE_KEY")
    assert main(["run", "--quiet"]) == 2
    fault = capsys.readouterr().err
    assert "the environment variable JUDGE_KEY is not set" in fault
    assert fault.count("\n") == 1
    assert not asked()
    assert not server.calls
    assert not all_runs(project / "runs")


def test_what_is_known_needs_no_key(
    project: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--quiet"]) == 0
    monkeypatch.delenv("JUDGE_KEY")
    assert main(["run", "--quiet", "--resume", "last"]) == 0, "there is nothing left to ask"
    assert main(["run", "--quiet"]) == 0, "every reply is in the cache"
    assert main(["score", "last", "--quiet"]) == 0
    assert len(server.calls) == 5
    capsys.readouterr()
    say(project, q3="They pay 99 pounds.")
    assert main(["run", "--quiet"]) == 2
    assert "JUDGE_KEY is not set" in capsys.readouterr().err


@pytest.mark.parametrize("status", [401, 404])
def test_answers_that_a_refused_judge_never_saw_are_kept(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    """Whether the judge takes the key is known by its first call: what was answered by then is not asked again."""
    server.handler = lambda _: error(status, "no such thing")
    assert main(["run", "--quiet", "--workers", "2"]) == 2
    fault = capsys.readouterr().err
    assert f"answered {status}" in fault
    assert f"Go on with: assay run --resume {last(project).name}" in fault
    assert fault.count("\n") == 1
    kept = asked()
    assert 0 < len(kept) <= 2
    assert {row["status"] for row in last(project).results.read()} == {"error"}
    server.handler = good
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert len(all_runs(project / "runs")) == 1
    assert sorted(asked()) == sorted(set(asked())), "no question was asked twice"
    assert last(project).summary["metrics"]["pass_rate"] == 1.0


def test_judging_again_with_a_wrong_key_leaves_no_run_behind(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--quiet", "--judge", "reference"]) == 0
    server.handler = lambda _: error(401, "no such key")
    assert main(["score", "last", "--judge", "m", "--quiet"]) == 2
    assert "Go on with" not in capsys.readouterr().err
    assert len(all_runs(project / "runs")) == 1


def test_a_new_run_that_could_not_begin_leaves_no_folder(project: Path, server: ChatServer) -> None:
    settings: dict[str, Any] = json.loads(Path("assay.yaml").read_text())
    settings["run"]["pipeline"] = {"model": "m"}
    Path("assay.yaml").write_text(json.dumps(settings))
    server.handler = lambda _: error(401, "no such key")
    assert main(["run", "--quiet"]) == 2
    assert not all_runs(project / "runs")
    assert not list((project / "runs").iterdir())


def test_a_secret_in_an_answer_is_not_sent_on_to_the_judge(
    project: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_SERVICE_TOKEN", SECRET)
    say(project, q1=f"The duty officer countersigns it with {SECRET}.")
    assert main(["run", "--quiet"]) == 0
    sent = [json.dumps(call.body) for call in server.calls]
    assert not any(SECRET in body for body in sent)
    assert sum("countersigns it with ***" in body for body in sent) == 1
    rows = {row["case_id"]: row for row in last(project).results.read()}
    assert rows["q1"]["answer"] == "The duty officer countersigns it with ***."
    assert main(["score", "last", "--judge", "m", "--quiet"]) == 0
    assert len(server.calls) == 5, "what is stored is what was judged"


def test_a_comparison_that_nobody_asked_for_is_not_missed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet"]) == 0
    assert "No baseline to compare with; --update-baseline makes one of a run." in capsys.readouterr().out
    assert main(["score", "last", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "No baseline" not in out
    assert "Not compared with a baseline: --baseline latest does." in out
