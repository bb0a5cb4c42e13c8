"""Answers that are there already: judged after a failure, judged again, costed, and kept whatever they hold."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Call, ChatServer, chat, error
from small_project import last, make

from assay.cli.main import main
from assay.files import read_json
from assay.llm.told_prices import ToldPrices
from assay.runs.folder import all_runs
from assay.runs.passages import PassageStore
from assay.runs.results import ResultsFile

GRADES = {"correctness": 5, "completeness": 5, "faithfulness": 5, "relevance": 5, "clarity": 5, "overall_score": 4}
VERDICT = json.dumps({"reason": "fits", "behaviour": "answered", **GRADES})
MODULE = r"""
from pathlib import Path

CONTEXT = [{"id": "fees-2", "source": "fees.md", "text": "Lockers cost 30 pounds."}]

def answer(question):
    with Path("asked.txt").open("a") as file:
        file.write(question + "\n")
    return {"answer": "Lockers cost 30 pounds.", "contexts": CONTEXT}

def told(question):
    usage = {"prompt_tokens": 1000, "completion_tokens": 500}
    return answer(question) | {"usage": usage, "model": Path("model.txt").read_text()}

def torn(question):
    if "Boom" in question:
        raise ValueError("half \udc00 a pair")
    if "Error" in question:
        return {"error": "half \ud800 a pair"}
    answer = "Lockers \ud83d\ude00 cost 30 \ud800 pounds."
    return {"answer": answer, "contexts": ["Lockers \udfff cost."], "model": "m\ud800"}
"""
QUESTIONS = ["What do lockers cost?", "What is the price of a locker?", "How much is a locker?", "Locker fee?"]


def judge_well(_: Call) -> Answer:
    return Answer(chat(VERDICT))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(judge_well) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ChatServer) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", "sk-never-on-disk-4711")
    make(tmp_path)
    Path("lockers.py").write_text(MODULE)
    model = {"model": "openai/test", "base_url": server.url, "api_key_env": "TEST_KEY", "first_wait": 0.01, "tries": 3}
    settings = {
        "paths": {"gold": "cases.json"},
        "statistics": {"resamples": 200},
        "run": {
            "pipeline": {"system": "python:lockers:answer", "recall_k": 5, "precision_k": 3},
            "judging": {"judge": "m"},
        },
        "llm": {"models": {"m": model}, "prices": {"openai/test": {"input": 1.0, "output": 2.0}}},
    }
    Path("assay.yaml").write_text(json.dumps(settings))
    write(QUESTIONS)
    return tmp_path


def write(questions: list[str]) -> None:
    cases = [
        {"id": f"q{number}", "question": question, "expected_ids": ["fees-2"], "sources": ["fees.md"]}
        | {"answer": "30 pounds", "tags": {"difficulty": "easy" if number % 2 else "hard"}}
        for number, question in enumerate(questions)
    ]
    Path("cases.json").write_text(json.dumps(cases))


def settle(block: str, **changes: Any) -> None:
    """Change settings of `run.pipeline`, `run.judging`, `llm`, ..."""
    settings = read_json(Path("assay.yaml"))
    place = settings
    for key in block.split("."):
        place = place.setdefault(key, {})
    place |= changes
    Path("assay.yaml").write_text(json.dumps(settings))


def asked() -> int:
    path = Path("asked.txt")
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_what_a_failed_judgment_cost_is_counted(project: Path, server: ChatServer) -> None:
    server.handler = lambda _: Answer(chat("I'd say four."))
    assert main(["run", "--quiet"]) == 3
    rows = last(project).results.read()
    # Three tries of 10 prompt and 5 completion tokens each.
    assert {row["judge_tokens"]["total"] for row in rows} == {45}
    assert {row["retry_info"]["by_judge"] for row in rows} == {2}
    # 4 questions x 3 tries x (10 x 1 + 5 x 2) / 1e6
    assert last(project).summary["cost"]["judge_cost"] == pytest.approx(240e-6)


def test_resume_judges_what_is_there_and_asks_the_system_nothing(project: Path, server: ChatServer) -> None:
    server.handler = lambda _: Answer(chat("I'd say four."))
    assert main(["run", "--quiet"]) == 3
    assert asked() == 4
    server.handler = lambda _: error(400, "no")
    assert main(["run", "--quiet", "--resume", "last"]) == 3, "still no judgment; the answers stay"
    server.handler = judge_well
    assert main(["run", "--quiet", "--resume", "last"]) == 0
    assert asked() == 4, "nobody pays twice for an answer"
    rows = last(project).results.read()
    assert [row["status"] for row in rows] == ["ok"] * 4
    assert {row["answer"] for row in rows} == {"Lockers cost 30 pounds."}
    assert {len(row["context"]) for row in rows} == {1}
    # 45 tokens of the three replies that could not be read, 15 of the one that could.
    assert {row["judge_tokens"]["total"] for row in rows} == {60}
    # Three tries and one in vain, then one that went well: four beside the one that everybody needs.
    retries = [row["retry_info"] for row in rows]
    assert [(each["attempts"], each["by_judge"], each["recovered"]) for each in retries] == [(5, 4, True)] * 4
    assert {each["error"] for each in retries} == {"answered 400: no"}
    assert last(project).summary["errors"]["total"] == 0


def test_a_resume_that_is_killed_keeps_the_answers_too(project: Path, server: ChatServer) -> None:
    server.handler = lambda _: Answer(chat("I'd say four."))
    main(["run", "--quiet"])
    results = last(project).results
    assert results.recover() == set(), "none is done"
    assert len(results.read()) == 4, "and yet none is lost"


def test_of_two_rows_of_a_case_the_judged_one_counts(tmp_path: Path) -> None:
    base = {"variant": "v", "case_id": "a"}
    results = ResultsFile(tmp_path / "results.jsonl")
    results.append([base | {"status": "error", "error": {"phase": "judge", "message": "x"}}])
    results.append([base | {"status": "ok", "error": None}])
    results.append([base | {"case_id": "b", "status": "error", "error": {"phase": "generation", "message": "x"}}])
    assert results.recover() == {("v", "a")}
    assert [(row["case_id"], row["status"]) for row in results.read()] == [("a", "ok")]


@pytest.mark.parametrize(
    ("system", "model", "cost", "warned"),
    [
        ("answer", "", None, False),
        # 4 x (1000 x 1 + 500 x 2) / 1e6
        ("told", "openai/test", 0.008, False),
        ("told", "test", 0.008, False),
        ("told", "nobody/knows", None, True),
    ],
)
def test_cost_of_a_system_of_the_users_own(
    project: Path, system: str, model: str, cost: float | None, warned: bool
) -> None:
    Path("model.txt").write_text(model)
    settle("run.pipeline", system=f"python:lockers:{system}")
    assert main(["run", "--quiet", "--judge", "reference"]) == 0
    summary = last(project).summary
    assert summary["cost"]["total_cost_usd"] == (None if cost is None else pytest.approx(cost))
    assert summary["cost"]["judge_cost"] == 0.0, "formulas are free"
    assert any("no price is known for nobody/knows" in text for text in summary["execution"]["warnings"]) is warned
    report = " ".join((last(project).path / "report.md").read_text().replace("\\$", "$").split())
    assert f"| total cost | {'unknown' if cost is None else '$0.0080'} |" in report
    assert ("spent on this run" in report) is (cost is not None), "what is not known at all has no line of its own"
    assert ("| spent on this run | $0.0080 |" in report) is (cost is not None)
    assert ("Unknown: the tokens were not told" in report) is (cost is None), "said of nothing that is known"
    assert ("those from the cache were paid for earlier" in report) is (cost is not None)


def test_a_price_of_a_name_alone_must_be_the_same_everywhere() -> None:
    assert ToldPrices({})("gpt-4o-mini") == ToldPrices({})("openai/gpt-4o-mini") is not None
    assert ToldPrices({})("nobody-knows") is None


def test_half_a_surrogate_pair_does_not_end_a_run(project: Path) -> None:
    write(["What do lockers cost?", "Boom", "Error"])
    settle("run.pipeline", system="python:lockers:torn")
    assert main(["run", "--quiet", "--judge", "reference"]) == 3
    first, *failed = last(project).results.read()
    assert first["answer"] == "Lockers \N{GRINNING FACE} cost 30 \N{REPLACEMENT CHARACTER} pounds."
    assert [row["error"]["message"].partition("half")[2] for row in failed] == [" \N{REPLACEMENT CHARACTER} a pair"] * 2
    assert main(["score", "last", "--quiet"]) in (0, 3)


def test_half_a_surrogate_pair_in_a_recording(project: Path) -> None:
    write(QUESTIONS[:1])
    Path("outputs.jsonl").write_text(r'{"id": "q0", "answer": "30 \ud800 pounds", "contexts": ["\udc00"]}' + "\n")
    settle("run.pipeline", system="recorded:outputs.jsonl")
    assert main(["run", "--quiet"]) == 0
    assert last(project).results.read()[0]["answer"] == "30 \N{REPLACEMENT CHARACTER} pounds"


def test_a_quick_run_judged_again_stays_partial(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--quiet", "--quick", "2"])
    first = last(project).summary
    assert first["corpus"]["distribution"]["difficulty"] == {"easy": 2, "hard": 2}, "counted from the file"
    assert first["corpus"]["tested_distribution"]["difficulty"] == {"easy": 1, "hard": 1}
    assert main(["score", "last", "--judge", "reference", "--quiet"]) == 0
    again = last(project).summary
    assert again["run_id"] != first["run_id"]
    assert again["partial"] == first["partial"] == "2 of 4 questions"
    assert again["corpus"] == first["corpus"]
    capsys.readouterr()
    assert main(["baselines", "--promote", "last"]) == 2, "it is no baseline, whoever judged it"
    main(["run", "--quiet"])
    main(["score", "last", "--judge", "reference", "--quiet"])
    assert last(project).summary["partial"] is None


def test_another_rule_needs_no_call_even_without_the_cache(project: Path, server: ChatServer) -> None:
    main(["run", "--quiet"])
    first = last(project)
    shutil.rmtree(".assay")
    settle("run.judging", pass_at=4.5)
    server.calls.clear()
    assert main(["score", "last", "--quiet"]) == 0
    again = last(project)
    assert server.calls == []
    assert (first.summary["metrics"]["pass_rate"], again.summary["metrics"]["pass_rate"]) == (1.0, 0.0)
    assert again.summary["metrics"]["partial_rate"] == 1.0
    assert again.summary["tokens"] == first.summary["tokens"]
    assert again.summary["cost"] == first.summary["cost"]
    assert again.summary["identity"]["verdict rule"] != first.summary["identity"]["verdict rule"]


def test_judging_again_does_not_add_to_the_tries(project: Path, server: ChatServer) -> None:
    failed: set[str] = set()

    def first_fails(call: Call) -> Answer:
        key = json.dumps(call.body)
        if key not in failed:
            failed.add(key)
            return error(500)
        return judge_well(call)

    server.handler = first_fails
    main(["run", "--quiet"])
    first = last(project).summary["retry_stats"]
    assert first == {"questions_retried": 4, "recovered": 4, "total_attempts": 8}
    main(["score", "last", "--quiet"])
    assert last(project).summary["retry_stats"] == first, "the same judge's words, the same tries"
    main(["score", "last", "--judge", "reference", "--quiet"])
    assert last(project).summary["retry_stats"] == {"questions_retried": 0, "recovered": 0, "total_attempts": 4}


def labelled(verdict: str, *more: str) -> None:
    ids = [*(f"q{number}" for number in range(4)), *more]
    lines = [{"case_id": id_, "rater": "ana", "human": {"verdict": verdict}} for id_ in ids]
    Path("labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_repeats_are_of_the_judge_that_judged_the_run(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "--quiet"])
    labelled("pass", "other")
    settle("run.judging", judge="reference", pass_at=5.0)
    server.calls.clear()
    capsys.readouterr()
    assert main(["judge", "check", "labels.jsonl", "--run", "last", "--repeats", "2", "--json"]) in (0, 1)
    assert len(server.calls) == 8, "the run's judge, not that of the settings of today"
    trust = json.loads(capsys.readouterr().out)
    assert trust["consistency"]["flip_rate"]["value"] == 0.0, "by the run's rule, too"
    assert "1 labelled questions were not judged, such as 'other'" in trust["warnings"][0]


def test_repeats_by_a_judge_that_has_changed_are_refused(
    project: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "--quiet"])
    labelled("pass")
    summary = read_json(last(project).path / "run_summary.json")
    summary["judge"]["fingerprint"] = "0" * 64
    (last(project).path / "run_summary.json").write_text(json.dumps(summary))
    server.calls.clear()
    assert main(["judge", "check", "labels.jsonl", "--run", "last", "--repeats", "2"]) == 2
    assert "is not the one it was" in capsys.readouterr().err
    assert server.calls == []
    main(["retrieval", "--quiet"])
    assert main(["judge", "check", "labels.jsonl", "--run", "last"]) == 2
    assert "has no judgments" in capsys.readouterr().err


def test_the_report_says_how_far_the_judge_is_trusted(project: Path) -> None:
    labelled("fail")
    settle("run.judging", labels="labels.jsonl")
    settle("run", gates=[{"measure": "correctness", "at_least": 5.1}])
    assert main(["run", "--quiet"]) == 0
    report = " ".join((last(project).path / "report.md").read_text().split())
    assert "Trust in the judge" in report
    assert "The judge may not gate (" in report
    assert "pass rate corrected for the judge's errors" in report
    assert last(project).summary["gates"][0]["severity"] == "warning"


def test_position_bias_is_by_the_place_in_the_context(project: Path) -> None:
    from assay.rag.trust import labels_of

    main(["run", "--quiet"])
    labelled("pass")
    rows = last(project).results.read()
    other = {"id": "fees-1", "source": "fees.md", "page": 1, "text": ""}
    rows[0]["context"] = [other, other, *rows[0]["context"]]
    rows[0]["expected_ranks"] = [1]
    rows[1]["context"] = [other]
    ranks = [label.evidence_rank for label in labels_of(Path("labels.jsonl"), rows)]
    assert ranks == [3, None, 1, 1]


def test_execution_names_the_run_and_its_versions_and_measures_keep_their_order(project: Path) -> None:
    main(["run", "--quiet"])
    main(["run", "--quiet"])
    first, second = (run.summary for run in all_runs(project / "runs"))
    assert first["execution"]["run_id"] == first["run_id"]
    assert first["execution"]["versions"]["assay"] == first["environment"]["assay"]
    assert list(first["intervals"]) == list(second["intervals"])
    assert list(first["intervals"])[:7] == [
        "pass_rate",
        "partial_rate",
        "fail_rate",
        "error_rate",
        "acceptable_rate",
        "recall_at_5",
        "mrr",
    ]


def test_passages_that_cannot_be_read_are_skipped_and_kept_again(tmp_path: Path) -> None:
    store = PassageStore(tmp_path)
    keys = [store.keep("first"), store.keep("second"), store.keep("half \ud800")]
    lines = store.path.read_bytes().splitlines(keepends=True)
    spoiled = [b"{\xff}\n", b'{"key": 1}\n', b'{"key": "x", "te}\n', b"[]\n", lines[0][:9] + b"}\n", *lines[1:]]
    store.path.write_bytes(b"".join(spoiled))
    again = PassageStore(tmp_path)
    assert again.read() == {keys[1]: "second", keys[2]: "half \ud800"}
    assert again.keep("first") == keys[0]
    assert PassageStore(tmp_path).read()[keys[0]] == "first"


def kinds(call: Call) -> Answer:
    """Judges everything badly; of failures it says that they are of complex reasoning."""
    schema = call.body["response_format"]["json_schema"]["name"]
    if schema == "archetype":
        return Answer(chat(json.dumps({"archetype": "complex_reasoning"})))
    bad = GRADES | {"correctness": 1, "overall_score": 1}
    return Answer(chat(json.dumps({"reason": "wrong", "behaviour": "answered", **bad})))


def test_a_model_may_say_what_kind_a_failure_is_where_no_rule_decides(project: Path, server: ChatServer) -> None:
    write(["What do lockers cost?", "And a berth?"])
    Path("painter.py").write_text(MODULE.replace('"answer": "Lockers cost 30 pounds."', '"answer": "Painted in June."'))
    settle("run.pipeline", system="python:painter:answer")
    server.handler = kinds
    main(["run", "--quiet"])
    first = last(project).summary
    assert [entry["archetype"] for entry in first["not_passed"]] == ["hallucination", "hallucination"]
    settle("run.judging", archetypes="m")
    server.calls.clear()
    main(["run", "--quiet"])
    again = last(project).summary
    assert len(server.calls) == 2, "only the archetypes: the judgments are in the cache"
    assert [entry["archetype"] for entry in again["not_passed"]] == ["complex_reasoning", "complex_reasoning"]
    assert again["archetypes"]["complex_reasoning"] == 2
    assert again["tokens"]["archetypes"]["total"] == 30
    # 2 calls of 10 x 1 + 5 x 2 more than before.
    assert again["cost"]["judge_cost"] == pytest.approx(first["cost"]["judge_cost"] + 40e-6)
    server.handler = lambda call: error(400, "no") if "archetype" in str(call.body) else kinds(call)
    settle("llm", cache="off")
    main(["run", "--quiet"])
    assert [entry["archetype"] for entry in last(project).summary["not_passed"]] == ["hallucination"] * 2
    told = "2 of 2 archetypes are those of the rules: the model failed (answered 400: no)"
    assert told in last(project).summary["execution"]["warnings"]


def test_what_a_rule_decides_is_not_asked() -> None:
    from assay.rag.archetypes import is_undecided

    row: dict[str, Any] = {
        "status": "ok",
        "answerable": True,
        "question": "?",
        "answer": "9 boats sail",
        "expected_answer": "10 boats sail",
        "judgment": {"verdict": "fail", "behaviour": "answered"},
        "scores": {"token_f1": 0.9},
        "recall_by": None,
        "context": None,
    }
    assert not is_undecided(row), "a number is wrong"
    assert is_undecided(row | {"scores": {"token_f1": 0.0}})
    assert not is_undecided(row | {"scores": {}, "answerable": False})
    assert not is_undecided(row | {"scores": {}, "judgment": {"verdict": "partial", "behaviour": "answered"}})
