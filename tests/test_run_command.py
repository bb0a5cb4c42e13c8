"""`assay run` as a user has it, against a real chat service on loopback: judged, costed, resumed, stopped, compared."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat, error
from small_project import QUESTIONS, interruptible, last, make

from assay.cli.main import main
from assay.errors import AssayError
from assay.files import read_json
from assay.runs.folder import all_runs
from assay.runs.results import Row

ANSWERS = {
    "q1": "The duty officer countersigns it.",
    "q2": "A plan that is not closed by sunset.",
    "q3": "A family pays 210 pounds a year.",
    "q4": "Lockers cost 30 pounds.",
    "q5": "C'est l'arbitre qui décide.",
}
GRADES = {"correctness": 5, "completeness": 5, "faithfulness": 5, "relevance": 5, "clarity": 5, "overall_score": 5}


def cases(count: int = 1) -> list[dict[str, Any]]:
    """The five questions with their answers, and one that has none; `count` times over."""
    found: list[dict[str, Any]] = []
    for turn in range(count):
        for id_, question, chunk, document, _, difficulty in QUESTIONS:
            tags = {"difficulty": difficulty, "question_type": "single_hop"}
            asked = question if turn == 0 else f"{question} ({turn})"
            found.append(
                {"id": f"{id_}-{turn:03d}", "question": asked, "expected_ids": [chunk], "sources": [document]}
                | {"answer": ANSWERS[id_], "tags": tags}
            )
    return found


UNANSWERABLE = {
    "id": "none",
    "question": "Who paints the harbour wall?",
    "answerable": False,
    "category": "OUT_OF_SCOPE",
    "truth": "Nothing is said of the wall.",
    "tags": {"difficulty": "hard", "question_type": "single_hop"},
}


def is_judge(call: Call) -> bool:
    return "response_format" in call.body


def reply(call: Call) -> Answer:
    """Answers well, and judges everything well unless it was refused."""
    if is_judge(call):
        refused = "do not hold" in call.text
        return Answer(chat(json.dumps({"reason": "fits", "behaviour": "refused" if refused else "answered", **GRADES})))
    for id_, question, *_ in QUESTIONS:
        if question in call.text:
            return Answer(chat(f"{ANSWERS[id_]} [1]"))
    return Answer(chat("The passages do not hold the answer."))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(reply) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ChatServer) -> Path:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    monkeypatch.setenv("TEST_KEY", "sk-never-on-disk-4711")
    models = {"m": model(server)}
    settings = {
        "paths": {"gold": "cases.json"},
        "statistics": {"resamples": 200},
        "run": {"pipeline": {"model": "m", "precision_k": 3, "recall_k": 5}, "judging": {"judge": "m"}},
        "llm": {"models": models, "prices": {"openai/test": {"input": 1.0, "output": 2.0}}},
    }
    (tmp_path / "assay.yaml").write_text(json.dumps(settings))
    write([*cases(), UNANSWERABLE])
    return tmp_path


def model(server: ChatServer) -> dict[str, Any]:
    return {"model": "openai/test", "base_url": server.url, "api_key_env": "TEST_KEY", "first_wait": 0.01, "timeout": 5}


def write(questions: list[dict[str, Any]]) -> None:
    Path("cases.json").write_text(json.dumps(questions))


def change(**llm: Any) -> None:
    settings = read_json(Path("assay.yaml"))
    settings["llm"] |= llm
    Path("assay.yaml").write_text(json.dumps(settings))


def without_times(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key not in ("time", "timing", "retry_info")} for row in rows]


def test_a_whole_run(project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run"]) == 0
    shown = capsys.readouterr()
    assert "[6/6] m" in shown.err
    assert "Pass rate" in shown.out
    run = last(project)
    names = {path.name for path in run.path.iterdir()}
    files = {"manifest.json", "passages.jsonl", "results.jsonl", "run_summary.json", "sessions.jsonl"}
    assert names == files | {"report.html", "report.md"}
    summary = run.summary
    metrics = summary["metrics"]
    assert metrics["pass_rate"] == 1.0
    assert metrics["recall_at_5"] == 1.0
    assert sum(metrics[f"{name}_rate"] for name in ("pass", "partial", "fail", "error")) == 1.0
    assert len(server.calls) == 12
    # 12 calls of 10 prompt and 5 completion tokens: 6 x (10 x 1 + 5 x 2) / 1e6 each for answers and judge.
    assert summary["cost"]["input_cost"] == pytest.approx(60e-6)
    assert summary["cost"]["output_cost"] == pytest.approx(60e-6)
    assert summary["cost"]["judge_cost"] == pytest.approx(120e-6)
    assert summary["cost"]["total_cost_usd"] == pytest.approx(240e-6)
    assert summary["abstention"]["unanswerable_refused"] == 1
    assert summary["abstention"]["false_answer_rate"]["mean"] == 0.0
    (row,) = [row for row in run.results.read() if row["case_id"] == "q1-000"]
    assert row["judgment"]["verdict"] == "pass"
    assert row["tokens"] == {"prompt": 10, "completion": 5, "thinking": 0, "cached": 0, "total": 15}
    assert row["timing"]["rerank"] is None
    assert row["timing"]["generation"] > 0
    assert row["llm_metadata"]["has_citations"] is True
    assert row["recall_hit"] is True
    assert row["scores"]["citation_precision"] is not None


def test_the_same_again_makes_no_call_and_gives_the_same(project: Path, server: ChatServer) -> None:
    main(["run", "--quiet"])
    calls = len(server.calls)
    main(["run", "--quiet"])
    assert len(server.calls) == calls
    first, second = all_runs(project / "runs")
    assert without_times(first.results.read()) == without_times(second.results.read())
    assert first.summary["metrics"] == second.summary["metrics"]
    assert first.summary["cost"] == second.summary["cost"]
    assert second.summary["execution"]["spent_usd"] == 0.0


def test_a_recording_replays_without_a_service(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "--quiet"])
    before = len(server.calls)
    change(cache="replay")
    assert main(["run", "--quiet"]) == 0
    assert len(server.calls) == before
    questions = cases()
    questions[0]["question"] = "Who countersigns the float plan today?"
    write(questions)
    assert main(["run", "--quiet"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_recording_can_be_committed_and_replayed_elsewhere(project: Path, server: ChatServer) -> None:
    assert main(["run", "--quiet", "--record", "recording.jsonl"]) == 0
    assert len(Path("recording.jsonl").read_text().splitlines()) == 12
    server.calls.clear()
    change(cache="replay", recording="recording.jsonl")
    for path in Path(".assay").rglob("*"):
        if path.is_file():
            path.unlink()
    assert main(["run", "--quiet"]) == 0
    assert server.calls == []


def test_interactive_keeps_or_changes_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.cli._run import ask
    from assay.config import Config
    from assay.rag.bench import Order

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    said = iter(["", "openai/none-1", "", "7", "reference", ""])
    order = Order(config=Config(), gold=Path("g"), index=None)
    config, changed = ask(Config(), order, lambda _: next(said))
    assert config.run.pipeline.model == "openai/none-1"
    assert config.run.pipeline.precision_k == 7
    assert config.run.pipeline.retriever == "hybrid"
    assert changed.config == config
    assert changed.overrides == ("model none → openai/none-1", "precision_k 25 → 7"), "no core run any more"
    said = iter(["", "none", "", "", "", ""])
    assert ask(config, changed, lambda _: next(said))[0].run.pipeline.model is None
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    with pytest.raises(AssayError, match="needs a terminal"):
        ask(Config(), order)


def faulty(rate_limited: float, broken: float, cut: float, malformed: float, seed: int = 1) -> Callable[[Call], Answer]:
    """Each request misbehaves at random, but is answered in the end."""
    chance = random.Random(seed)
    tries: dict[str, int] = {}

    def handle(call: Call) -> Answer:
        key = json.dumps(call.body, sort_keys=True)
        tries[key] = tries.get(key, 0) + 1
        draw = chance.random()
        if tries[key] < 4:
            if draw < rate_limited:
                return error(429, headers={"Retry-After": "0"})
            if draw < rate_limited + broken:
                return error(500)
            if draw < rate_limited + broken + cut:
                return Answer(reply(call).body, cut=True)
            if draw < rate_limited + broken + cut + malformed:
                return Answer(b'{"choices": [')
        return reply(call)

    return handle


def test_faults_that_pass_are_survived_and_counted(project: Path, server: ChatServer) -> None:
    write([*cases(20), UNANSWERABLE])
    server.handler = faulty(0.10, 0.05, 0.02, 0.02)
    assert main(["run", "--quiet", "--workers", "10"]) == 0
    run = last(project)
    assert run.summary["metrics"]["error_rate"] == 0
    attempts = sum(row["retry_info"]["attempts"] for row in run.results.read())
    # Each question is two calls; a question's attempts count its retries once over both phases.
    assert len(server.calls) == 2 * 101 + (attempts - 101)
    assert run.summary["retry_stats"]["recovered"] == run.summary["retry_stats"]["questions_retried"] > 0


def test_a_question_that_fails_for_good_is_an_error_and_is_retried_by_resume(project: Path, server: ChatServer) -> None:
    def broken(call: Call) -> Answer:
        return error(500) if "How much does a family pay?" in call.text and not is_judge(call) else reply(call)

    server.handler = broken
    assert main(["run", "--quiet"]) == 3
    run = last(project)
    assert run.summary["errors"] == {"total": 1, "by_phase": {"generation": 1}}
    assert run.summary["metrics"]["error_rate"] == pytest.approx(1 / 6)
    assert run.summary["metrics"]["pass_rate"] == pytest.approx(5 / 6)
    assert run.summary["intervals"]["overall_score_avg"]["n_scored"] == 5
    assert run.summary["partial"] is not None
    (row,) = [row for row in run.results.read() if row["status"] == "error"]
    assert row["retry_info"]["attempts"] == 5
    assert row["retrieved"], "what came before the fault is kept"
    server.handler = reply
    server.calls.clear()
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert len(server.calls) == 2
    assert last(project).summary["metrics"]["pass_rate"] == 1.0


@pytest.mark.parametrize(
    "bad",
    [
        "I think the answer is good: " + json.dumps({"reason": "x", "behaviour": "answered", **GRADES}),
        json.dumps({"reason": "x", "behaviour": "answered", **GRADES}) * 2,
        json.dumps({"reason": "x", "behaviour": "answered", **GRADES, "correctness": 7}),
        json.dumps({"reason": "x", "behaviour": "answered", **GRADES, "correctness": "4/5"}),
        json.dumps({"raison": "bien", "exactitude": 5}),
        "",
    ],
)
def test_a_judge_that_cannot_be_read_is_an_error_never_a_middle_grade(
    project: Path, server: ChatServer, bad: str
) -> None:
    write(cases()[:1])
    server.handler = lambda call: Answer(chat(bad)) if is_judge(call) else reply(call)
    assert main(["run", "--quiet"]) == 3
    (row,) = last(project).results.read()
    assert (row["status"], row["error"]["phase"]) == ("error", "judge")
    assert row["judgment"]["overall_score"] is None
    assert row["answer"], "the paid answer is kept"
    assert sum(is_judge(call) for call in server.calls) == 5


@pytest.mark.parametrize(("status", "hint"), [(401, "answered 401"), (404, "answered 404")])
def test_a_wrong_key_or_model_ends_at_once(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str], status: int, hint: str
) -> None:
    server.handler = lambda _: error(status, "no such thing")
    assert main(["run", "--quiet", "--workers", "1"]) == 2
    fault = capsys.readouterr().err
    assert hint in fault
    assert fault.count("\n") == 1
    assert len(server.calls) == 1


def test_an_embedder_that_cannot_be_used_is_told_before_anything_is_asked(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = read_json(Path("assay.yaml"))
    settings["embedder"] = {"name": "openai", "model": "e", "endpoint": server.url, "api_key_env": "TEST_KEY"}
    settings["run"]["pipeline"]["retriever"] = "bm25"
    Path("assay.yaml").write_text(json.dumps(settings))
    server.handler = lambda call: error(401, "no such key") if call.path == "/embeddings" else reply(call)
    assert main(["run", "--quiet"]) == 2
    assert "no such key" in capsys.readouterr().err
    assert [call.path for call in server.calls] == ["/embeddings"]
    assert not Path("runs").exists(), "no run was begun"


def test_no_room_for_the_last_files_leaves_a_run_that_goes_on(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--quiet"]) == 0
    run = last(project)
    sessions = run.path / "sessions.jsonl"
    sessions.unlink()
    sessions.symlink_to("/dev/full")
    assert main(["run", "--quiet", "--resume", "last"]) == 3
    fault = capsys.readouterr().err
    assert "sessions.jsonl: cannot be written" in fault
    assert fault.endswith(f"Go on with: assay run --resume {run.name}\n")
    # What ends a session is told, not that its line cannot be written.
    (run.path / "results.jsonl").unlink()
    server.handler = lambda _: error(401, "no such key")
    change(cache="off")
    assert main(["run", "--quiet", "--resume", "last"]) == 2
    assert "no such key" in capsys.readouterr().err
    sessions.unlink()
    server.handler = reply
    assert main(["run", "--quiet", "--resume", "last"]) == 0


def test_a_budget_stops_cleanly_and_resume_goes_on_exactly(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    write(cases(4))
    usage = {"prompt_tokens": 500, "completion_tokens": 250, "total_tokens": 750}  # 0.001 dollars a call, 0.04 in all
    server.handler = lambda call: Answer(reply(call).body | {"usage": usage})
    assert main(["run", "--quiet", "--workers", "2", "--max-cost", "0.02"]) == 3
    assert "max_cost" in capsys.readouterr().err
    done = len(last(project).results.read())
    assert 5 < done < 20
    assert len(server.calls) <= 20
    assert main(["run", "--quiet", "--workers", "2", "--resume", "last"]) == 0
    assert len(server.calls) == 40, "nothing is paid twice"
    assert len(last(project).results.read()) == 20


class Clock:
    """A second passes with each call that the server answers, however busy the machine is."""

    def __init__(self, server: ChatServer):
        self._server = server

    def monotonic(self) -> float:
        return float(len(self._server.calls))


def test_max_time_stops_cleanly(project: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    write(cases(10))
    monkeypatch.setattr("assay.llm.budget.time", Clock(server))
    assert main(["run", "--quiet", "--workers", "2", "--max-time", "20"]) == 3
    done = len(last(project).results.read())
    assert 8 <= done <= 11, "an answer and a judgment each, and what was under way when the time was up"
    assert 20 <= len(server.calls) <= 22
    assert main(["run", "--quiet", "--workers", "2", "--max-time", "1000", "--resume", "last"]) == 0
    assert len(server.calls) == 100, "nothing is paid twice"


def test_dry_run_sends_nothing_and_says_what_it_would_cost(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--dry-run", "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)
    assert [(f["phase"], f["calls"]) for f in estimate["forecasts"]] == [("answers", 6), ("judge", 6)]
    assert estimate["cost_usd"] > 0
    assert server.calls == []
    assert not (project / "runs").exists()
    assert main(["run", "--dry-run"]) == 0
    assert "nothing was sent" in capsys.readouterr().out


def test_an_unknown_price_is_unknown_and_not_zero(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(prices={})
    assert main(["run", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["cost"]["total_cost_usd"] is None
    assert summary["execution"]["warnings"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_and_resumed_is_as_if_never_killed(project: Path, server: ChatServer, how: signal.Signals) -> None:
    write(cases(10))
    server.handler = lambda call: Answer(reply(call).body, delay=0.05)
    command = interruptible(["run", "--quiet", "--workers", "4"])
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while time.monotonic() < end and len(server.calls) < 40:
        time.sleep(0.02)
    os.kill(process.pid, how)
    _, fault = process.communicate(timeout=20)
    assert process.returncode != 0
    assert "Traceback" not in fault
    run = last(project)
    done = len(run.results.read())
    assert 0 < done < 50
    with run.results.path.open("ab") as file:
        file.write(b'{"variant": "torn')
    before = len(server.calls)
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert len(server.calls) - before <= 2 * (50 - done)
    resumed = without_times(last(project).results.read())
    assert last(project).summary["execution"]["sessions"] == 2, "the killed one counts too"
    assert main(["run", "--quiet"]) == 0
    assert without_times(last(project).results.read()) == resumed


def test_resume_with_another_judge_is_refused_by_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--quiet"])
    capsys.readouterr()
    assert main(["run", "--quiet", "--resume", "last", "--judge", "reference", "--precision", "2"]) == 2
    assert "cannot resume: precision_k 3 → 2, judge m → reference." in capsys.readouterr().err


def test_another_judge_is_not_compared_unless_asked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet", "--update-baseline"]) == 0
    capsys.readouterr()
    assert main(["run", "--quiet", "--judge", "reference"]) == 0
    assert "Not compared: " in capsys.readouterr().out, "the run and its report stand"
    assert (last(project).path / "report.html").exists()
    assert main(["run", "--quiet", "--judge", "reference", "--allow-different-judges"]) in (0, 1)
    assert "the judges differ" in capsys.readouterr().out
    assert main(["compare", "baseline", "last"]) == 2
    assert main(["compare", "baseline", "last", "--allow-different-judges"]) in (0, 1)


def test_a_run_that_got_worse_is_a_regression(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    write(cases(4))
    assert main(["run", "--quiet", "--update-baseline"]) == 0
    server.handler = lambda call: (
        reply(call) if is_judge(call) else Answer(chat("The passages do not hold the answer."))
    )
    change(cache="off")
    capsys.readouterr()
    assert main(["run", "--quiet"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "regression: pass_rate" in shown
    assert "fail_rate" in shown
    comparison = (last(project).path / "comparison.md").read_text()
    assert "latency" in comparison


def test_latency_and_cost_have_limits(project: Path) -> None:
    settings = read_json(Path("assay.yaml")) | {"comparison": {"limits": {"cost_per_question_usd": 0.00001}}}
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--quiet"]) == 1, "with or without a baseline"
    settings["comparison"] = {"limits": {"cost_per_qestion_usd": 1.0}}
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--quiet"]) == 2


def test_gates_on_any_metric(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = read_json(Path("assay.yaml"))
    settings["run"]["gates"] = [{"measure": "pass_rate", "at_least": 1.0}, {"measure": "groundedness", "at_least": 0.9}]
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--json"]) == 1
    gates = json.loads(capsys.readouterr().out)["gates"]
    assert [gate["passed"] for gate in gates] == [True, False]
    settings["run"]["gates"] = [{"measure": "pas_rate", "at_least": 1.0}]
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--json"]) == 2
    assert "run.gates: unknown metric 'pas_rate'. Did you mean pass_rate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "path", "value"),
    [
        (["--workers", "3"], ("run", "workers"), 3),
        (["--precision", "2"], ("run", "pipeline", "precision_k"), 2),
        (["--recall-k", "4"], ("run", "pipeline", "recall_k"), 4),
        (["--judge", "reference"], ("run", "judging", "judge"), "reference"),
        (["--no-hybrid"], ("run", "pipeline", "retriever"), "vector"),
        (["--retriever", "bm25+rerank", "--no-rerank"], ("run", "pipeline", "retriever"), "bm25"),
        (["--retriever", "bm25+rerank"], ("run", "pipeline", "retriever"), "bm25+rerank"),
        (["--seed", "9"], ("seed",), 9),
    ],
)
def test_every_flag_has_an_effect(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], path: tuple[str, ...], value: Any
) -> None:
    assert main(["run", "--json", *words]) in (0, 1)
    summary = json.loads(capsys.readouterr().out)
    found = summary["config"]
    for key in path:
        found = found[key]
    assert found == value


def test_precision_and_recall_k_are_what_is_seen_and_searched(project: Path) -> None:
    main(["run", "--quiet", "--precision", "1", "--recall-k", "2"])
    rows = last(project).results.read()
    assert {len(row["context"]) for row in rows} == {1}
    assert {row["retrieval_candidates"] for row in rows} == {2}


def test_a_rerank_is_timed_as_a_phase_of_its_own(project: Path) -> None:
    main(["run", "--quiet", "--retriever", "bm25+rerank"])
    assert all(row["timing"]["rerank"] is not None for row in last(project).results.read() if row["retrieved"])


def test_quick_and_test_take_the_same_few_each_time(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(cases(20))
    chosen = []
    for words in (["--quick", "7"], ["--quick", "7"], ["--test"]):
        main(["run", "--json", *words])
        summary = json.loads(capsys.readouterr().out)
        assert summary["partial"]
        chosen.append([row["case_id"] for row in last(project).results.read()])
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 7
    assert len(chosen[2]) == 10  # two buckets (easy, hard), five each
    assert main(["baselines", "--promote", "last"]) == 2
    assert main(["baselines", "--promote", "last", "--force"]) == 0


def test_without_a_model_sentences_are_quoted_and_named_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = read_json(Path("assay.yaml"))
    settings["run"] = {"pipeline": {"precision_k": 3}}
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run"]) == 0
    shown = capsys.readouterr().out
    assert "extractive" in shown
    assert "/ 3 of 5 chunks" in shown
    assert last(project).summary["judge"]["name"] == "reference"


SYSTEM = """
print("loaded")

def answer(question):
    print("asked:", question)
    if "family" in question:
        raise ValueError("no luck")
    if "lockers" in question:
        return None
    return {"answer": "The duty officer countersigns it.", "contexts": ["The duty officer countersigns it."]}
"""


def test_a_system_of_the_users_own(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text(SYSTEM)
    assert main(["run", "--system", "python:mine:answer", "--json", "--judge", "reference"]) == 3
    out, err = capsys.readouterr()
    summary = json.loads(out)  # what the system prints does not spoil it
    assert "asked: Who countersigns" in err
    assert summary["errors"]["total"] == 2
    rows = {row["case_id"]: row for row in last(project).results.read()}
    assert "no luck" in rows["q3-000"]["error"]["message"]
    assert rows["q1-000"]["judgment"]["verdict"] == "pass"
    assert rows["q1-000"]["timing"]["retrieval"] is None
    assert rows["q1-000"]["scores"]["recall_at_5"] is None


FAILING = """
def always(question):
    raise ValueError("no model")

def differently(question):
    raise ValueError(question)
"""


def test_why_questions_have_no_result_is_said_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("failing.py").write_text(FAILING)
    assert main(["run", "--system", "python:failing:always", "--judge", "reference", "--quiet"]) == 3
    total, shown = len(last(project).results.read()), " ".join(capsys.readouterr().out.split())
    assert f"! {total} × ValueError: no model" in shown
    assert f"{total} questions without a result. " in shown
    assert "system embedded → python:failing:always" in shown
    assert main(["run", "--system", "python:failing:differently", "--judge", "reference", "--quiet"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert f"and {total - 3} other reasons: see “Retries and errors” of the report." in shown


def test_cloud_and_endpoint_go_together(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--cloud"]) == 2
    assert "--cloud --endpoint URL" in capsys.readouterr().err


def test_the_key_never_reaches_disk(project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run"])
    assert server.calls[0].headers["authorization"] == "Bearer sk-never-on-disk-4711"
    server.handler = lambda _: error(401, "wrong key sk-never-on-disk-4711")
    change(cache="off")
    main(["run"])
    shown = capsys.readouterr()
    assert "sk-never-on-disk-4711" not in shown.out + shown.err
    written = [path for path in project.rglob("*") if path.is_file()]
    assert all(b"sk-never-on-disk-4711" not in path.read_bytes() for path in written)


def test_people_say_how_far_the_judge_can_be_trusted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--quiet"])
    rows = last(project).results.read()
    labels = [{"case_id": row["case_id"], "rater": "ana", "human": {"verdict": "fail"}} for row in rows]
    Path("labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
    capsys.readouterr()
    assert main(["judge", "check", "labels.jsonl", "--run", "last", "--json"]) == 1
    trust = json.loads(capsys.readouterr().out)
    assert trust["verdicts"]["accuracy"]["value"] == 0.0
    assert trust["may_gate"]["allowed"] is False
    settings = read_json(Path("assay.yaml"))
    settings["run"]["gates"] = [{"measure": "pass_rate", "at_least": 1.1}]
    settings["run"]["judging"]["labels"] = "labels.jsonl"
    Path("assay.yaml").write_text(json.dumps(settings))
    assert main(["run", "--quiet"]) == 0, "a judge nobody can trust may warn but not gate"
    assert last(project).summary["gates"][0]["severity"] == "warning"
    assert main(["judge", "check", "labels.jsonl", "--repeats", "2"]) == 2
    capsys.readouterr()
    assert main(["judge", "check", "labels.jsonl"]) == 2
    assert "no answer is marked by a person and by the judge. Take the judge's marks" in capsys.readouterr().err
    Path("labels.jsonl").write_text('{"case_id": "elsewhere", "human": {"verdict": "fail"}}\n')
    assert main(["judge", "check", "labels.jsonl", "--run", "last"]) == 2
    assert f"Its case ids must be those of {last(project).name}" in capsys.readouterr().err


def test_the_report_has_everything_in_order(project: Path, server: ChatServer) -> None:
    server.handler = lambda call: (
        Answer(chat("Green paint. <script>x</script>"))
        if not is_judge(call)
        else Answer(
            chat(
                json.dumps({"reason": "wrong", "behaviour": "answered", **GRADES, "overall_score": 1, "correctness": 1})
            )
        )
    )
    assert main(["run", "--quiet"]) == 0
    html = (last(project).path / "report.html").read_text()
    titles = ["Run context", "Executive summary", "MRR by difficulty", "What the scores mean", "Distribution of scores"]
    titles += ["Latency", "Tokens and cost", "By type", "By difficulty", "Retries and errors", "Questions"]
    titles += ["Execution", "Question distribution"]
    places = [html.index(f"<h2>{title}") for title in titles]
    assert places == sorted(places)
    assert "<script>x" not in html
    assert last(project).summary["waterfall"]["answered_unanswerable"] == 1


def test_a_run_is_judged_again_without_generating(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "--quiet"])
    first = last(project)
    server.calls.clear()
    capsys.readouterr()
    assert main(["score", "last", "--judge", "reference", "--quiet", "--junit", "again.xml"]) == 0
    assert "<testsuite" in Path("again.xml").read_text()
    again = last(project)
    assert again.name != first.name
    assert server.calls == []
    assert again.summary["judge"]["name"] == "reference"
    assert [row["answer"] for row in again.results.read()] == [row["answer"] for row in first.results.read()]
    assert [row["retrieved"] for row in again.results.read()] == [row["retrieved"] for row in first.results.read()]
    assert [row["context"] for row in again.results.read()] == [row["context"] for row in first.results.read()]
    assert again.summary["identity"]["judge"] != first.summary["identity"]["judge"]
    assert main(["compare", first.name, again.name]) == 2
    assert main(["score", first.name, "--judge", "m", "--quiet"]) == 0
    assert server.calls == [], "the judge's replies are in the cache"
    assert main(["compare", first.name, "last"]) == 0
    main(["retrieval", "--quiet"])
    assert main(["score", last(project).name, "--judge", "reference"]) == 2
    assert "has no answers to judge" in capsys.readouterr().err


def test_another_verdict_rule_needs_no_call(project: Path, server: ChatServer) -> None:
    main(["run", "--quiet"])
    settings = read_json(Path("assay.yaml"))
    settings["run"]["judging"] |= {"pass_at": 5.0, "never_pass_at": 5.0}
    Path("assay.yaml").write_text(json.dumps(settings))
    server.calls.clear()
    assert main(["score", "last", "--quiet"]) == 0
    assert server.calls == []
    assert last(project).summary["metrics"]["pass_rate"] == pytest.approx(1 / 6)  # the refused unanswerable one
    assert last(project).summary["metrics"]["partial_rate"] == pytest.approx(5 / 6)


def test_questions_that_failed_count_in_the_comparison_of_rates(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    write(cases(4))
    assert main(["run", "--quiet", "--update-baseline"]) == 0
    change(cache="off")
    server.handler = lambda call: (
        error(400, "no") if "How much does a family pay?" in call.text and not is_judge(call) else reply(call)
    )
    assert main(["run", "--quiet"]) == 3
    capsys.readouterr()
    assert main(["compare", "baseline", "last", "--json"]) in (0, 1)
    rows = {row["measure"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["pass_rate"]["now"] == last(project).summary["metrics"]["pass_rate"] == 0.8
    assert rows["error_rate"]["now"] == pytest.approx(0.2)
