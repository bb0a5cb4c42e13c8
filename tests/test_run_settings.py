"""`assay run` before it spends and when it goes on: settings that are checked, limits that hold, keys that stay out."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat
from fake_server import FakeServer, Reply
from llm_settings import settings as llm_config
from small_project import make

from assay.cli.main import main
from assay.config import Config, LlmOptions, ModelOptions, Pipeline, RunOptions
from assay.errors import AssayError, IncompleteRun
from assay.files import read_json
from assay.gold.cases import load_cases
from assay.llm import connect
from assay.llm.budget import Budget, BudgetSpent
from assay.llm.prices import Price
from assay.llm.protocol import Usage
from assay.rag.guarded import Guarded
from assay.rag.measures import measures_of
from assay.rag.settings import differences, resumed, scoring
from assay.records import Case
from assay.runs import history, manifest, sessions
from assay.runs.baselines import corpus_key
from assay.runs.folder import RunFolder, all_runs, find_run
from assay.runs.passages import PassageStore
from assay.systems.protocol import Metadata, Output

MODULE = """
import os, time

ASKED = []

def answer(question):
    ASKED.append(question)
    if "later" in question and os.path.exists("broken"):
        raise ValueError("not now")
    return {"answer": "Thirty pounds.", "contexts": ["Lockers cost thirty pounds."]}

def slow(question):
    time.sleep(0.15)
    return answer(question)

def paid(question):
    usage = {"prompt_tokens": 1000, "completion_tokens": 0}
    return answer(question) | {"usage": usage, "model": "house/small"}

def careless(question):
    key, other = os.environ["HOUSE_API_KEY"], os.environ["HOUSE_BEARER"]
    if "later" in question:
        return {"error": "refused " + key}
    return {"answer": "Key " + key + " is mine, and " + other, "contexts": ["It is " + key]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A folder with questions, settings and a pipeline in Python, whose module name is returned."""
    monkeypatch.chdir(tmp_path)
    name = f"pipeline_{abs(hash(request.node.name))}"
    Path(f"{name}.py").write_text(MODULE)
    set_up(name)
    write_cases(6)
    return name


def set_up(name: str, system: str = "answer", **more: Any) -> None:
    pipeline = {"system": f"python:{name}:{system}", "precision_k": 3, "recall_k": 5} | more.pop("pipeline", {})
    run = {"pipeline": pipeline} | more.pop("run", {})
    data = {"paths": {"gold": "cases.json"}, "statistics": {"resamples": 100}, "run": run} | more
    Path("assay.yaml").write_text(json.dumps(data))


def write_cases(count: int, path: str = "cases.json") -> None:
    words = ["now" if number % 2 else "later" for number in range(count)]
    cases = [
        {
            "id": f"q{number:02d}",
            "question": f"What is the price of locker {number} {word}?",
            "answer": "Thirty pounds.",
        }
        for number, word in enumerate(words)
    ]
    Path(path).write_text(json.dumps(cases))


def last() -> RunFolder:
    return find_run(Path("runs"), "last")


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


# What would only fail at the end is told at the beginning.


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ({"gates": [{"measure": "recall_at_100", "at_least": 0.5}]}, "unknown metric 'recall_at_100'. Did you mean"),
        ({"judging": {"labels": "nowhere.jsonl"}}, "nowhere.jsonl: there is no such file. It is named by run.judging"),
        ({"judging": {"labels": "bad.jsonl"}}, "bad.jsonl:1"),
    ],
)
def test_gates_and_labels_are_checked_before_a_question_is_asked(
    project: str, capsys: pytest.CaptureFixture[str], run: dict[str, Any], says: str
) -> None:
    Path("bad.jsonl").write_text("{}\n")
    set_up(project, run=run)
    for words in ([], ["--dry-run"]):
        assert main(["run", "--quiet", *words]) == 2
        assert says in told(capsys)
    assert not Path("runs").exists()


def test_a_baseline_that_is_not_there_is_told_before_the_run(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet", "--baseline", "baselines/none.json"]) == 2
    assert "none.json" in told(capsys)
    assert not Path("runs").exists()


def test_every_measure_of_a_run_is_known_and_no_other(project: str) -> None:
    assert main(["run", "--quiet"]) == 0
    assert set(last().summary["intervals"]) == set(measures_of(5))


def test_a_gate_on_what_no_question_has_is_undefined_and_fails(project: str) -> None:
    set_up(project, run={"gates": [{"measure": "mrr", "at_least": 0.0}]})
    assert main(["run", "--quiet"]) == 1
    (gate,) = last().summary["gates"]
    assert (gate["value"], gate["passed"]) == (None, False)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--quick", "0"], "--quick is 0; expected a whole number from 1 on"),
        (["--max-cost", "0"], "--max-cost is 0; expected a number above 0"),
        (["--max-cost", "nan"], "--max-cost is nan"),
        (["--max-time", "-1"], "--max-time is -1"),
        (["--seed", "-1"], "--seed is -1"),
        (["--no-hybrid"], "--no-hybrid has no effect on python:"),
        (["--no-rerank"], "--no-rerank has no effect on python:"),
        (["--retriever", "bm25"], "--retriever has no effect on python:"),
        (["--model", "house/unknown"], "house/unknown: --model only gives the price of what python:"),
        (["--force"], "--force needs --update-baseline"),
        (["--cloud", "--endpoint", "x:80"], "--endpoint is 'x:80'; expected a URL, such as http://127.0.0.1:8080"),
        (["--system", "embedded", "--precision", "6"], "--precision is 6, but only 5 candidates are retrieved"),
        (
            ["--quick", "2", "--update-baseline"],
            "a partial run is no baseline: 2 of 6 questions. Promote it",
        ),
        (["--test", "--update-baseline"], "a partial run is no baseline: 5 of 6 questions"),
        (["--cloud", "--endpoint", "http://x", "--system", "embedded"], "--endpoint and --system both name the system"),
    ],
)
def test_options_that_make_no_sense_are_one_line(
    project: str, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["run", "--quiet", *words]) == 2
    fault = told(capsys)
    assert says in fault
    assert fault.count("\n") == 1
    assert not Path("runs").exists()


def test_other_commands_refuse_them_too(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "last", "--force"]) == 2
    assert "--force needs --update-baseline" in told(capsys)
    assert main(["judge", "check", "labels.jsonl", "--run", "last", "--repeats", "-1"]) == 2
    assert "--repeats is -1" in told(capsys)
    Path("answers.jsonl").write_text('{"case_id": "q00", "answer": "x"}\n')
    assert main(["run", "--system", "recorded:answers.jsonl", "--precision", "2"]) == 2
    assert "--precision has no effect on recorded:answers.jsonl" in told(capsys)


def test_a_baseline_is_named_by_the_questions_it_holds(project: str) -> None:
    assert main(["run", "--quiet", "--quick", "9", "--update-baseline"]) == 0, "all six are asked"
    assert main(["run", "--quiet", "--quick", "2", "--update-baseline", "--force"]) == 0
    assert [path.stem[-2:] for path in sorted(Path("baselines").iterdir())] == ["q6", "q2"]


# Limits.


def test_as_many_calls_at_once_as_questions(tmp_path: Path) -> None:
    async def most(config: Config) -> int:
        async with connect(config) as models:
            return models.model("m").places.limit

    config = llm_config(tmp_path, {"base_url": "http://127.0.0.1:9"})
    many = Config(root=str(tmp_path), llm=config.llm, run=RunOptions(workers=20))
    assert asyncio.run(most(many)) == 20
    few = llm_config(tmp_path, {"base_url": "http://127.0.0.1:9", "workers": 3})
    assert asyncio.run(most(Config(root=str(tmp_path), llm=few.llm, run=RunOptions(workers=20)))) == 3


def test_the_workers_option_reaches_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    write_cases(30)

    def slow(_: Call) -> Answer:
        return Answer(chat("Thirty pounds."), delay=0.1)

    with ChatServer(slow) as server:
        models = {"m": {"model": "openai/test", "base_url": server.url}}
        set_up("", pipeline={"system": "embedded", "model": "m"}, llm={"models": models})
        assert main(["run", "--quiet", "--workers", "15"]) == 0
    assert 10 <= server.most_at_once <= 15


def test_max_time_holds_for_a_system_of_the_users_own(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(project, "slow")
    write_cases(40)
    start = time.monotonic()
    assert main(["run", "--quiet", "--workers", "2", "--max-time", "0.6"]) == 3
    assert time.monotonic() - start < 3
    fault = told(capsys)
    assert "max_seconds is 0.6" in fault
    assert f"Go on with: assay run --resume {last().name}" in fault
    assert 2 <= len(last().results.read()) < 20


def test_max_cost_counts_what_a_system_of_the_users_own_tells(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    # 1000 prompt tokens at a dollar a million: a tenth of a cent a question, ten for a cent.
    set_up(project, "paid", llm={"prices": {"house/small": {"input": 1.0, "output": 1.0}}})
    write_cases(30)
    assert main(["run", "--quiet", "--workers", "2", "--max-cost", "0.01"]) == 3
    assert "of max_cost is left" in told(capsys)
    assert 9 <= len(last().results.read()) <= 11
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert last().summary["execution"]["spent_usd"] == pytest.approx(0.030)


class Priced:
    name = "house"

    async def run(self, case: Case) -> Output:
        return Output(answer="x", usage=Usage(prompt=1000) if case.id == "told" else None, metadata=Metadata(model="m"))

    async def close(self) -> None: ...


def test_what_max_cost_cannot_count_is_told() -> None:
    def warnings(priced: Callable[[Output], Price | None], case: str, limit: float | None = 1.0) -> list[str]:
        guarded = Guarded(Priced(), Budget(limit), priced)
        asyncio.run(guarded.run(Case(id=case, question="?")))
        return guarded.warnings

    price = Price(input=1.0, output=1.0)
    assert warnings(lambda _: price, "told") == []
    assert warnings(lambda _: None, "told", None) == []
    assert "no price is known for m" in warnings(lambda _: None, "told")[0]
    assert "does not tell what it uses" in warnings(lambda _: price, "silent")[0]


def test_no_question_begins_beyond_the_limit() -> None:
    budget = Budget(0.001)
    guarded = Guarded(Priced(), budget, lambda _: Price(input=1.0, output=1.0))
    asyncio.run(guarded.run(Case(id="told", question="?")))
    assert budget.spent == pytest.approx(0.001)
    with pytest.raises(BudgetSpent):
        asyncio.run(guarded.run(Case(id="told", question="?")))


# Resume.


def test_a_resumed_run_has_its_own_settings(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken").write_text("")
    write_cases(8, "others.json")
    words = ["run", "--quiet", "--gold", "others.json", "--quick", "6", "--precision", "2", "--seed", "5"]
    assert main(words) == 3
    Path("broken").unlink()
    set_up(project, pipeline={"precision_k": 9, "timeout": 7.0}, run={"workers": 3})
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert len(all_runs(Path("runs"))) == 1
    summary = last().summary
    assert summary["corpus"]["name"] == "others.json"
    assert summary["corpus"]["tested"] == 6
    assert summary["config"]["run"]["pipeline"]["precision_k"] == 2
    assert summary["overrides"] == ["precision_k 3 → 2", "seed 0 → 5"]


def test_what_contradicts_a_run_is_named_to_the_leaf(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet", "--quick", "4"]) == 0
    capsys.readouterr()
    again = ["run", "--quiet", "--resume", "last"]
    assert main([*again, "--precision", "25", "--quick", "5", "--seed", "3"]) == 2
    assert "cannot resume: precision_k 3 → 25, seed 0 → 3, quick 4 → 5." in told(capsys)
    assert main([*again, "--precision", "3", "--quick", "4", "--workers", "2"]) == 0, "the same said again is no other"
    Path(f"{project}.py").write_text(MODULE + "\n")
    write_cases(7)
    assert main(again) == 2
    assert "cannot resume: gold" in told(capsys)


def settings_of(**changes: Any) -> Config:
    models = {"m": ModelOptions(model="openai/x", **changes.pop("model", {})), "unused": ModelOptions()}
    pipeline = Pipeline(system="https://house", model="m", **changes.pop("pipeline", {}))
    return Config(run=RunOptions(pipeline=pipeline, **changes.pop("run", {})), llm=LlmOptions(models=models), **changes)


CALLS: list[dict[str, Any]] = [
    {"pipeline": {"timeout": 1.0}},
    {"pipeline": {"tries": 1}},
    {"pipeline": {"first_wait": 1.0}},
    {"pipeline": {"token_env": "T"}},
    {"pipeline": {"token_command": ("t",)}},
    {"run": {"workers": 3}},
    *({"model": {name: 7}} for name in ("timeout", "workers", "requests_per_minute", "tokens_per_minute", "tries")),
    {"model": {"adaptive": False}},
    {"model": {"api_key_env": "K"}},
]


@pytest.mark.parametrize("change", CALLS, ids=str)
def test_how_something_is_called_changes_no_fingerprint(change: dict[str, Any]) -> None:
    assert scoring(settings_of(**change)) == scoring(settings_of())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pipeline": {"precision_k": 3}}, "precision_k 25 → 3"),
        ({"model": {"temperature": 1.0}}, "temperature 0.0 → 1.0"),
        ({"model": {"base_url": "http://b"}}, "base_url none → http://b"),
        ({"seed": 4}, "seed 0 → 4"),
    ],
)
def test_what_changes_a_score_is_named(change: dict[str, Any], said: str) -> None:
    assert differences(settings_of(), settings_of(**change)) == [said]


def test_another_system_is_one_difference_not_one_for_each_setting_it_does_not_have() -> None:
    other = Config(run=RunOptions(pipeline=Pipeline(system="python:mine:answer")))
    assert differences(Config(), other) == ["system embedded → python:mine:answer"]


def test_resumed_settings_are_the_runs_where_they_count_and_todays_elsewhere() -> None:
    before = settings_of(pipeline={"precision_k": 3, "timeout": 1.0}, model={"base_url": "http://u:p@host", "tries": 2})
    today = settings_of(pipeline={"timeout": 9.0}, model={"base_url": "http://u:new@host", "tries": 4})
    found = resumed(today, manifest.config_as_data(before), "run")
    assert found.run.pipeline.precision_k == 3
    assert found.run.pipeline.timeout == 9.0
    assert found.llm.models["m"].base_url == "http://u:new@host", "what was struck out is taken from today's"
    assert found.llm.models["m"].tries == 4
    with pytest.raises(AssayError, match="its settings cannot be read"):
        resumed(today, manifest.config_as_data(before) | {"seed": "x"}, "run")


def test_time_and_money_are_those_of_all_sessions(project: str) -> None:
    set_up(project, "paid", llm={"prices": {"house/small": {"input": 1.0, "output": 1.0}}})
    Path("broken").write_text("")
    assert main(["run", "--quiet"]) == 3
    Path("broken").unlink()
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    first, second = sessions.read(last().path)
    assert (first.cases, second.cases) == (6, 3)
    execution = last().summary["execution"]
    assert execution["sessions"] == 2
    assert execution["questions_asked"] == 9
    assert execution["duration"] == pytest.approx(first.seconds + second.seconds, abs=0.002)
    assert execution["spent_usd"] == pytest.approx(0.006)


START = sessions.Start(datetime(2026, 1, 31, tzinfo=UTC), 0.0)


def work_on(folder: Path, cases: int, spent: float) -> str:
    """One session; what it noted while it was under way."""

    async def work() -> str:
        done, noted = [0], asyncio.Event()

        def told() -> tuple[int, float]:
            noted.set()
            return done[0], spent * done[0]

        with sessions.recorded(folder, START, told):
            done[0] = cases
            noted.clear()
            await noted.wait()
            return (folder / sessions.OPEN_NAME).read_text()

    return asyncio.run(work())


def test_a_killed_session_counts_with_its_last_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "EVERY", 0.01)
    note = work_on(tmp_path, 7, 0.5)
    (tmp_path / sessions.FILE_NAME).unlink()
    (tmp_path / sessions.OPEN_NAME).write_text(note)
    work_on(tmp_path, 2, 0.25)
    assert [(one.cases, one.spent) for one in sessions.read(tmp_path)] == [(7, 3.5), (2, 0.5)]
    assert sessions.totals(tmp_path)["spent_usd"] == 4.0
    assert {path.name for path in tmp_path.iterdir()} == {sessions.FILE_NAME}


def test_a_session_that_was_killed_behind_its_line_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "EVERY", 0.01)
    with monkeypatch.context() as kept:
        kept.setattr(Path, "unlink", lambda *_, **__: None)
        work_on(tmp_path, 7, 0.5)
    assert (tmp_path / sessions.OPEN_NAME).exists()
    work_on(tmp_path, 2, 0.25)
    assert [one.cases for one in sessions.read(tmp_path)] == [7, 2]


@pytest.mark.parametrize("note", [b"", b"\0" * 40, b'{"timestamp": "2026"}'])
def test_a_note_that_a_power_cut_spoiled_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, note: bytes
) -> None:
    monkeypatch.setattr(sessions, "EVERY", 0.01)
    (tmp_path / sessions.OPEN_NAME).write_bytes(note)
    work_on(tmp_path, 2, 0.25)
    assert [one.cases for one in sessions.read(tmp_path)] == [2]


def test_a_finished_run_resumed_is_not_listed_twice(project: str) -> None:
    assert main(["run", "--quiet"]) == 0
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert len(history.read(Path("runs"))) == 1


def test_to_judge_again_is_not_resumed_but_repeated(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet"]) == 0
    first = last()
    assert main(["score", "last", "--quiet"]) == 0
    (last().path / "run_summary.json").unlink()  # as if interrupted
    assert main(["run", "--quiet", "--resume", "last"]) == 2
    fault = told(capsys)
    assert f"judges {first.name} again. Go on with: assay score {first.name}" in fault
    assert main(["score", "last", "--quiet"]) == 0, "the last finished one is judged"
    assert last().manifest["source"] == first.name
    assert main(["report", all_runs(Path("runs"))[1].name]) == 2
    assert f"Go on with: assay score {first.name}" in told(capsys)


def test_a_run_that_is_not_finished_names_its_own_command(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--quiet"]) == 0
    (last().path / "run_summary.json").unlink()
    assert main(["report", "last"]) == 2
    assert f"the run is not finished. Go on with: assay run --resume {last().name}" in told(capsys)


def test_last_is_of_the_kind_that_is_resumed(project: str) -> None:
    assert main(["run", "--quiet"]) == 0
    inputs = manifest.Inputs(kind="retrieval", gold="g", index=None, settings={})
    from datetime import UTC, datetime

    other = RunFolder.create(Path("runs"), manifest.build(inputs, Config(), [], datetime.now(UTC)), "bm25", None)
    assert find_run(Path("runs"), "last") == other
    assert find_run(Path("runs"), "last", "rag") != other
    assert other.resume_command == f"assay retrieval --resume {other.name}"
    assert main(["run", "--quiet", "--resume", "last"]) == 0


def test_only_an_unchanged_whole_run_is_core(project: str) -> None:
    def context() -> str:
        return (last().path / "report.md").read_text().split("## Executive")[0]

    assert main(["run", "--quiet"]) == 0
    assert "core: the full corpus" in context()
    assert main(["run", "--quiet", "--precision", "2"]) == 0
    assert "ad hoc: precision_k 3 → 2" in context()
    assert main(["run", "--quiet", "--quick", "4"]) == 0
    assert "ad hoc: 4 of 6 questions" in context()
    assert main(["run", "--quiet", "--workers", "2"]) == 0
    assert "core: the full corpus" in context()


# Keys.

SECRET = "sk-house-4711-never"


def test_keys_of_the_environment_reach_no_file(
    project: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOUSE_API_KEY", SECRET)
    monkeypatch.setenv("HOUSE_BEARER", f"{SECRET}-of-the-settings")
    pipeline = {"pipeline": {"token_env": "HOUSE_BEARER"}}
    extra = {"api_key": "plain-in-the-file-1", "headers": {"X-Token": "plain-in-the-file-2"}, "top_k": 5}
    model = {"model": "openai/x", "base_url": "https://host/v1?api-version=3&key=plain-in-the-file-3", "extra": extra}
    set_up(project, "careless", llm={"models": {"m": model, "n": {"base_url": f"https://host/{SECRET}"}}}, **pipeline)
    main(["run", "--quiet", "--json"])
    shown = capsys.readouterr()
    written = "".join(path.read_text() for path in Path("runs").rglob("*") if path.is_file()) + shown.out + shown.err
    assert SECRET not in written
    assert "of-the-settings" not in written
    assert "plain-in-the-file" not in written
    assert {row["error"]["message"] for row in last().results.read() if row["error"]} == {"refused ***"}
    stored = last().manifest["config"]["llm"]["models"]["m"]
    assert stored["base_url"] == "https://host/v1?api-version=3&key=***"
    assert stored["extra"] == {"api_key": "***", "headers": {"X-Token": "***"}, "top_k": 5}
    assert all("***" in json.dumps(row) for row in last().results.read())


# Corpora.


def qa(path: str, client: str | None) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    questions = [{"question_id": "q1", "question": "What is the price?", "ground_truth_answer": "Thirty pounds."}]
    metadata = {"version": "1.0", "question_count": 1} | ({"client": client} if client else {})
    Path(path).write_text(json.dumps({"metadata": metadata, "questions": questions}))


def test_the_client_of_a_corpus(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = "clients/ACME/qa/QA_ACME_gold_v1-0__q1.json"
    qa(name, None)
    assert load_cases(Path(name), "answers").client == "ACME"
    assert main(["run", "--quiet", "--gold", name, "--update-baseline"]) == 0
    assert last().summary["client"] == "ACME"
    assert [path.name[:16] for path in Path("baselines").iterdir()] == ["baseline_ACME_v1"]
    set_up(project, client="beta")
    assert main(["run", "--quiet", "--gold", name]) == 2
    assert "the corpus is of the client 'ACME', the settings are of 'beta'" in told(capsys)
    set_up(project, client="acme")
    assert main(["run", "--quiet", "--gold", name]) == 0
    qa(name, "beta")
    assert main(["run", "--quiet", "--gold", name]) == 2
    assert "the metadata says client 'beta', the file's name 'ACME'" in told(capsys)
    qa("corpus.json", "../x")
    set_up(project)
    assert main(["run", "--quiet", "--gold", "corpus.json"]) == 2
    assert "client" in told(capsys)


def test_two_versions_of_a_corpus_share_their_baselines(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus_key("QA_ACME_gold_v1-0__q1.json") == corpus_key("QA_ACME_gold_v12-3__q400.json")
    assert corpus_key("QA_ACME_gold_v1-0__q1.json") != corpus_key("QA_BETA_gold_v1-0__q1.json")
    assert corpus_key("gold_v1.json") == "gold_v1.json"
    qa("QA_ACME_gold_v1-0__q1.json", None)
    qa("QA_ACME_gold_v1-1__q1.json", "ACME")
    assert main(["run", "--quiet", "--gold", "QA_ACME_gold_v1-0__q1.json", "--update-baseline"]) == 0
    assert main(["run", "--quiet", "--gold", "QA_ACME_gold_v1-1__q1.json"]) == 0
    comparison = (last().path / "comparison.md").read_text()
    assert "gold" in comparison.split("##")[0] or "gold sets differ" in comparison


# Surroundings.


def test_a_full_disk_at_the_passages_ends_the_run_as_incomplete(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_keep_until_full, args=(str(tmp_path / "run"),))
    process.start()
    process.join(60)
    assert process.exitcode == 3
    assert PassageStore(tmp_path / "run").read()


def _keep_until_full(folder: str) -> None:
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    passages = PassageStore(Path(folder))
    try:
        for number in range(1000):
            passages.keep(f"passage {number} " + "x" * 100)
    except IncompleteRun as fault:
        raise SystemExit(fault.exit_code if "--resume run" in str(fault) else 1) from None


def test_a_dry_run_counts_both_calls_of_a_service(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--dry-run", "--json", "--cloud", "--endpoint", "http://127.0.0.1:9/rag"]) == 0
    (forecast,) = json.loads(capsys.readouterr().out)["forecasts"]
    assert forecast["calls"] == 12


def test_an_endpoint_where_nobody_is_ends_the_run_at_once(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(lambda _: Reply(body={})) as server:
        url = server.url
    start = time.monotonic()
    assert main(["run", "--quiet", "--cloud", "--endpoint", url]) == 2
    assert time.monotonic() - start < 2, "no tries, no waits"
    fault = told(capsys)
    assert "nobody answers there" in fault
    assert fault.count("\n") == 1


def test_settings_of_a_run_can_be_read_by_hand(project: str) -> None:
    assert main(["run", "--quiet", "--quick", "4"]) == 0
    assert read_json(last().path / "manifest.json")["order"] == {
        "gold": "cases.json",
        "index": None,
        "quick": 4,
        "test": False,
        "overrides": [],
    }


def test_who_stops_reading_gets_the_baseline_and_no_regression(project: str) -> None:
    """`assay run --update-baseline | head`: 1 would say that something got worse."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "assay", "run", "--quiet", "--update-baseline"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")
    assert [path.stem[-2:] for path in Path("baselines").iterdir()] == ["q6"]
