"""What to do next fits the retriever that came out best, and what its failures are made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_project import CHUNKS, last, make, write_cases

from assay.cli.main import main
from assay.config import Decision
from assay.records import Interval
from assay.retrieval.diagnosis import is_missed
from assay.retrieval.summary import decide

HYBRID = "Tune retrieval: chunking, hybrid weights, a reranker."


@pytest.mark.parametrize(
    ("best", "others", "tune", "poor"),
    [
        ("hybrid", ["bm25"], HYBRID, "Fine-tune the embeddings."),
        (
            "hybrid+rerank",
            [],
            "Tune retrieval: chunking, hybrid weights, another reranker.",
            "Fine-tune the embeddings.",
        ),
        (
            "vector",
            ["bm25"],
            "Tune retrieval: chunking, hybrid instead of vector alone, a reranker.",
            "Fine-tune the embeddings.",
        ),
        ("vector", ["hybrid"], HYBRID, "Fine-tune the embeddings."),
        (
            "bm25",
            [],
            "Tune retrieval: chunking, hybrid instead of bm25 alone, a reranker.",
            "Measure vector and hybrid too: bm25 finds by words alone.",
        ),
        (
            "bm25",
            ["vector", "hybrid"],
            HYBRID,
            "Take another embedder, or fine-tune it: bm25 alone is ahead of its vectors.",
        ),
        (
            "python:mine:search",
            ["bm25"],
            "Tune the retriever under test: how it chunks, weighs and reranks.",
            "Fine-tune the embeddings of the retriever under test, if it has any.",
        ),
        (
            "run:theirs.run",
            [],
            "Tune the retriever under test: how it chunks, weighs and reranks.",
            "Fine-tune the embeddings of the retriever under test, if it has any.",
        ),
    ],
)
def test_advice_fits_the_best_variant(best: str, others: list[str], tune: str, poor: str) -> None:
    for value, said in ((0.7, tune), (0.5, poor), (0.9, "Good enough as it is.")):
        means = {name: {"recall@5": Interval(0.1, None, None, 1, 1)} for name in others}
        means[best] = {"recall@5": Interval(value, None, None, 1, 1)}
        assert decide(Decision(), means)["text"] == said


def test_what_the_settings_say_is_said() -> None:
    decision = Decision(tune_text="Ask Ana.", poor_text="Ask Ben.")
    for value, said in ((0.7, "Ask Ana."), (0.5, "Ask Ben.")):
        means = {"bm25": {"recall@5": Interval(value, None, None, 1, 1)}}
        assert decide(decision, means, {"bm25": {"missing_from_index": 5}})["text"] == said


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            {"missing_from_index": 2, "ranked_low": 2},
            "Index what is missing first: 2 of 4 failures expect chunks that are not in the index.",
        ),
        ({"missing_from_index": 1, "ranked_low": 2}, "Fine-tune the embeddings."),
        ({"missing_from_index": 0, "ranked_low": 0}, "Fine-tune the embeddings."),
    ],
)
def test_what_is_not_in_the_index_comes_before_all_tuning(counts: dict[str, int], said: str) -> None:
    means = {"vector": {"recall@5": Interval(0.5, None, None, 1, 1)}}
    assert decide(Decision(), means, {"vector": counts})["text"] == said


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    return tmp_path


def test_bm25_is_not_told_to_fine_tune_what_it_has_not(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cases(project, q1=["fees-1"], q2=["fees-2"], q3=["float-1"])  # 2 of 5 are right: the others are not about it
    main(["retrieval", "--variants", "bm25", "--k", "1", "--json"])
    summary = json.loads(capsys.readouterr().out)
    assert summary["decision"]["level"] != "good"
    assert "mbeddings" not in summary["decision"]["text"]


PAGES = [
    {"id": "a", "question": "What do lockers cost?", "pages": [{"document": "fees.md", "page": 2}]},
    {"id": "b", "question": "Who countersigns?", "pages": [{"document": "float.md", "page": 1}]},
]
V2 = {
    "questions": [
        {
            "id": case["id"],
            "content": {"question": case["question"]},
            "provenance": {"docs": [case["pages"][0]["document"]], "pages": [case["pages"][0]["page"]]},  # type: ignore[index]
        }
        for case in PAGES
    ]
}


@pytest.mark.parametrize("gold", [PAGES, V2])
def test_a_set_that_names_pages_alone_is_measured_by_page(
    gold: object, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "cases.json").write_text(json.dumps(gold))
    assert main(["retrieval", "--variants", "bm25", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    (gate,) = summary["gates"]
    assert (gate["measure"], gate["value"], gate["passed"]) == ("page_recall@5", 1.0, True)
    assert summary["decision"]["measure"] == "page_recall@5"
    assert summary["warnings"] == [
        "No question names a chunk: retrieval is measured by page, and gates on chunks are read as gates on pages."
    ]
    assert main(["retrieval", "--variants", "bm25", "--pages-only", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []
    assert main(["retrieval", "--variants", "bm25", "--resume", "last", "--quiet"]) == 0


def test_a_set_with_one_chunk_is_measured_by_chunk(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = {"id": "c", "question": "What does a family pay?", "expected_ids": ["fees-1"]}
    (project / "cases.json").write_text(json.dumps([*PAGES, known]))
    assert main(["retrieval", "--variants", "bm25", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["gates"][0]["measure"], summary["warnings"]) == ("recall@5", [])
    assert summary["metrics"]["bm25"]["recall@5"]["n_scored"] == 1


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        (
            [{"id": "a", "question": "Who?", "answer": "He", "sources": ["fees.md"]}],
            "cases.json: no question can be tested: 1 no chunk or page. Find the chunks of quoted answers with",
        ),
        ([{"id": "a", "question": "Who?"}], "cases.json: no question can be tested: 1 no chunk or page\n"),
        ([{"id": "a", "question": "Who?", "answerable": False}], "no question can be tested: 1 unanswerable\n"),
        (
            {"questions": [{"id": "a", "content": {"question": "Who?"}}]},
            "no question can be tested: 1 no chunk id. Find",
        ),
    ],
)
def test_a_set_that_names_neither_is_no_test_of_retrieval(
    gold: object, told: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "cases.json").write_text(json.dumps(gold))
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 2
    assert told in capsys.readouterr().err
    assert not (project / "runs").exists()


def test_a_page_that_is_not_found_is_a_question_to_look_at(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the console, in the report with the page it should have been, and in JUnit."""
    lost = {"id": "lost", "question": "What do lockers cost?", "pages": [{"document": "arbitre.md", "page": 1}]}
    (project / "cases.json").write_text(json.dumps([*PAGES, lost]))
    words = ["retrieval", "--variants", "bm25", "--tolerance", "1", "--quiet", "--junit", "junit.xml"]
    assert main(words) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "n scored / cases: 3 / 3. Pages count within ±1." in shown
    assert "A question is missed when nothing expected is among the first 5." in shown
    assert "✗ lost none What do lockers cost?" in shown
    assert "Expected pages" in (last(project).path / "report.html").read_text()
    assert last(project).results.read()[2]["expected_pages"] == [["arbitre.md", 1]]
    assert "no expected page among the first 5" in Path("junit.xml").read_text()
    assert "Rank of the first expected chunk" not in (last(project).path / "report.md").read_text()


@pytest.mark.parametrize(
    ("scores", "missed"),
    [
        ({"hit@5": 1.0, "page_recall@5": 0.0}, False),
        ({"hit@5": 0.0, "page_recall@5": 1.0}, True),
        ({"hit@5": None, "page_recall@5": 0.5}, False),
        ({"hit@5": None, "page_recall@5": 0.0}, True),
        ({"page_recall@5": 1.0}, False),
        ({"hit@5": None, "page_recall@5": None}, None),
        ({}, None),
    ],
)
def test_missed_by_chunk_or_else_by_page(scores: dict[str, float | None], missed: bool | None) -> None:
    assert is_missed(scores) is missed


def test_an_index_without_pages_is_no_reason_for_zero(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Page recall has no value there; a set of pages alone cannot be measured, and is told so before any search."""
    fields = ("id", "source", "text")
    lines = [json.dumps(dict(zip(fields, (id_, source, text), strict=True))) for id_, source, _, text in CHUNKS]
    Path("bare.jsonl").write_text("\n".join(lines))
    assert main(["index", "bare.jsonl", "--out", "bare.db", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["retrieval", "--index", "bare.db", "--variants", "bm25", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["metrics"]["bm25"]["page_recall@5"]["mean"] is None
    assert summary["metrics"]["bm25"]["recall@5"]["mean"] == 1.0
    assert summary["warnings"] == ["Questions name pages, but the index tells none: page recall is not measured."]
    assert last(project).results.read()[0]["undefined"]["page_recall@5"] == "the index tells no pages"
    (project / "cases.json").write_text(json.dumps(PAGES))
    assert main(["retrieval", "--index", "bare.db", "--variants", "bm25", "--quiet"]) == 2
    assert "bare.db: page recall needs pages, and the index tells none. Index documents" in capsys.readouterr().err
