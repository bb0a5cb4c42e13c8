"""Diagnosis, health of the gold set, summary, sampling: the parts of a retrieval evaluation, one by one."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import Config, Decision, Gate, RetrievalOptions
from assay.corpus.documents import Documents, same_document
from assay.corpus.index import Index
from assay.metrics import Measure
from assay.records import Case, Chunk, Interval, PageRef
from assay.retrieval.diagnosis import Evidence, diagnose, is_failure
from assay.retrieval.health import examine, relocate
from assay.retrieval.rules import rules_of
from assay.retrieval.scoring import depth_of, measures_of
from assay.retrieval.summary import Table, best_variant, decide, judge_gate, rank_histogram, verdicts
from assay.retrieval.system import first_rank
from assay.sampling import stratified


def chunk(
    id_: str, source: str = "a.pdf", page: int | None = 1, parent: str | None = None, text: str = "text"
) -> Chunk:
    return Chunk(id=id_, text=text, source=source, page=page, metadata={"parent": parent} if parent else {})


def evidence(**changes: Any) -> Evidence:
    defaults: dict[str, Any] = {
        "case": Case(id="q", question="?", expected={"want": 1}),
        "expected": [chunk("want", page=9)],
        "retrieved": [chunk("other", source="b.pdf")],
        "retrieved_ids": [],
        "rank": None,
        "shared_words": frozenset({"word"}),
        "similarity": None,
    }
    given = defaults | changes
    given["retrieved_ids"] = given["retrieved_ids"] or [found.id for found in given["retrieved"]]
    return Evidence(**given)


@pytest.mark.parametrize(
    ("changes", "diagnosis"),
    [
        ({"expected": []}, "missing_from_index"),
        ({"shared_words": frozenset()}, "vocabulary_gap"),
        ({"retrieved": [chunk("s", page=9)]}, "sibling_chunk"),
        (
            {"retrieved": [chunk("s", page=8, parent="P")], "expected": [chunk("want", page=9, parent="P")]},
            "sibling_chunk",
        ),
        ({"retrieved": [chunk("s", source="b.pdf", page=9)]}, "wrong_document"),  # page 9 of another document
        ({"rank": 6}, "ranked_low"),
        ({"rank": 20}, "ranked_low"),
        ({"rank": 21}, "wrong_document"),
        ({"retrieved": [chunk("s", page=2)]}, "same_document_wrong_page"),
        ({"retrieved": [chunk("s", page=None)], "expected": [chunk("want", page=None)]}, "same_document_wrong_page"),
        ({"retrieved": []}, "wrong_document"),
    ],
)
def test_diagnosis(changes: dict[str, Any], diagnosis: str) -> None:
    assert diagnose(evidence(**changes)) == diagnosis


def test_a_failure_is_none_in_the_first_five_and_undefined_is_none() -> None:
    assert [is_failure({"hit@5": value}) for value in (0.0, 1.0, None)] == [True, False, False]
    assert not is_failure({})


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("guide.pdf", "docs/Guide.pdf", True),
        ("docs\\guide.pdf", "docs/guide.pdf", True),
        ("a/readme.md", "b/readme.md", False),
        ("guide.pdf", "the-guide.pdf", False),
        ("", "guide.pdf", False),
        ("e\u0301t\u00e9.md", "\u00e9t\u00e9.md", True),
    ],
)
def test_same_document(a: str, b: str, same: bool) -> None:
    assert same_document(a, b) is same
    assert same_document(b, a) is same


def test_a_name_that_could_be_two_documents_is_none() -> None:
    documents = Documents(["a/readme.md", "b/readme.md", "c.pdf"])
    names = ("readme.md", "a/readme.md", "C.pdf", "d.pdf", "")
    assert [documents.find(name) for name in names] == [None, "a/readme.md", "c.pdf", None, None]


def make_index(path: Path, texts: dict[str, tuple[str, str]]) -> Index:
    """id → (source, text), in the schema of the spec."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT)")
        columns = (
            "id TEXT PRIMARY KEY, text TEXT, source TEXT, page INTEGER, tokens INTEGER, metadata TEXT, embedding BLOB"
        )
        connection.execute(f"CREATE TABLE chunks ({columns})")
        for id_, (source, text) in texts.items():
            connection.execute("INSERT INTO chunks VALUES (?, ?, ?, 1, 1, '{}', NULL)", (id_, text, source))
    connection.close()
    return Index.open(path)


def everything(index: Index) -> Any:
    def search(texts: Sequence[str]) -> list[Sequence[str]]:
        return [index.ids for _ in texts]

    return search


def test_health_follows_the_quoted_answer(tmp_path: Path) -> None:
    texts = {
        "new-1": ("a.pdf", "The float plan is  COUNTERSIGNED by the duty officer."),
        "new-2": ("b.pdf", "Boats come back before the sun goes down. Boats come back early."),
        "new-3": ("c.pdf", "Nobody sails when boats come back before the storm."),
    }
    index = make_index(tmp_path / "new.db", texts)

    def case(id_: str, answer: str | None, document: str = "x.pdf") -> Case:
        return Case(id=id_, question="?", expected={f"old-{id_}": 1}, answer=answer, pages=(PageRef(document, 1),))

    cases = [
        case("moved", "countersigned by the duty officer"),
        case("twice", "boats come back before the"),
        case("home", "boats come back before the", document="c.pdf"),
        case("short", "duty officer"),
        case("part", "boats come back bef"),
        case("gone", "never written down anywhere"),
        case("silent", None),
        Case(id="there", question="?", expected={"new-1": 1}),
    ]
    health = examine(cases, index, everything(index))
    assert {moved.case_id: (moved.state, moved.candidates) for moved in health.moved} == {
        "moved": ("relocated", ("new-1",)),
        "twice": ("ambiguous", ("new-2", "new-3")),
        "home": ("relocated", ("new-3",)),
        "short": ("missing", ()),
        "part": ("missing", ()),  # the beginning of a word is not the word
        "gone": ("missing", ()),
        "silent": ("missing", ()),
    }
    assert (health.expected, health.present) == (8, 1)
    assert health.unknown_documents == ("x.pdf",)
    again = {case.id: case.expected for case in relocate(cases, health)}
    assert again["moved"] == {"new-1": 1}
    assert again["gone"] == {"old-gone": 1}


def test_health_follows_the_text_of_the_old_index(tmp_path: Path) -> None:
    old = make_index(tmp_path / "old.db", {"old-1": ("a.pdf", "A text that\nstayed as it was.")})
    index = make_index(tmp_path / "new.db", {"new-1": ("a.pdf", "A text that stayed as it was.")})
    (moved,) = examine([Case(id="q", question="?", expected={"old-1": 1})], index, everything(index), old).moved
    assert (moved.state, moved.candidates, moved.how) == ("relocated", ("new-1",), "same text")


def interval(mean: float | None) -> Interval:
    return Interval(mean, None, None, 0 if mean is None else 1, 1)


@pytest.mark.parametrize(
    ("value", "passed", "level"),
    [
        (0.80, True, "good"),
        (0.7999, False, "tune"),
        (0.60, False, "tune"),
        (0.5999, False, "poor"),
        (None, False, "undecided"),
    ],
)
def test_gate_and_decision_at_their_limits(value: float | None, passed: bool, level: str) -> None:
    means = {"bm25": {"recall@5": interval(0.1)}, "hybrid": {"recall@5": interval(value)}}
    if value is None:
        means = {"hybrid": {"recall@5": interval(None)}}
    gate = judge_gate(Gate(measure="recall@5", at_least=0.80), means)
    assert gate["passed"] is passed
    assert gate["variant"] == (None if value is None else "hybrid")
    assert decide(Decision(), means)["level"] == level


def test_a_mean_at_the_limit_passes_despite_float_noise() -> None:
    means = {"bm25": {"recall@5": interval(0.7999999999999999)}}  # what 0.1 + 0.7 gives
    assert judge_gate(Gate(measure="recall@5", at_least=0.80), means)["passed"]


def test_rules_on_chunks_are_read_as_rules_on_pages() -> None:
    means = {"bm25": {"page_recall@5": interval(0.9)}}
    gates, decision = verdicts(rules_of(RetrievalOptions(), pages_only=True), means)
    assert (gates[0]["measure"], gates[0]["passed"], decision["level"]) == ("page_recall@5", True, "good")


def test_the_first_of_equal_variants_is_best() -> None:
    assert best_variant({"a": {"m": interval(0.5)}, "b": {"m": interval(0.5)}}, "m") == "a"
    assert best_variant({"a": {}}, "m") is None


def test_rank_histogram_has_a_place_for_every_rank() -> None:
    counts = rank_histogram([1, 2, 3, 4, 5, 6, 10, 11, 20, 21, 50, 51, 100, 101, 999, None])
    assert counts == {
        "1": 1, "2–3": 2, "4–5": 2, "6–10": 2, "11–20": 2, "21–50": 2, "51–100": 2, ">100": 2, "not found": 1,
    }  # fmt: skip


def measures(options: RetrievalOptions, **known: bool) -> list[str]:
    rules = rules_of(options, pages_only=known.get("pages_only", False))
    return [str(measure) for measure in measures_of(options, rules, **known)]


def test_measures_and_how_deep_they_look() -> None:
    names = measures(RetrievalOptions(k=(5, 1), measures=("ndcg@5", "recall@100")))
    assert names[:2] == ["recall@1", "recall@5"]
    assert names.count("ndcg@5") == 1
    assert names[-1] == "recall@100"
    assert depth_of(map(Measure.parse, measures(RetrievalOptions()))) == 10
    assert depth_of(map(Measure.parse, measures(RetrievalOptions(measures=("rprec",))))) == 1000
    assert measures(RetrievalOptions(k=(5,)), pages_only=True, chunks=False) == ["page_recall@5"]


def test_what_rules_and_diagnosis_need_is_measured_whatever_k_is() -> None:
    options = RetrievalOptions(
        k=(1, 10), gates=(Gate(measure="NDCG@7", at_least=0.5),), decision=Decision(measure="recall@3")
    )
    names = measures(options)
    assert {"ndcg@7", "recall@3", "hit@5"} <= set(names)
    assert names[:3] == ["recall@1", "recall@3", "recall@10"]  # cut-offs ascending, for tables and curves
    assert measures(RetrievalOptions(k=(1,)), pages_only=True, chunks=False) == ["page_recall@1", "page_recall@5"]
    assert measures(RetrievalOptions(k=(1,)), pages_only=True, chunks=True)[-1] == "hit@5"
    assert rules_of(options).gates[0].measure == "ndcg@7"


def test_first_rank() -> None:
    assert first_rank(["x", "b", "a"], ["a", "b"]) == 2
    assert first_rank(["x"], ["a"]) is None
    assert first_rank([], []) is None


def test_segments_hold_every_case_and_unknown_is_one_of_them() -> None:
    cases = [
        Case(id="a", question="?", tags={"kind": "x"}),
        Case(id="b", question="?", tags={"kind": "y"}),
        Case(id="c", question="?"),
    ]
    rows = [
        {"variant": "v", "case_id": "a", "status": "ok", "scores": {"m": 1.0}},
        {"variant": "v", "case_id": "b", "status": "ok", "scores": {"m": None}},
        {"variant": "v", "case_id": "c", "status": "error", "scores": {}},
    ]
    table = Table(rows, cases, ["v"], ["m"])
    whole = table.means(Config())["v"]["m"]
    assert (whole.mean, whole.n_scored, whole.n_cases) == (1.0, 1, 3)
    segments = table.segments(Config())["kind"]
    assert {name: segment["n"] for name, segment in segments.items()} == {"x": 1, "y": 1, "unknown": 1}
    assert segments["y"]["metrics"]["v"]["m"].mean is None


@given(st.integers(1, 40), st.integers(0, 5), st.lists(st.sampled_from("ab"), min_size=1, max_size=40))
def test_a_sample_is_stratified_exact_and_repeatable(n: int, seed: int, kinds: list[str]) -> None:
    cases = [Case(id=f"{number:02d}", question="?", tags={"difficulty": kind}) for number, kind in enumerate(kinds)]
    chosen = stratified(cases, n, seed)
    assert len(chosen) == min(n, len(cases))
    assert chosen == stratified(cases, n, seed)
    assert [case.id for case in chosen] == sorted(case.id for case in chosen)
    share = min(n, len(cases)) / len(cases)
    for kind, count in Counter(kinds).items():
        got = sum(case.tags["difficulty"] == kind for case in chosen)
        assert abs(got - share * count) < 1
