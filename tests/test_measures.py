"""Ranking measures: hand computations, the laws they obey, and trec_eval's own values."""

from __future__ import annotations

import doctest
import math
import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_vectors import BUILT_IN, TREC_EVAL, Qrels, Run, counted, cut, reference

import assay.metrics.ranking
from assay.errors import AssayError
from assay.metrics import (
    MEASURES,
    Measure,
    judge,
    judge_run,
    measure,
    measure_list,
    measure_runs,
    page_ranks,
    page_recall,
    page_recalls,
)
from assay.metrics.ranking.judged import Floats, Judged
from assay.records import PageRef, Score

MODULES = [info.name for info in pkgutil.iter_modules(assay.metrics.ranking.__path__)]

# --- worked examples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODULES)
def test_the_worked_examples_in_the_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(import_module(f"assay.metrics.ranking.{name}")).failed == 0


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_measure_has_a_worked_example(name: str) -> None:
    definition = MEASURES.get(name)
    function = page_recall if definition.function is None else definition.function
    assert ">>>" in (function.__doc__ or "")


RANKED = ["a", "b", "c", "d"]
"""Of a:2, c:1, e:1 relevant and b:0 judged, d unjudged; so the hits are at ranks 1 and 3, and R = 3."""
GRADES = {"a": 2, "b": 0, "c": 1, "e": 1}
IDEAL = 2 / 1 + 1 / math.log2(3) + 1 / math.log2(4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall@1", 1 / 3),
        ("recall@3", 2 / 3),
        ("recall@100", 2 / 3),
        ("recall", 2 / 3),
        ("hit@1", 1.0),
        ("hit", 1.0),
        ("p@1", 1.0),
        ("p@3", 2 / 3),
        ("p@10", 2 / 10),
        ("p_max@2", 1.0),
        ("p_max@10", 3 / 10),
        ("rprec", 2 / 3),
        ("map", (1 / 1 + 2 / 3) / 3),
        ("map@2", (1 / 1) / 3),
        ("mrr", 1.0),
        ("ndcg", (2 / 1 + 1 / 2) / IDEAL),
        ("ndcg@2", 2 / (2 + 1 / math.log2(3))),
        ("bpref", ((1 - 0) + (1 - 1 / 1)) / 3),
        ("err@20", 3 / 16 + (1 / 16) * (13 / 16) / 3),
        ("err", 3 / 16 + (1 / 16) * (13 / 16) / 3),
        ("err@1", 3 / 16),
        ("judged@2", 1.0),
        ("judged@10", 3 / 4),
        ("judged", 3 / 4),
    ],
)
def test_hand_computed(name: str, expected: float) -> None:
    assert measure_list(name, ranked=RANKED, relevant=GRADES) == pytest.approx(expected, abs=1e-12)


def test_five_relevant_and_one_found_first() -> None:
    """nDCG@10 = 1 / (1 + 1/log2 3 + 1/log2 4 + 1/log2 5 + 1/log2 6) = 0.339, AP = 1/5: often got wrong elsewhere."""
    relevant = list("abcde")
    assert measure_list("ndcg@10", ranked=["a"], relevant=relevant) == pytest.approx(0.33916, abs=1e-5)
    assert measure_list("map", ranked=["a"], relevant=relevant) == pytest.approx(0.2)


def test_a_bare_relevant_id_has_grade_1() -> None:
    """ERR: (2¹ − 1) / 2⁴ of an id at rank 1."""
    assert measure_list("err", ranked=["a"], relevant=["a"]) == 1 / 16


def test_the_first_hit_beyond_the_cut_off_does_not_count() -> None:
    assert measure_list("mrr@2", ranked=["x", "y", "a"], relevant=["a"]) == 0.0
    assert measure_list("mrr@3", ranked=["x", "y", "a"], relevant=["a"]) == pytest.approx(1 / 3)


# --- what is undefined -------------------------------------------------------------------------------------------

EFFECTIVENESS = ["recall@5", "hit@5", "p@5", "p_max@5", "rprec", "map", "mrr@5", "ndcg@5", "bpref", "err@20"]


@pytest.mark.parametrize("name", EFFECTIVENESS)
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1}], ids=["none", "grade 0", "grade -1"])
def test_without_anything_relevant_a_measure_is_undefined(name: str, grades: dict[str, int]) -> None:
    judged = judge([["a", "b"], []], [grades, grades])
    assert Measure.parse(name).scores(judged) == [Score(None, "undefined", Measure.parse(name).undefined)] * 2


@pytest.mark.parametrize("name", [name for name in EFFECTIVENESS if not name.startswith("p_max")])
def test_an_empty_ranking_scores_zero(name: str) -> None:
    assert Measure.parse(name).scores(judge([[]], [{"a": 1}])) == [Score(0.0)]


def test_the_judged_share_of_nothing_is_undefined() -> None:
    assert Measure.parse("judged@5").scores(judge([[]], [{"a": 1}])) == [
        Score(None, "undefined", "nothing was retrieved")
    ]


def test_err_is_undefined_off_its_scale() -> None:
    judged = judge([["a"], ["a"]], [{"a": 4}, {"a": 1, "b": 5}])
    first, second = Measure.parse("err@20").scores(judged)
    assert first == Score(15 / 16)
    assert (second.value, second.reason) == (None, "nothing is relevant, or a grade is above 4")


def test_no_query_at_all() -> None:
    judged = judge([], [])
    assert all(Measure.parse(name).scores(judged) == [] for name in EFFECTIVENESS)
    assert measure_runs(["map"], {}, {"q": {"a": 1.0}}) == {}


# --- names -------------------------------------------------------------------------------------------------------

NAMES = ["recall@5", "recall", "mrr@10", "mrr", "ndcg@10", "ndcg", "map", "map@100", "p@5", "p_max@5", "rprec"]
NAMES += ["hit@3", "judged@10", "bpref", "err@20", "page_recall@5"]


@pytest.mark.parametrize("text", NAMES)
def test_a_measure_parses_back_from_its_own_text(text: str) -> None:
    assert str(Measure.parse(text)) == text
    assert Measure.parse(f" {text.upper()} ") == Measure.parse(text)


def test_the_tables_of_names_are_complete() -> None:
    page = (Path(__file__).parent.parent / "docs" / "measures.md").read_text("utf-8")
    assert {Measure.parse(text).name for text in NAMES} == set(BUILT_IN)
    assert [name for name in BUILT_IN if f"| `{name}" not in page] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ndgc@10", "unknown measure 'ndgc'. Did you mean ndcg?"),
        ("recal@5", "unknown measure 'recal'. Did you mean recall"),
        ("zzz", "unknown measure 'zzz'. Known: bpref, err"),
        ("", "unknown measure ''"),
        ("p", "measure 'p' has no cut-off; expected one such as p@10"),
        ("rprec@5", "measure 'rprec@5' has a cut-off; expected rprec alone"),
        ("ndcg@0", "measure 'ndcg@0' has no valid cut-off; expected a number from 1 on, as in ndcg@10"),
        ("ndcg@", "no valid cut-off"),
        ("ndcg@-3", "no valid cut-off"),
        ("ndcg@1_0", "no valid cut-off"),
        ("ndcg@٣", "no valid cut-off"),
        ("ndcg@5@5", "no valid cut-off"),
    ],
)
def test_a_wrong_name_says_what_is_right(text: str, told: str) -> None:
    with pytest.raises(AssayError) as fault:
        Measure.parse(text)
    assert told in str(fault.value)


def test_page_recall_is_not_computed_from_ids() -> None:
    with pytest.raises(AssayError, match="page_recall@5 is not computed from judged ids"):
        Measure.parse("page_recall@5").compute(judge([], []))


def test_a_new_measure_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MEASURES, "_items", dict(MEASURES._items))

    @measure("found")
    def found(judged: Judged, k: int | None) -> Floats:
        return judged.hits(k).astype(np.float64)

    assert measure_list("found@2", ranked=RANKED, relevant=GRADES) == 1.0
    assert found(judge([RANKED], [GRADES]), None).tolist() == [2.0]


# --- what goes in ------------------------------------------------------------------------------------------------


def test_an_id_may_stand_only_once_in_a_ranking() -> None:
    with pytest.raises(AssayError, match="'b' stands twice in ranking 2; expected each id at most once"):
        judge([["a"], ["a", "b", "b"]], [{}, {}])


@pytest.mark.parametrize("level", [0, -1])
def test_the_relevance_level_begins_at_one(level: int) -> None:
    with pytest.raises(AssayError, match=f"relevance level {level}; expected a grade from 1 on"):
        judge([], [], level=level)


def test_a_score_must_be_a_number() -> None:
    with pytest.raises(AssayError, match="a score of the run is NaN"):
        measure_runs(["map"], {"q": {"a": 1}}, {"q": {"a": math.nan}})


def test_scores_may_be_infinite_or_too_large_for_single_precision() -> None:
    run = {"q": {"a": 1e300, "b": math.inf, "c": 1.0, "d": -1e300}}
    assert measure_runs(["mrr"], {"q": {"a": 1}}, run) == {"q": {"mrr": 1 / 2}}, "b and a tie; b is the greater id"
    assert measure_runs(["mrr"], {"q": {"d": 1}}, run) == {"q": {"mrr": 1 / 4}}


def test_minus_zero_ties_with_zero() -> None:
    assert measure_runs(["mrr"], {"q": {"a": 1}}, {"q": {"a": 0.0, "b": -0.0}}) == {"q": {"mrr": 1 / 2}}


def test_a_query_missing_in_the_run_scores_zero_and_one_missing_in_the_qrels_is_left_out() -> None:
    assert measure_runs(["map"], {"q1": {"a": 1}}, {"q2": {"a": 1.0}}) == {"q1": {"map": 0.0}}


# --- against trec_eval -------------------------------------------------------------------------------------------

DOCUMENTS = [f"d{number}" for number in range(12)]
GRADE = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
COARSE = st.integers(-4, 4).map(lambda number: number / 2)
FINE = st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e30, max_value=1e30)
NEAR = st.integers(0, 30).map(lambda number: 1e9 + number)
"""So near to each other that most are the same in single precision."""
JUDGEMENTS = st.dictionaries(st.sampled_from(DOCUMENTS), GRADE, min_size=1)
QRELS = st.dictionaries(st.sampled_from("ABCD"), JUDGEMENTS, min_size=1)
SCORES = st.sampled_from([COARSE, FINE, NEAR, st.just(1.0)])
RUNS: st.SearchStrategy[Run] = SCORES.flatmap(
    lambda scores: st.dictionaries(
        st.sampled_from("ABCDE"), st.dictionaries(st.sampled_from(DOCUMENTS), scores, min_size=1)
    )
)


def has_judgements(grades: dict[str, int]) -> bool:
    """Where every grade is negative, trec_eval reads memory it has not set."""
    return max(grades.values()) >= 0


@given(QRELS, RUNS, st.integers(1, 3))
def test_equal_to_trec_eval(qrels: Qrels, run: Run, level: int) -> None:
    qrels = {query: grades for query, grades in qrels.items() if has_judgements(grades)}
    ours = measure_runs([*TREC_EVAL, "mrr@3"], qrels, run, level=level)
    theirs = reference(qrels, run, TREC_EVAL, level)
    theirs["mrr@3"] = reference(qrels, cut(run, 3), {"mrr@3": "recip_rank"}, level)["mrr@3"]
    for name, values in theirs.items():
        for query, value in values.items():
            assert ours[query][name] == (None if value is None else pytest.approx(value, abs=1e-9)), (name, query)


@given(QRELS, RUNS)
def test_equal_to_what_is_counted(qrels: Qrels, run: Run) -> None:
    expected = counted(qrels, run)
    ours = measure_runs(expected, qrels, run)
    for name, values in expected.items():
        for query, value in values.items():
            assert ours[query][name] == (None if value is None else pytest.approx(value, abs=1e-9)), (name, query)


# --- laws --------------------------------------------------------------------------------------------------------

ALL = [name for name in NAMES if not name.startswith("page")]


@given(QRELS, RUNS)
def test_every_value_is_from_0_to_1_and_the_order_of_the_input_does_not_matter(qrels: Qrels, run: Run) -> None:
    values = measure_runs(ALL, qrels, run)
    assert all(0 <= value <= 1 for row in values.values() for value in row.values() if value is not None)
    backwards = {query: dict(reversed(scores.items())) for query, scores in reversed(run.items())}
    turned = {query: dict(reversed(grades.items())) for query, grades in reversed(qrels.items())}
    assert measure_runs(ALL, turned, backwards) == values


@given(QRELS)
def test_the_ideal_ranking_is_perfect(qrels: Qrels) -> None:
    ideal = {query: {document: float(grade) for document, grade in grades.items()} for query, grades in qrels.items()}
    for row in measure_runs(["ndcg", "ndcg@3", "map", "rprec", "bpref", "recall"], qrels, ideal).values():
        assert all(value is None or value == pytest.approx(1) for value in row.values())


@given(QRELS, RUNS)
def test_precision_is_never_above_what_is_reachable(qrels: Qrels, run: Run) -> None:
    for row in measure_runs(["p@3", "p_max@3"], qrels, run).values():
        assert (row["p@3"] is None) == (row["p_max@3"] is None)
        assert row["p@3"] is None or row["p_max@3"] is None or row["p@3"] <= row["p_max@3"]


@given(QRELS, RUNS)
def test_rankings_in_order_and_scored_runs_are_the_same(qrels: Qrels, run: Run) -> None:
    """`judge` takes an order as it is; `judge_run` makes it."""
    ordered = cut(run, 100)
    rankings = [list(ordered.get(query, {})) for query in qrels]
    one, other = judge(rankings, list(qrels.values())), judge_run(qrels, run)
    for name in ALL:
        values = Measure.parse(name).compute(one)
        np.testing.assert_array_equal(values, Measure.parse(name).compute(other))


# --- pages -------------------------------------------------------------------------------------------------------

A10, A40, B10 = PageRef("a.pdf", 10), PageRef("a.pdf", 40), PageRef("b.pdf", 10)


@pytest.mark.parametrize(
    ("found", "expected", "ranks"),
    [
        ([("a.pdf", 12)], [A10], [1]),
        ([("a.pdf", 8)], [A10], [1]),
        ([("a.pdf", 13)], [A10], [None]),
        ([("a.pdf", 7)], [A10], [None]),
        ([("a.pdf", None), ("a.pdf", 10)], [A10], [2]),
        ([("b.pdf", 10)], [A10], [None]),
        ([("b.pdf", 10), ("a.pdf", 41)], [A10, A40], [None, 2]),
        ([("a.pdf", 10), ("a.pdf", 11)], [A10, A10], [1]),
        ([("a.pdf", 10), ("b.pdf", 11)], [B10, A10], [1, 2]),
        ([], [A10], [None]),
        ([("a.pdf", 10)], [], []),
    ],
    ids=["+2", "-2", "+3", "-3", "no page", "other document", "two pages", "twice expected", "two documents", "none",
         "nothing expected"],
)  # fmt: skip
def test_the_rank_that_covers_a_page(
    found: list[tuple[str, int | None]], expected: list[PageRef], ranks: list[int | None]
) -> None:
    assert page_ranks(found, expected, tolerance=2) == ranks


@pytest.mark.parametrize(
    ("first", "last", "covered"),
    [(8, 12, True), (10, 10, True), (5, 8, True), (5, 7, False), (12, 19, True), (13, 19, False), (None, None, False)],
    ids=["across", "itself", "ends 2 before", "ends 3 before", "begins 2 after", "begins 3 after", "no page"],
)
def test_a_chunk_covers_every_page_it_goes_over(first: int | None, last: int | None, covered: bool) -> None:
    """The tolerance of 2 counts from the nearest page that is covered, not from the first."""
    assert page_ranks([("a.pdf", first, last)], [A10], tolerance=2) == [1 if covered else None]


def test_the_looser_form_takes_the_page_of_any_document() -> None:
    assert page_ranks([("b.pdf", 10)], [A10], same_document=False) == [1]


def test_tolerance_zero_is_the_page_itself() -> None:
    assert page_ranks([("a.pdf", 11), ("a.pdf", 10)], [A10], tolerance=0) == [2]


def test_page_recall_at_several_cut_offs() -> None:
    """Covered at ranks 2 and 5, one never: 0, 1/3, 2/3."""
    assert [page_recall([2, None, 5], k) for k in (1, 2, 5, 10)] == [0, 1 / 3, 2 / 3, 2 / 3]
    assert page_recall([], 5) is None


@given(st.lists(st.lists(st.none() | st.integers(1, 9), max_size=4), max_size=6), st.integers(1, 10))
def test_page_recall_of_many_questions_is_that_of_each(ranks: list[list[int | None]], k: int) -> None:
    together = [None if np.isnan(value) else value for value in page_recalls(ranks, k).tolist()]
    assert together == [page_recall(each, k) for each in ranks]


def test_nothing_is_looked_at_behind_the_last_expected_page() -> None:
    found = iter([("a.pdf", 9), ("b.pdf", 1), ("a.pdf", 40), ("a.pdf", 10)])
    assert page_ranks(found, [PageRef("a.pdf", 40), A10], tolerance=2) == [1, 3]
    assert list(found) == [("a.pdf", 10)]
