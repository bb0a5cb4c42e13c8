"""A build over a real chat service on loopback: its replies are paid once, whatever stops the build."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat, error
from example_corpus import EXAMPLE, copy_example

from assay.cli.main import main
from assay.gold.candidate import read_log

SCRIPT = [json.loads(line) for line in (EXAMPLE / "recording.jsonl").read_text("utf-8").splitlines()]


def from_recording(call: Call) -> Answer:
    reply = next(line["reply"] for line in SCRIPT if line["contains"] in call.text)
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return Answer(chat(json.dumps(reply), usage=usage))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(from_recording) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy_example(tmp_path)
    options = {"model": "openai/writer", "base_url": f"{server.url}/v1", "first_wait": 0.01}
    settings: dict[str, Any] = {
        "client": "orrin",
        "gold": {"target": 40, "floor": 2, "model": "m"},
        "llm": {"models": {"m": options}, "prices": {"writer": {"input": 1.0, "output": 10.0}}},
    }
    (tmp_path / "assay.yaml").write_text(json.dumps(settings))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def questions(project: Path) -> Any:
    return json.loads((project / "gold.json").read_text("utf-8"))["questions"]


def test_each_reply_is_asked_for_and_paid_once(project: Path, server: ChatServer) -> None:
    assert main(["gold", "build", "--quiet"]) == 0
    assert len(questions(project)) == 40
    # 5 batches and 24 proofs; the last check of the gates finds the proofs in the cache
    assert len(server.calls) == 29
    schemas = {call.body["response_format"]["json_schema"]["name"] for call in server.calls}
    assert schemas == {"answerable_questions", "unanswerable_questions", "absence"}
    first = (project / "gold.json").read_bytes()
    assert main(["gold", "build", "--quiet", "--fresh"]) == 0
    assert (project / "gold.json").read_bytes() == first
    assert len(server.calls) == 29


def test_a_budget_for_the_whole_build_stops_it_and_it_goes_on(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A call costs 1000 × $1 + 100 × $10 for a million = $0.002; ten of them are allowed."""
    assert main(["gold", "build", "--quiet", "--max-cost", "0.0201"]) == 3
    # what the questions cost is not counted as left to the proofs
    left = float(capsys.readouterr().err.partition("stopped: $")[2].partition(" of max_cost is left")[0])
    assert left == pytest.approx(0.0201 - 0.002 * len(server.calls))
    assert 5 <= len(server.calls) <= 10
    assert not (project / "gold.json").exists()
    assert main(["gold", "build", "--quiet"]) == 0
    assert len(server.calls) == 29
    assert len(questions(project)) == 40


def test_the_cost_is_shown_before_anything_is_asked(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gold", "build", "--dry-run", "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)["estimate"]
    assert server.calls == []
    assert [(each["phase"], each["calls"]) for each in estimate["forecasts"]] == [
        ("answerable questions", 3),
        ("unanswerable questions", 2),
        ("proofs of absence", 24),
    ]
    assert estimate["cost_usd"] == pytest.approx(sum(each["cost"] for each in estimate["forecasts"]))
    assert 0.1 < estimate["cost_usd"] < 1


def test_faults_that_pass_and_replies_that_cannot_be_read(project: Path, server: ChatServer) -> None:
    """The first call is refused for a moment, the first reply to a batch is prose: the set is the same."""
    seen: set[str] = set()

    def moody(call: Call) -> Answer:
        if len(server.calls) == 1:
            return error(429, headers={"Retry-After": "0"})
        kind = call.body["response_format"]["json_schema"]["name"]
        if kind == "unanswerable_questions" and kind not in seen:
            seen.add(kind)
            return Answer(chat("Gladly! Here are the questions you asked for."))
        return from_recording(call)

    server.handler = moody
    assert main(["gold", "build", "--quiet"]) == 0
    assert len(questions(project)) == 40
    replies = [line for line in read_log(project / "gold.build" / "generation_log.jsonl") if line.event == "reply"]
    assert [(line.attempt, line.accepted) for line in replies].count((1, False)) == 1
    assert [(line.attempt, line.accepted) for line in replies].count((2, True)) == 1
    assert {line.model for line in replies} == {"openai/writer"}


def test_a_wrong_key_ends_it_at_once_with_one_line(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.handler = lambda _call: error(401, "invalid key")
    assert main(["gold", "build", "--quiet"]) == 2
    err = capsys.readouterr().err
    assert "401" in err
    assert err.count("\n") == 1
    assert not (project / "gold.json").exists()
