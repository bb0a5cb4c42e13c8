"""A whole evaluation of lanes on a real index: scores, segments, baseline, resume, report, exit codes."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from small_index import write_index

from assay.config import Config, Gate, LanesOptions, Paths, Statistics
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.lanes.evaluation import Order, evaluate_lanes
from assay.lanes.system import LaneSystem
from assay.records import Chunk
from assay.report.markdown import to_markdown
from assay.report.publish import Published, publish
from assay.retrievers.variants import build
from assay.runs.baselines import promote
from assay.runs.folder import RunFolder

UNITS = [
    ("code:retry.py::delay", "code", "def delay(attempt): seconds before the next retry"),
    ("code:retry.py::limit", "code", "limit = 5 tries of a message"),
    ("code:queue.py::push", "code", "def push(message): put a message behind the others"),
    ("mem-1", "memory", "The retry delay doubles; seconds are whole."),
    ("mem-2", "memory", "Releases go out on Tuesdays."),
    ("doc-1", "document", "Messages wait; the retry delay grows to a minute."),
]
CASES: list[dict[str, Any]] = [
    {"id": "delay", "lane": "code", "spec_content": "retry delay", "expected_ids": ["code:retry.py::delay"], "k": 2},
    {"id": "delay_note", "lane": "memory", "spec_content": "retry delay", "expected_ids": ["mem-1"]},
    {"id": "delay_text", "lane": "document", "spec_content": "retry delay", "expected_ids": ["doc-1"]},
    {"id": "gone", "lane": "code", "spec_content": "retry delay", "expected_ids": ["code:gone.py::f"]},
    {
        "id": "half",
        "lane": "code",
        "spec_content": "message",
        "expected_ids": ["code:queue.py::push", "code:gone.py::f"],
    },
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    chunks = [Chunk(id=id_, text=text, source=f"{id_}.src", lane=lane) for id_, lane, text in UNITS]  # type: ignore[arg-type]
    write_index(tmp_path / "corpus.db", chunks).close()
    write_cases(tmp_path, CASES)
    return tmp_path


def write_cases(project: Path, cases: list[dict[str, Any]]) -> None:
    (project / "cases.json").write_text(json.dumps(cases), encoding="utf-8")


def config_of(project: Path, **lanes: Any) -> Config:
    return Config(root=str(project), paths=Paths(), lanes=LanesOptions(**lanes), statistics=Statistics(resamples=200))


def evaluated(project: Path, config: Config | None = None, **order: Any) -> RunFolder:
    given = {"config": config or config_of(project), "cases": (project / "cases.json",), **order}
    return evaluate_lanes(Order(**given), lambda _: None)


def published(project: Path, config: Config | None = None, **order: Any) -> Published:
    used = config or config_of(project)
    return publish(evaluated(project, used, **order), used)


def test_each_case_is_searched_in_its_own_lane(project: Path) -> None:
    results = {result["case_id"]: result for result in evaluated(project).summary["results"]}
    assert results["delay"]["top_ids"][0] == "code:retry.py::delay"
    assert results["delay_note"]["top_ids"][0] == "mem-1"
    assert results["delay_text"]["top_ids"] == ["doc-1"]
    assert all(id_.startswith("code:") for id_ in results["half"]["top_ids"])
    assert {result["source"] for result in results.values()} == {"json"}


def test_missing_ids_are_told_and_left_out_of_the_denominators(project: Path) -> None:
    summary = evaluated(project).summary
    results = {result["case_id"]: result for result in summary["results"]}
    assert (results["half"]["recall_at_k"], results["half"]["missing_expected_ids"]) == (1.0, ["code:gone.py::f"])
    assert results["half"]["max_precision_at_k"] == pytest.approx(1 / 5)
    assert (results["gone"]["status"], results["gone"]["recall_at_k"]) == ("undefined", None)
    recall = summary["metrics"]["bm25"]["recall@k"]
    assert (recall["mean"], recall["n_scored"], recall["n_cases"]) == (1.0, 4, 5)
    assert [entry["case_id"] for entry in summary["missing"]] == ["gone", "half"]


@pytest.mark.parametrize(("strict", "code"), [(False, 0), (True, 1)])
def test_strict_fails_on_a_missing_id(project: Path, strict: bool, code: int) -> None:
    assert published(project, strict=strict).exit_code == code


def test_strict_holds_when_nothing_is_missing(project: Path) -> None:
    write_cases(project, CASES[:3])
    assert published(project, strict=True).exit_code == 0


def test_one_lane_alone(project: Path) -> None:
    summary = evaluated(project, lane="memory").summary
    assert [result["case_id"] for result in summary["results"]] == ["delay_note"]
    assert summary["corpus"]["name"] == "cases.json (memory)"
    write_cases(project, CASES[:1])
    with pytest.raises(AssayError, match="there is no case in the lane document"):
        evaluated(project, lane="document")


def test_segments_by_lane_with_intervals(project: Path) -> None:
    summary = evaluated(project).summary
    lanes = summary["segments"]["lane"]
    assert {lane: segment["n"] for lane, segment in lanes.items()} == {"code": 3, "document": 1, "memory": 1}
    assert lanes["code"]["metrics"]["bm25"]["recall@k"]["n_scored"] == 2
    assert set(summary["segments"]) == {"lane", "origin", "source"}


def test_the_report_shows_missing_ids_first_and_the_table(project: Path) -> None:
    report = published(project).report
    assert [section.title for section in report.sections][:3] == ["Missing from the index", "Cases", "Means"]
    text = to_markdown(report)
    assert "P@k" in text
    assert "code:gone.py::f" in text
    rows = [row.cells for row in report.sections[1].blocks[-1].rows]  # type: ignore[union-attr]
    assert rows[0] == ("gone", "code", "json", 5, "–", "–", "–", "–", 1)
    assert rows[1] == ("half", "code", "json", 5, "0.20", "0.20", "1.00", "1.00", 1)
    assert rows[2] == ("delay", "code", "json", 2, "0.50", "0.50", "1.00", "1.00", 0)


def test_of_many_cases_the_worst_are_shown(project: Path) -> None:
    good = [{**CASES[0], "id": f"good{n}"} for n in range(45)]
    write_cases(project, [*good, {**CASES[0], "id": "lost", "spec_content": "limit tries", "k": 1}, CASES[3]])
    report = published(project).report
    shown, whole = (section.blocks[-1] for section in report.sections[1:3])
    assert [row.cells[0] for row in shown.rows[:3]] == ["gone", "lost", "good0"]  # type: ignore[union-attr]
    assert (len(shown.rows), len(whole.rows)) == (40, 47)  # type: ignore[union-attr]
    assert report.sections[2].detail


def test_of_many_missing_ids_the_first_are_listed(project: Path) -> None:
    cases = [
        {"id": f"c{n:03}", "lane": "code", "spec_content": "x", "expected_ids": [f"code:gone.py::f{n}"]}
        for n in range(100)
    ]
    write_cases(project, cases)
    told = to_markdown(published(project).report).partition("## Means")[0]
    assert "Expected ids that cannot be found: 100 (cases: 100)" in told
    assert "The first 40 are listed; all are in" in told
    assert "code:gone.py::f39" in told
    assert "code:gone.py::f40" not in told
    assert "c009 and 90 more." in told


def test_gates_on_lanes(project: Path) -> None:
    gate = Gate(measure="p@k", at_least=0.9)
    assert published(project, config_of(project, gates=(gate,))).exit_code == 1
    assert published(project, config_of(project, gates=(Gate(measure="recall@k", at_least=0.9),))).exit_code == 0


def test_a_gate_on_a_measure_that_lanes_do_not_have_is_an_error(project: Path) -> None:
    with pytest.raises(AssayError, match=r"unknown measure in lanes.gates 'recall@5'.*recall@k"):
        evaluated(project, config_of(project, gates=(Gate(measure="recall@5", at_least=0.9),)))
    assert not (project / "runs").exists()


def test_the_same_run_twice_gives_the_same_results(project: Path) -> None:
    first, second = evaluated(project), evaluated(project)
    assert (first.path / "results.jsonl").read_bytes() == (second.path / "results.jsonl").read_bytes()


def test_a_run_is_resumed_where_it_stopped(project: Path) -> None:
    run = evaluated(project)
    whole = (run.path / "results.jsonl").read_bytes()
    (run.path / "results.jsonl").write_bytes(whole[: len(whole) // 2])
    (run.path / "run_summary.json").unlink()
    again = evaluated(project, resume=run.name)
    assert again.path == run.path
    assert (run.path / "results.jsonl").read_bytes() == whole
    write_cases(project, CASES[:2])
    with pytest.raises(AssayError, match="cannot resume: gold"):
        evaluated(project, resume=run.name)


def test_a_baseline_is_compared_with_and_another_k_is_told(project: Path) -> None:
    config = config_of(project)
    run = evaluated(project, config)
    promote(run, project / "baselines", today=date(2025, 1, 1))
    same = publish(evaluated(project, config), config)
    assert same.comparison is not None
    assert same.comparison.warnings == ()
    assert {row.measure for row in same.comparison.rows} == {"recall@k", "p@k", "mrr@k", "hit@k", "ndcg@k"}
    assert same.exit_code == 0
    other = publish(evaluated(project, config, k=1), config)
    assert other.comparison is not None
    assert "the settings of retrieval differ" in other.comparison.warnings


def test_variants_are_compared_within_a_run(project: Path) -> None:
    report = published(project, config_of(project, variants=("bm25", "bm25+rerank"))).report
    assert "Variants compared" in [section.title for section in report.sections]


def test_a_unit_beyond_k_is_shown_with_its_rank(project: Path) -> None:
    write_cases(project, [{**CASES[0], "spec_content": "message limit retry", "k": 1}])
    run = evaluated(project)
    (miss,) = [json.loads(line) for line in (run.path / "failures.jsonl").read_text().splitlines()]
    assert [(unit["id"], unit["rank"]) for unit in miss["beyond"]] == [("code:retry.py::delay", 2)]


def test_cases_that_name_their_index_are_searched_in_it(project: Path) -> None:
    other = [Chunk(id="code:x.py::f", text="retry delay", source="x.py", lane="code")]
    write_index(project / "other.db", other).close()
    mined = {"index": "other.db", "cases": [{**CASES[0], "id": "other", "expected_ids": ["code:x.py::f"]}]}
    (project / "mined.json").write_text(json.dumps(mined))
    both = (project / "cases.json", project / "mined.json")
    results = {r["case_id"]: r for r in evaluated(project, cases=both).summary["results"]}
    assert results["other"]["top_ids"] == ["code:x.py::f"]
    assert results["delay"]["top_ids"][0] == "code:retry.py::delay"
    (only,) = evaluated(project, cases=both[1:], index=project / "corpus.db").summary["results"]
    assert only["missing_expected_ids"] == ["code:x.py::f"]


SEARCH = """
def search(query, k):
    if "limit" in query:
        raise RuntimeError("the service is down")
    return [("mem-1", 3.0), ("code:retry.py::delay", 2.0), ("doc-1", 1.0)]
"""


def test_a_retriever_of_ones_own_is_held_to_the_lane_and_its_faults_are_records(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "my_lane_search.py").write_text(SEARCH)
    monkeypatch.syspath_prepend(str(project))
    write_cases(project, [*CASES[:3], {**CASES[0], "id": "down", "spec_content": "limit of tries"}])
    done = published(project, config_of(project, variants=("python:my_lane_search:search",)))
    results = {result["case_id"]: result for result in done.summary["results"]}
    assert {id_: result["top_ids"] for id_, result in results.items()} == {
        "delay": ["code:retry.py::delay"],
        "delay_note": ["mem-1"],
        "delay_text": ["doc-1"],
        "down": [],
    }
    assert results["down"]["status"] == "error"
    assert "the service is down" in results["down"]["error"]["message"]
    assert done.exit_code == 3


TOLD = """
def search(query, k, lane=None):
    return {"code": ["code:retry.py::delay"], "memory": ["mem-1"], "document": ["doc-1"]}[lane]
"""


def test_a_retriever_of_ones_own_is_told_the_lane(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "my_told_search.py").write_text(TOLD)
    monkeypatch.syspath_prepend(str(project))
    write_cases(project, CASES[:3])
    run = evaluated(project, config_of(project, variants=("python:my_told_search:search",)))
    assert [result["recall_at_k"] for result in run.summary["results"]] == [1, 1, 1]


def test_a_run_is_not_resumed_with_another_version_of_a_retriever(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = project / "my_changed_search.py"
    module.write_text(TOLD)
    monkeypatch.syspath_prepend(str(project))
    write_cases(project, CASES[:3])
    config = config_of(project, variants=("python:my_changed_search:search",))
    run = evaluated(project, config)
    (run.path / "run_summary.json").unlink()
    evaluated(project, config, resume=run.name)
    (run.path / "run_summary.json").unlink()
    module.write_text(TOLD + "# changed\n")
    with pytest.raises(AssayError, match="cannot resume: retriever files"):
        evaluated(project, config, resume=run.name)


def test_as_many_are_searched_together_as_suits_the_retriever(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "my_batch_search.py").write_text(
        TOLD + "\ndef search_all(queries, k):\n    return [[] for _ in queries]\n"
    )
    monkeypatch.syspath_prepend(str(project))
    with Index.open(project / "corpus.db") as index:
        names = ("bm25", "python:my_batch_search:search", "python:my_batch_search:search_all")
        sizes = [
            LaneSystem(name=name, retrievers={index.path: build(name, Config(), index)}).batch_size for name in names
        ]
    assert sizes == [512, 1, 64]


def test_of_many_segments_those_with_the_most_cases_are_shown(project: Path) -> None:
    """25 people with one case each and one with three; everybody's cases have the tag `all`, which says nothing."""
    owners = [*(f"p{number:02}" for number in range(25)), *["busy"] * 3]
    write_cases(
        project,
        [{**CASES[0], "id": f"c{n:02}", "tags": {"owner": owner, "all": "x"}} for n, owner in enumerate(owners)],
    )
    report = published(project).report
    text = to_markdown(report)
    shown = text.partition("## By owner")[2].partition("\n## ")[0]
    assert "The 20 with the most cases, of 26" in shown
    assert "busy" in shown
    assert sum(f"| {owner}" in shown for owner in set(owners)) == 20
    assert "## By all" not in text


def test_a_case_that_cannot_be_scored_is_listed_with_the_reason(project: Path) -> None:
    write_cases(project, [CASES[0], {**CASES[0], "id": "gone", "expected_ids": ["code:nowhere.py::f"]}])
    assert evaluated(project).summary["skipped"] == {
        "count": 1,
        "reasons": {"no expected id is in the index": 1},
        "ids": {"gone": "no expected id is in the index"},
    }


def test_an_index_that_is_not_there(project: Path) -> None:
    (project / "corpus.db").unlink()
    with pytest.raises(AssayError, match="no such index"):
        evaluated(project)
