"""Retrievers that are not ours under `assay retrieval`: slow ones, hostile ones, run files, ids nobody knows."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from small_project import interruptible, last, make, write_cases

from assay.cli.main import main
from assay.config import Config
from assay.corpus.index import Index
from assay.files import read_json, read_jsonl
from assay.retrieval.system import batch_of
from assay.retrievers.variants import build

FUNCTIONS = """
import sys, time
from pathlib import Path

def leave(query, k):
    if "float" in query:
        sys.exit(0)
    return [("fees-1", 1.0)]

async def leave_async(query, k):
    return leave(query, k)

def leave_all(queries, k):
    sys.exit("enough")

def rerank(query, texts):
    sys.exit(1)

def slow(query, k):
    with open("calls.txt", "a") as file:
        file.write(query + "\\n")
    time.sleep(0 if Path("fast").exists() else 0.05)
    return [("fees-1", 1.0)]

def all_of_them(queries, k):
    return [[("fees-1", 1.0)] for _ in queries]

def elsewhere(query, k):
    return [("known-to-nobody", 3.0), ("fees-1", 2.0), ("nor-this", 1.0)]

def nothing(query, k):
    return []
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    make(tmp_path)
    (tmp_path / "theirs.py").write_text(FUNCTIONS)
    return tmp_path


def evaluate(capsys: pytest.CaptureFixture[str], variant: str, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["retrieval", "--variants", variant, "--quiet", "--json", *words])
    summary: dict[str, Any] = json.loads(capsys.readouterr().out)
    return summary


@pytest.mark.parametrize(
    ("function", "messages"),
    [
        ("leave", {"SystemExit: 0": 1}),
        ("leave_async", {"SystemExit: 0": 1}),
        ("leave_all", {"SystemExit: enough": 5}),
    ],
)
def test_sys_exit_in_a_function_is_the_fault_of_that_query(
    project: Path, capsys: pytest.CaptureFixture[str], function: str, messages: dict[str, int]
) -> None:
    summary = evaluate(capsys, f"python:theirs:{function}")
    assert summary["errors"]["messages"] == messages
    assert summary["exit_code"] == 3


def test_sys_exit_in_a_reranker_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (project / "assay.yaml").open("a") as file:
        file.write("retrieval: {rerank: {name: 'python:theirs:rerank'}}\n")
    assert evaluate(capsys, "bm25+rerank")["errors"]["by_phase"] == {"rerank": 5}


def test_sys_exit_while_a_module_loads_is_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "leaves_at_once.py").write_text("import sys\nsys.exit(0)\n")
    assert main(["retrieval", "--variants", "python:leaves_at_once:find", "--quiet"]) == 2
    assert "the module 'leaves_at_once' does not load: SystemExit(0)" in capsys.readouterr().err


def test_why_searches_failed_is_in_the_report(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["retrieval", "--variants", "python:theirs:leave", "--quiet"]) == 3
    shown = capsys.readouterr().out
    assert "1 search failed and is in no mean." in shown
    assert "1 × SystemExit: 0" in shown


def test_results_of_a_slow_system_are_kept_as_they_come(project: Path) -> None:
    """60 questions of 0.05 s, interrupted after a few: they are on disk, and going on asks only the others."""
    cases = [{"id": f"{n:02d}", "question": f"question {n}", "expected_ids": ["x"]} for n in range(60)]
    (project / "cases.json").write_text(json.dumps(cases))
    command = ["retrieval", "--variants", "python:theirs:slow", "--quiet"]
    process = subprocess.Popen(interruptible(command), stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while not any(path.stat().st_size for path in project.glob("runs/*/results.jsonl")):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, fault = process.communicate(timeout=20)
    assert process.returncode == 130
    assert fault == (
        "assay: interrupted. What is finished is kept; go on with: "
        "assay retrieval --variants python:theirs:slow --quiet --resume last\n"
    )
    done = len(last(project).results.read())
    assert 0 < done < 60
    (project / "calls.txt").unlink()
    (project / "fast").touch()
    assert main([*command, "--resume", "last"]) == 1
    assert len((project / "calls.txt").read_text().splitlines()) == 60 - done


def test_how_many_questions_are_searched_at_once(project: Path) -> None:
    names = ("bm25", "python:theirs:slow", "python:theirs:all_of_them", "http://127.0.0.1:1/search")
    config = Config()
    with Index.open(project / "corpus.db") as index:
        sizes = [batch_of(build(name, config, index)) for name in names]
        assert sizes == [512, 1, 64, 16]
        assert batch_of(build("http://127.0.0.1:1/search+rerank", config, index)) == 8


@pytest.mark.parametrize("variant", ["run:theirs.run", "python:theirs:slow", "bm25+rerank"])
def test_a_checkpoint_belongs_to_the_file_it_was_made_with(
    project: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    """Another content under the same name is another retriever."""
    (project / "fast").touch()
    (project / "theirs.run").write_text("q1 Q0 float-1 1 1.0 t\n")
    (project / "scorer.py").write_text("def rerank(query, texts):\n    return [0.0] * len(texts)\n")
    with (project / "assay.yaml").open("a") as file:
        file.write("retrieval: {gates: [], rerank: {name: 'python:scorer:rerank'}}\n")
    command = ["retrieval", "--variants", variant, "--quiet"]
    assert main(command) == 0
    assert main([*command, "--resume", "last"]) == 0
    name = {"run": "theirs.run", "python": "theirs.py"}.get(variant.partition(":")[0], "scorer.py")
    with (project / name).open("a") as file:
        file.write("q2 Q0 float-2 1 1.0 t\n" if name.endswith(".run") else "# changed\n")
    capsys.readouterr()
    assert main([*command, "--resume", "last"]) == 2
    assert "cannot resume: retriever files changed since" in capsys.readouterr().err


def test_a_finished_run_that_is_resumed_stays_as_it_is(project: Path) -> None:
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 0
    run = last(project)
    before = (run.path / "run_summary.json").read_bytes()
    assert main(["retrieval", "--variants", "bm25", "--quiet", "--resume", "last"]) == 0
    assert (run.path / "run_summary.json").read_bytes() == before
    assert len((project / "runs" / "history.jsonl").read_text().splitlines()) == 1


def test_ids_that_are_not_in_the_index_keep_their_rank_and_are_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = evaluate(capsys, "python:theirs:elsewhere")
    assert summary["unknown_results"] == {"count": 10, "of": 15, "example": "known-to-nobody"}
    entry = next(entry for _, entry in read_jsonl(last(project).path / "failures.jsonl"))
    shown = [(c["rank"], c["id"], c["score"], c["in_index"], c["source"]) for c in entry["retrieved"]]
    assert shown == [
        (1, "known-to-nobody", 3.0, False, None),
        (2, "fees-1", 2.0, True, "fees.md"),
        (3, "nor-this", 1.0, False, None),
    ]
    main(["retrieval", "--variants", "python:theirs:elsewhere", "--quiet"])
    out = " ".join(capsys.readouterr().out.split())
    assert "10 of 15 retrieved ids are not in the index, such as 'known-to-nobody'" in out
    report = (last(project).path / "report.html").read_text()
    assert re.search(r"known-to-nobody.{0,200}not in the index", report)


def test_a_question_that_got_nothing_is_told_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not "only other documents came back"."""
    summary = evaluate(capsys, "python:theirs:nothing")
    assert summary["diagnosis"]["python:theirs:nothing"]["wrong_document"] >= 4
    entries = [entry for _, entry in read_jsonl(last(project).path / "failures.jsonl")]
    told = {entry["explanation"] for entry in entries if entry["diagnosis"] == "wrong_document"}
    assert told == {"nothing came back at all"}
    assert {tuple(entry["retrieved"]) for entry in entries} == {()}


def test_without_an_index_pages_and_failures_are_unknown_not_zero(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "theirs.run").write_text("q1 Q0 float-1 1 1.0 t\nq2 Q0 fees-1 1 1.0 t\n")
    (project / "corpus.db").unlink()
    summary = evaluate(capsys, "run:theirs.run")
    metrics = summary["metrics"]["run:theirs.run"]
    assert metrics["recall@5"]["mean"] == 0.2
    assert (metrics["page_recall@5"]["mean"], metrics["page_recall@5"]["n_scored"]) == (None, 0)
    assert (summary["diagnosis"], summary["health"], summary["unknown_results"]) == (None, None, None)
    assert last(project).results.read()[0]["undefined"] == {f"page_recall@{k}": "no index" for k in (1, 3, 5, 10)}
    main(["retrieval", "--variants", "run:theirs.run", "--quiet"])
    shown = capsys.readouterr().out
    assert shown.count("Not examined: there is no index.") == 2
    assert "Every expected chunk" not in shown
    assert main(["retrieval", "--variants", "run:theirs.run", "--quiet", "--pages-only"]) == 2
    assert "page recall needs an index" in capsys.readouterr().err


def test_a_run_whose_scores_are_all_equal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A tie is settled by id, descending: fees-2, fees-1. The order of the lines and the rank column say nothing."""
    (project / "theirs.run").write_text("q3 Q0 fees-1 1 0.5 t\nq3 Q0 fees-2 2 0.5 t\n")
    (project / "q.txt").write_text("q3 0 fees-1 1\n")
    write_cases(project)
    cases = [case for case in read_json(project / "cases.json") if case["id"] == "q3"]
    (project / "cases.json").write_text(json.dumps(cases))
    summary = evaluate(capsys, "run:theirs.run")
    assert last(project).results.read()[0]["retrieved"]["ids"] == ["fees-2", "fees-1"]
    assert summary["metrics"]["run:theirs.run"]["mrr@10"]["mean"] == 0.5
    assert main(["score", "--qrels", "q.txt", "--run", "theirs.run", "-m", "mrr", "--json"]) == 0
    assert '"mean": 0.5' in capsys.readouterr().out


def test_embeddings_of_an_unknown_model_are_warned_about(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect("corpus.db") as connection:
        connection.execute("DELETE FROM metadata WHERE key = 'model_id'")
    connection.close()
    told = "The index does not say which model made its embeddings"
    assert evaluate(capsys, "vector")["warnings"][0].startswith(told)
    assert main(["search", "float plan"]) == 0
    assert f"assay: {told}" in capsys.readouterr().err


def test_questions_that_are_documents_themselves_are_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        {"id": "fees-1", "question": "What are the fees?", "expected_ids": ["float-1"]},
        {"id": "float-1", "question": "Who signs the float plan?", "expected_ids": ["float-1"]},
        {"id": "q", "question": "Who pays?", "expected_ids": ["fees-1"]},
    ]
    Path("themselves.json").write_text(json.dumps(cases))
    main(["retrieval", "--gold", "themselves.json", "--variants", "bm25", "--quiet"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "! 1 of 3 questions share their id with a chunk that is not expected" in shown


def test_half_a_surrogate_pair_in_a_question(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Valid JSON, and no UTF-8 can hold it: it goes through search, results and reports all the same."""
    cases = [{"id": "q1", "question": "Who countersigns \ud800 it?", "expected_ids": ["float-2"]}]
    (project / "cases.json").write_text(json.dumps(cases))
    assert main(["retrieval", "--quiet"]) == 0
    (question,) = {row["question"] for row in last(project).results.read()}
    assert question == "Who countersigns \ud800 it?"
    assert main(["retrieval", "--quiet", "--resume", "last"]) == 0
