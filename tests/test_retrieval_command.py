"""`assay retrieval` as a user has it: from documents on disk to a run folder, an exit code and a report."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_project import interruptible, last, make, write_cases, write_index

from assay.cli.main import main
from assay.files import read_json
from assay.runs.folder import all_runs


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    return tmp_path


def test_a_whole_evaluation(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["retrieval", "--variants", "bm25,vector,hybrid", "--k", "1,5"]) == 0
    shown = capsys.readouterr()
    assert "[5/5] hybrid" in shown.err
    assert "recall@5" in shown.out
    run = last(project)
    names = {path.name for path in run.path.iterdir()}
    assert names == {"manifest.json", "results.jsonl", "failures.jsonl", "run_summary.json", "report.html", "report.md"}
    summary = run.summary
    assert summary["variants"] == ["bm25", "vector", "hybrid"]
    assert summary["metrics"]["bm25"]["recall@5"]["mean"] == 1.0
    assert summary["metrics"]["bm25"]["page_recall@5"] | {"low": 0, "high": 0} == {
        "mean": 1.0, "low": 0, "high": 0, "n_scored": 5, "n_cases": 5,
    }  # fmt: skip
    assert {name: segment["n"] for name, segment in summary["segments"]["difficulty"].items()} == {"easy": 3, "hard": 2}
    assert summary["health"]["present"] == summary["health"]["expected"] == 5
    rows = run.results.read()
    assert len(rows) == 15
    assert {row["retrieved"]["scale"] for row in rows} == {"bm25", "cosine", "rrf"}
    assert not list(project.rglob("*.tmp"))


def test_a_run_of_another_version_is_reported_or_refused_in_one_line(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["retrieval", "--quiet", "--variants", "bm25"])
    path = last(project).path / "run_summary.json"
    whole = read_json(path)

    def told(data: dict[str, Any]) -> str:
        path.write_text(json.dumps(data))
        capsys.readouterr()
        code = main(["report", "last"])
        shown = capsys.readouterr()
        assert (code, len(shown.err.splitlines())) in {(0, 0), (2, 1)}, shown.err
        return shown.err

    assert told(whole) == ""
    for key in whole:
        assert "version of Assay" in (fault := told({name: whole[name] for name in whole if name != key})) or not fault
    assert "has no 'metrics': written by another version of Assay" in told(
        {name: value for name, value in whole.items() if name != "metrics"}
    )
    inner = {**whole, "health": {name: value for name, value in whole["health"].items() if name != "counts"}}
    assert "has no 'counts'" in told(inner)
    assert "its schema_version is 2, this one reads 1" in told(whole | {"schema_version": 2})


def test_an_earlier_run_of_another_version_does_not_spoil_the_next(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["retrieval", "--quiet", "--variants", "bm25"])
    (last(project).path / "run_summary.json").write_text('{"schema_version": 0}')
    assert main(["retrieval", "--quiet", "--variants", "bm25"]) == 0
    assert main(["history"]) == 0
    assert not capsys.readouterr().err


def test_a_retriever_that_prints_does_not_spoil_the_result(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mine.py").write_text(
        'print("loaded")\n\ndef search(question, k):\n    print("asked:", question)\n    return ["float-1"]\n'
    )
    assert main(["retrieval", "--variants", "python:mine:search", "--json", "--quiet"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["metrics"]["python:mine:search"]["recall@5"]["mean"] == 0.2
    assert "loaded\n" in err
    assert "asked: Who countersigns" in err


def test_the_same_inputs_give_the_same_bytes(project: Path) -> None:
    for _ in range(2):
        main(["retrieval", "--quiet", "--json"])
    first, second = all_runs(project / "runs")
    assert first.results.path.read_bytes() == second.results.path.read_bytes()
    assert first.summary["metrics"] == second.summary["metrics"]
    assert first.summary["segments"] == second.summary["segments"]


def test_the_gate_sets_the_exit_code(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cases(project, q1=["nowhere"], q2=["nowhere"])  # 3 of 5 found: recall@5 = 0.60 < 0.80
    assert main(["retrieval", "--variants", "bm25", "--json"]) == 1
    summary = json.loads(capsys.readouterr().out)
    (gate,) = summary["gates"]
    assert (gate["value"], gate["passed"], summary["decision"]["level"]) == (0.6, False, "tune")
    assert summary["exit_code"] == 1
    assert summary["diagnosis"]["bm25"]["missing_from_index"] == 2


def test_a_warning_gate_does_not(project: Path) -> None:
    write_cases(project, q1=["nowhere"], q2=["nowhere"])
    with (project / "assay.yaml").open("a") as file:
        file.write("retrieval: {gates: [{measure: recall@5, at_least: 0.9, severity: warning}]}\n")
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 0


def test_relocated_chunks_are_followed_and_both_scores_given(project: Path) -> None:
    cases = read_json(project / "cases.json")
    cases[0] |= {"expected_ids": ["before-rechunking"], "answer": "The duty officer countersigns it"}
    (project / "cases.json").write_text(json.dumps(cases))
    main(["retrieval", "--variants", "bm25", "--quiet"])
    summary = last(project).summary
    assert summary["health"]["counts"] == {"relocated": 1, "ambiguous": 0, "missing": 0}
    assert summary["metrics"]["bm25"]["recall@5"]["mean"] == 0.8
    assert summary["health"]["accepted"]["bm25"]["recall@5"]["mean"] == 1.0


def test_every_question_left_out_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [
        {"id": "a", "content": {"question": "Who countersigns?"}, "provenance": {"chunk_id": "x"}},
        {"id": "b", "content": {"question": "Why?", "is_impossible": True}},
        {
            "id": "c",
            "content": {"question": "And then?"},
            "provenance": {"chunk_id": "x"},
            "audit": {"history": ["requires_context"]},
        },
    ]
    (project / "gold.json").write_text(json.dumps({"version": {"schema": "GS_SCHEMA_V2"}, "questions": questions}))
    main(["retrieval", "--gold", "gold.json", "--variants", "bm25"])
    shown = capsys.readouterr().out
    assert "2 of 3 questions were not tested" in shown
    assert last(project).summary["skipped"]["ids"] == {"b": "unanswerable", "c": "requires context"}


def test_nothing_to_test_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [{"id": "b", "content": {"question": "Why?", "is_impossible": True}}]
    (project / "gold.json").write_text(json.dumps({"version": {"schema": "GS_SCHEMA_V2"}, "questions": questions}))
    assert main(["retrieval", "--gold", "gold.json"]) == 2
    assert "no question can be tested: 1 unanswerable" in capsys.readouterr().err
    assert not (project / "runs").exists()


def test_a_case_without_truth_is_undefined_not_zero(project: Path) -> None:
    cases = read_json(project / "cases.json")
    cases[0] |= {"expected_ids": [], "pages": []}
    (project / "cases.json").write_text(json.dumps(cases))
    main(["retrieval", "--variants", "bm25", "--quiet"])
    run = last(project)
    row = run.results.read()[0]
    assert row["scores"]["recall@5"] is None
    assert row["undefined"]["page_recall@5"] == "no page is expected"
    interval = run.summary["metrics"]["bm25"]["recall@5"]
    assert (interval["mean"], interval["n_scored"], interval["n_cases"]) == (1.0, 4, 5)


def test_page_match_is_strict_unless_asked_otherwise(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Page 1 of another document is not page 1 of the right one."""
    cases = [{"id": "q", "question": "A family pays what?", "pages": [{"document": "float.md", "page": 1}]}]
    (project / "cases.json").write_text(json.dumps(cases))
    values = {}
    for match in ("document", "page"):
        main(
            [
                "retrieval",
                "--variants",
                "bm25",
                "--k",
                "1",
                "--page-match",
                match,
                "--tolerance",
                "0",
                "--json",
                "--pages-only",
            ]
        )
        values[match] = json.loads(capsys.readouterr().out)["metrics"]["bm25"]["page_recall@1"]["mean"]
    assert values == {"document": 0.0, "page": 1.0}


def test_tolerance_changes_page_recall(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [{"id": "q", "question": "lockers cost", "pages": [{"document": "fees.md", "page": 1}]}]
    (project / "cases.json").write_text(json.dumps(cases))
    values = []
    for tolerance in ("0", "1"):
        main(["retrieval", "--variants", "bm25", "--k", "1", "--tolerance", tolerance, "--json"])
        values.append(json.loads(capsys.readouterr().out)["metrics"]["bm25"]["page_recall@1"]["mean"])
    assert values == [0.0, 1.0]


def test_page_recall_counts_every_page_of_a_chunk(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A chunk that begins on page 1 and ends on page 9 covers page 9, and page 10 with a tolerance of 1."""
    import sqlite3

    with sqlite3.connect("corpus.db") as connection:
        connection.execute("""UPDATE chunks SET metadata = '{"pages": [1, 9]}' WHERE id = 'fees-1'""")
    connection.close()
    cases = [
        {"id": str(page), "question": "A family pays what?", "pages": [{"document": "fees.md", "page": page}]}
        for page in (9, 10, 11)
    ]
    (project / "cases.json").write_text(json.dumps(cases))
    main(["retrieval", "--variants", "bm25", "--k", "1", "--tolerance", "1", "--pages-only", "--json"])
    rows = last(project).results.read()
    assert {row["case_id"]: row["scores"]["page_recall@1"] for row in rows} == {"9": 1.0, "10": 1.0, "11": 0.0}


def test_source_measure_quick_seed_and_cluster_have_an_effect(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--source", "fees.md", "-m", "rprec", "--quick", "4", "--seed", "3", "--cluster", "source", "--json"]
    main(["retrieval", "--variants", "bm25", *options])
    summary = json.loads(capsys.readouterr().out)
    rows = last(project).results.read()
    assert {id_.split("-")[0] for row in rows for id_ in row["retrieved"]["ids"]} == {"fees"}
    assert "rprec" in summary["metrics"]["bm25"]
    assert (summary["corpus"]["tested"], summary["partial"]) == (4, "4 of 5 questions")
    assert (summary["seed"], summary["config"]["statistics"]["cluster"]) == (3, "source")


def test_several_corpora_in_one_call(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (project / "assay.yaml").open("a") as file:
        file.write(
            "corpora:\n  one: {index: corpus.db, gold: cases.json}\n  two: {index: corpus.db, gold: cases.json}\n"
        )
    assert main(["retrieval", "--corpora", "all", "--pages-only", "--variants", "bm25", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert ("Retrieval: one" in shown, "Retrieval: two" in shown) == (True, True)
    assert len(all_runs(project / "runs")) == 2


def test_baseline_compare_report_history(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["retrieval", "--variants", "bm25", "--update-baseline", "--quiet"]) == 0
    assert "No baseline yet" not in capsys.readouterr().out
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 0
    assert "Against the baseline" in capsys.readouterr().out
    assert (last(project).path / "comparison.md").exists()
    assert main(["retrieval", "--variants", "bm25", "--quiet", "--baseline", "none"]) == 0
    assert "Against the baseline" not in capsys.readouterr().out
    assert main(["compare", "baseline", "last", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["regressions"] == 0
    assert main(["baselines", "--json"]) == 0
    (baseline,) = json.loads(capsys.readouterr().out)
    assert (baseline["version"], baseline["questions"], baseline["metrics"]["recall@5"]) == (1, 5, 1.0)
    assert main(["baselines", "--promote", "last", "--client", "default"]) == 0
    assert "_v2__" in capsys.readouterr().out
    assert main(["history", "--kind", "retrieval", "--last", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main(["report", "--out", "again.html"]) == 0
    assert (project / "again.html").read_text().startswith("<!doctype html>")
    assert main(["report", "--format", "md"]) == 0
    assert capsys.readouterr().out.startswith("# Retrieval")
    assert main(["report", "--out", "x.docx"]) == 2


def test_a_regression_against_the_baseline_is_exit_code_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = read_json(project / "cases.json")
    many = [case | {"id": f"{case['id']}-{number}"} for case in cases for number in range(4)]
    (project / "cases.json").write_text(json.dumps(many))
    (project / "assay.yaml").write_text("paths: {gold: cases.json}\nretrieval: {gates: []}\n")
    assert main(["retrieval", "--variants", "bm25", "--update-baseline", "--quiet"]) == 0
    write_index("new-")  # the corpus was cut anew: the old ids are gone
    capsys.readouterr()
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 1
    shown = capsys.readouterr().out
    assert "the indexes differ" in shown
    assert "regression: recall@1" in " ".join(shown.split())


def test_html_in_a_chunk_is_text(project: Path) -> None:
    write_cases(project, q4=["nowhere"])
    main(["retrieval", "--variants", "bm25", "--quiet"])
    html = (last(project).path / "report.html").read_text()
    assert "<script>alert" not in html
    assert "\\u003cscript\\u003ealert" in html


def test_k_larger_than_the_corpus(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["retrieval", "--k", "1,500", "--json"]) in (0, 1)
    summary = json.loads(capsys.readouterr().out)
    assert summary["metrics"]["vector"]["recall@500"]["mean"] == 1.0
    assert summary["metrics"]["bm25"]["p@500"]["mean"] == pytest.approx(1 / 500)


HOSTILE = ["  ", "?!…—", "\x00", "🙂🙂", 'a AND "b* NEAR(', "x" * 10_000, "שלום עולם", "e\u0301" * 50, "\u202eabc"]


def test_any_question_survives(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [{"id": str(n), "question": text, "expected_ids": ["x"]} for n, text in enumerate(HOSTILE)]
    (project / "cases.json").write_text(json.dumps(cases))
    assert main(["retrieval", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["errors"] == {"total": 0, "by_phase": {}, "messages": {}}


def test_another_embedding_dimension_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sqlite3

    with sqlite3.connect("corpus.db") as connection:
        connection.execute("UPDATE metadata SET value = '768' WHERE key = 'embedding_dim'")
    connection.close()
    assert main(["retrieval", "--variants", "vector"]) == 2
    fault = capsys.readouterr().err
    assert "768" in fault
    assert "256" in fault
    assert "Traceback" not in fault


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--gold", "none.json"], "none.json: no such file"),
        (["--index", "none.db"], "none.db: no such index"),
        (["--variants", "bm52"], "unknown retriever 'bm52'. Did you mean bm25?"),
        (["--k", "0"], "--k is '0'; expected whole numbers from 1 on"),
        (["-m", "ndgc@10"], "unknown measure 'ndgc'. Did you mean ndcg?"),
        (["--resume", "nothing"], "no run 'nothing'"),
        (["--baseline", "nothing"], "no run 'nothing'"),
        (["--page-match", "x"], "invalid choice"),
        (["--tolerance", "-1"], "--tolerance: retrieval.tolerance is -1; expected a whole number >= 0"),
        (["--seed", "-1"], "--seed: seed is -1; expected a whole number >= 0"),
        (["--quick", "0"], "--quick is 0; expected a whole number from 1 on"),
        (["--quick", "-3"], "--quick is -3; expected a whole number from 1 on"),
        (["--variants", ""], "--variants is '', which names nothing; expected names between commas"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["retrieval", "--quiet", *words]) == 2
    fault = capsys.readouterr().err
    assert told in fault
    assert fault.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("gates: [{measure: recal@5, at_least: 0.5}]", "retrieval.gates[0].measure: unknown measure 'recal'. Did you"),
        ("decision: {measure: page_recall}", "retrieval.decision.measure: measure 'page_recall' has no cut-off"),
    ],
)
def test_a_rule_on_no_measure_is_told_before_any_search(
    project: Path, capsys: pytest.CaptureFixture[str], settings: str, told: str
) -> None:
    with (project / "assay.yaml").open("a") as file:
        file.write(f"retrieval: {{{settings}}}\n")
    assert main(["retrieval", "--quiet"]) == 2
    assert told in capsys.readouterr().err
    assert not (project / "runs").exists()


@pytest.mark.parametrize("words", [["--k", "1"], ["--k", "1", "--pages-only"], ["--k", "50"]])
def test_gate_decision_and_failures_do_not_depend_on_k(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """The gate is on recall@5 and a question fails at 5, whatever the cut-offs of the tables are."""
    write_cases(project, q1=["nowhere"])
    main(["retrieval", "--variants", "bm25", "--json", *words])
    summary = json.loads(capsys.readouterr().out)
    (gate,) = summary["gates"]
    assert gate["value"] == (1.0 if "--pages-only" in words else 0.8)
    assert (gate["passed"], summary["decision"]["level"]) == (True, "good")
    assert summary["diagnosis"]["bm25"]["missing_from_index"] == 1


def test_pages_alone_do_not_tell_why_a_chunk_was_missed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [{"id": "q", "question": "lockers cost", "pages": [{"document": "fees.md", "page": 2}]}]
    (project / "cases.json").write_text(json.dumps(cases))
    assert main(["retrieval", "--variants", "bm25", "--pages-only", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert "Not examined: no expected chunk is known." in shown
    assert "Every expected chunk" not in shown
    assert "Not examined: no question names a chunk." in shown
    assert "No question names a chunk, so recall" not in shown, "pages were asked for, and pages were measured"


def test_without_a_gold_set_the_next_step_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "cases.json").unlink()
    assert main(["retrieval"]) == 2
    assert capsys.readouterr().err == (
        f"assay: {project / 'cases.json'}: no such file. Name a gold set, or set paths.gold in assay.yaml; "
        "assay init writes one to begin with\n"
    ).replace(f"{project}/", "")


def test_a_chunk_judged_irrelevant_makes_no_question_trivial(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """bm25 finds fees-1 first, and fees-1 has grade 0: nothing expected stands first."""
    cases = [{"id": "q", "question": "How much does a family pay?", "grades": {"fees-1": 0, "float-1": 1}}]
    (project / "cases.json").write_text(json.dumps(cases))
    main(["retrieval", "--variants", "vector", "--json"])
    assert json.loads(capsys.readouterr().out)["health"]["trivial"] == 0.0


def test_counts_are_spelled_as_one_says_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [{"id": "q", "question": "How much does a family pay?", "expected_ids": ["gone"]}]
    (project / "cases.json").write_text(json.dumps(cases))
    main(["retrieval", "--variants", "bm25", "--quiet"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 expected id is missing." in shown
    assert "0 of 1 expected id is in the index." in shown
    assert "· 1 question " in f"{shown} "


def test_the_duration_is_that_of_everything_before_the_report(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from assay.retrieval import health

    examine = health.examine

    def slowly(*arguments: Any) -> health.Health:
        time.sleep(0.3)
        return examine(*arguments)

    monkeypatch.setattr(health, "examine", slowly)
    main(["retrieval", "--variants", "bm25", "--json"])
    assert json.loads(capsys.readouterr().out)["execution"]["duration"] >= 0.3


def test_an_unwritable_runs_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "runs").write_text("in the way")
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 2
    assert "cannot write the run" in capsys.readouterr().err


SLOW = """
import os, time
from pathlib import Path

def find(query, k):
    calls = Path("calls.txt")
    with calls.open("a") as file:
        file.write(query + "\\n")
    if Path("slow").exists() and len(calls.read_text().splitlines()) > 300:
        Path("waiting").touch()
        time.sleep(60)
    if Path("fail").exists() and query.startswith("question 7"):
        raise ValueError("no luck")
    return [("fees-1", 1.0)]
"""


def many_cases(project: Path, count: int = 600) -> None:
    cases = [{"id": f"{n:04d}", "question": f"question {n}", "expected_ids": ["x"]} for n in range(count)]
    (project / "cases.json").write_text(json.dumps(cases))
    (project / "slowly.py").write_text(SLOW)


COMMAND = ["retrieval", "--variants", "python:slowly:find", "--quiet"]


def wait_for(ready: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_in_the_middle_and_resumed_is_as_if_never_killed(project: Path, how: signal.Signals) -> None:
    many_cases(project)
    (project / "slow").touch()
    process = subprocess.Popen(interruptible(COMMAND), stderr=subprocess.PIPE, text=True)
    wait_for((project / "waiting").exists)
    os.kill(process.pid, how)
    _, fault = process.communicate(timeout=20)
    assert process.returncode != 0
    assert "Traceback" not in fault
    (project / "slow").unlink()
    done = len(last(project).results.read())
    assert 0 < done < 600
    with last(project).results.path.open("ab") as file:
        file.write(b'{"variant": "torn')
    (project / "calls.txt").unlink()
    assert main([*COMMAND, "--resume", "last"]) == 1
    assert len((project / "calls.txt").read_text().splitlines()) == 600 - done
    resumed = last(project).results.path.read_bytes()
    assert main(COMMAND) == 1
    assert last(project).results.path.read_bytes() == resumed


def test_a_failed_case_is_a_record_is_in_no_mean_and_is_tried_again(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many_cases(project, 10)
    (project / "fail").touch()
    assert main([*COMMAND, "--json"]) == 3
    summary = json.loads(capsys.readouterr().out)
    assert summary["errors"] == {
        "total": 1, "by_phase": {"retrieve": 1}, "messages": {"ValueError: no luck": 1},
    }  # fmt: skip
    (interval,) = {
        (m["n_scored"], m["n_cases"]) for m in summary["metrics"]["python:slowly:find"].values() if m["n_scored"]
    }
    assert interval == (9, 10)
    (row,) = [row for row in last(project).results.read() if row["status"] == "error"]
    assert "no luck" in row["error"]["message"]
    (project / "fail").unlink()
    (project / "calls.txt").unlink()
    assert main([*COMMAND, "--resume", "last", "--json"]) == 1
    assert (project / "calls.txt").read_text() == "question 7\n"
    assert json.loads(capsys.readouterr().out)["errors"]["total"] == 0


def test_resume_with_other_settings_is_refused_by_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["retrieval", "--variants", "bm25", "--quiet"])
    capsys.readouterr()
    write_cases(project, q1=["other"])
    assert main(["retrieval", "--variants", "bm25", "--resume", "last", "--quiet", "--k", "2"]) == 2
    assert "cannot resume: gold, retrieval settings changed" in capsys.readouterr().err


def test_two_at_once(project: Path) -> None:
    command = [sys.executable, "-m", "assay", "retrieval", "--quiet"]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    runs = all_runs(project / "runs")
    assert len(runs) == 3
    assert len({run.results.path.read_bytes() for run in runs}) == 1
    lines = (project / "runs" / "history.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["run"] for line in lines) == sorted(run.name for run in runs)


def test_a_full_disk_while_writing_a_run(project: Path) -> None:
    many_cases(project)
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "from assay.cli.main import main\n"
        f"sys.exit(main({COMMAND!r}))\n"
    )
    # The limit holds for every file, so the child must not write coverage data either.
    own = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=own, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "What was finished is kept" in done.stderr
    assert main([*COMMAND, "--resume", "last"]) == 1
    assert len(last(project).results.read()) == 600


@pytest.mark.parametrize("name", ["failures.jsonl", "run_summary.json"])
def test_a_conclusion_that_cannot_be_written_leaves_a_run_that_can_be_finished(
    project: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """What was searched is kept: the exit code is that of an incomplete run, and the next step is told."""
    main(["retrieval", "--quiet"])
    run = last(project)
    before = {file: (run.path / file).read_bytes() for file in ("results.jsonl", "failures.jsonl")}
    run.results.path.write_bytes(before["results.jsonl"].splitlines(keepends=True)[0])
    (run.path / name).unlink()
    (run.path / name / "in the way").mkdir(parents=True)
    capsys.readouterr()
    assert main(["retrieval", "--quiet", "--resume", "last"]) == 3
    told = capsys.readouterr().err
    assert f"{name}: cannot be written: " in told
    assert f"What was finished is kept. Go on with: assay retrieval --resume {run.name}" in told
    shutil.rmtree(run.path / name)
    assert main(["retrieval", "--quiet", "--resume", "last"]) == 0
    assert {file: (run.path / file).read_bytes() for file in before} == before


def test_nothing_of_the_environment_is_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2-never-on-disk")
    main(["retrieval", "--quiet"])
    written: list[Any] = [path.read_bytes() for path in project.rglob("*") if path.is_file()]
    assert all(b"hunter2-never-on-disk" not in data for data in written)
