"""Differences between runs: paired, corrected, told from noise."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from assay.compare import Figure, Rules, compare, compare_variants, threshold_of
from assay.config import Comparison as Thresholds
from assay.config import Statistics
from assay.errors import AssayError
from assay.report.comparison import comparison_report, headline
from assay.report.markdown import to_markdown
from assay.runs.scored import Scored, wording_of

Scores = dict[str, dict[str, dict[str, float | None]]]


def scored(
    scores: Scores, *, label: str = "run", identity: dict[str, str] | None = None, kind: str = "retrieval"
) -> Scored:
    cases = {case for measures in scores.values() for values in measures.values() for case in values}
    tags = {case: {"source": case[:1]} for case in sorted(cases)}
    return Scored(label=label, kind=kind, identity=identity or {}, scores=scores, tags=tags)


def zeros_and_ones(ones: int, total: int) -> dict[str, float | None]:
    return {f"q{number:03d}": 1.0 if number < ones else 0.0 for number in range(total)}


def one(
    before: dict[str, float | None], now: dict[str, float | None], measure: str = "recall@5"
) -> tuple[Scored, Scored]:
    return scored({"bm25": {measure: before}}, label="old"), scored({"bm25": {measure: now}}, label="new")


def test_what_is_equal_but_for_the_last_bits_did_not_change() -> None:
    assert Figure(name="cost_per_question_usd", before=0.1 + 0.2, now=0.3).delta == 0
    assert Figure(name="cost_per_question_usd", before=0.0001, now=0.00010001).delta == pytest.approx(1e-8)


def worded(label: str, *cases: tuple[str, str, float]) -> Scored:
    """Cases as (id, question, value)."""
    values: dict[str, float | None] = {id_: value for id_, _, value in cases}
    wordings = {id_: wording_of(question) for id_, question, _ in cases if question}
    return replace(scored({"bm25": {"hit@5": values}}, label=label), wordings=wordings)


def test_questions_with_other_ids_are_found_by_their_wording() -> None:
    """Spelling counts, case and punctuation do not; what stands twice is nobody's."""
    before = worded("old", ("a", "Who signs?", 1), ("b", "When?", 0), ("c", "Twice", 1), ("d", "Twice", 1))
    now = worded("new", ("x", "who  signs", 0), ("b", "When?", 1), ("c9", "Twice", 1), ("e", "Where?", 1))
    found = compare(before, now, Rules())
    assert (found.common, found.only_before, found.only_now) == (2, 2, 2)
    assert [(flip.case_id, flip.was, flip.before, flip.now) for flip in found.flips] == [
        ("b", "", 0, 1),
        ("x", "a", 1, 0),
    ]
    assert "ids of 1 differ from before: these were found by their wording" in found.warnings


def test_an_id_that_another_question_has_now_is_not_taken_for_it() -> None:
    """q1 and q2 have changed places; q3 is gone and its id is that of the former q4; q5 was only edited."""
    before = worded("old", ("q1", "A?", 1), ("q2", "B?", 0), ("q3", "C?", 0), ("q4", "D?", 1), ("q5", "E?", 1))
    now = worded("new", ("q1", "B?", 0), ("q2", "A?", 1), ("q3", "D?", 1), ("q5", "E, or F?", 0))
    found = compare(before, now, Rules())
    assert (found.common, found.only_before, found.only_now) == (4, 1, 0)
    assert [flip.case_id for flip in found.flips] == ["q5"]
    assert found.warnings[-2:] == (
        "ids of 3 differ from before: these were found by their wording",
        "the wording of 1 differs from before: these were paired by their id",
    )


def test_where_no_wording_is_known_ids_alone_count() -> None:
    found = compare(worded("old", ("q1", "", 1)), worded("new", ("q1", "A?", 1)), Rules())
    assert (found.common, found.warnings) == (1, ())


def test_a_regression_is_beyond_chance_and_beyond_the_threshold() -> None:
    # 10 of 100 questions are lost, none gained: exact McNemar p = 2 * 0.5^10 = 0.001953125.
    (row,) = compare(*one(zeros_and_ones(80, 100), zeros_and_ones(70, 100)), Rules()).rows
    assert (row.before, row.now) == (0.8, 0.7)
    assert row.delta == pytest.approx(-0.1)
    assert row.p == pytest.approx(0.001953125)
    assert (row.verdict, row.flagged, row.regression) == ("worse", True, True)
    assert row.low is not None
    assert row.high is not None
    assert row.low < -0.1 < row.high < 0


def test_noise_is_no_regression() -> None:
    # 2 of 100 lost: p = 2 * 0.5^2 = 0.5, though the difference is twice the threshold.
    result = compare(*one(zeros_and_ones(80, 100), zeros_and_ones(78, 100)), Rules())
    (row,) = result.rows
    assert row.p == pytest.approx(0.5)
    assert (row.verdict, row.flagged, row.regression) == ("no evidence either way", True, False)
    assert row.detectable is not None
    assert row.detectable > 0.02
    assert headline(result) == "no regression; beyond its threshold but not beyond chance: recall@5."


def test_a_real_difference_below_the_threshold_is_no_regression() -> None:
    rules = Rules(thresholds=Thresholds(thresholds={"recall": 0.2}))
    result = compare(*one(zeros_and_ones(80, 100), zeros_and_ones(70, 100)), rules)
    assert result.rows[0].verdict == "worse"
    assert not result.regressions
    assert headline(result).startswith("worse, but by less than matters")


def test_what_has_no_score_is_not_called_the_same() -> None:
    unscored: dict[str, float | None] = dict.fromkeys(zeros_and_ones(80, 100))
    result = compare(*one(zeros_and_ones(80, 100), unscored), Rules())
    assert headline(result) == "nothing to compare, no question has a score in both."


def test_better_is_said() -> None:
    result = compare(*one(zeros_and_ones(70, 100), zeros_and_ones(80, 100)), Rules())
    assert result.rows[0].verdict == "better"
    assert headline(result) == "better: recall@5."


def test_measures_that_are_multiples_of_each_other_are_one_test() -> None:
    # p@5 is recall@5 / 5 for every question here; mrr@10 differs. Two hypotheses: p of recall is doubled, not tripled.
    before, now = zeros_and_ones(80, 100), zeros_and_ones(70, 100)
    fifth: dict[str, float | None] = {case: value / 5 for case, value in before.items() if value is not None}
    fifth_now: dict[str, float | None] = {case: value / 5 for case, value in now.items() if value is not None}
    unchanged = next(case for case in before if before[case] == now[case] == 1)
    fifth_now[unchanged] = math.nextafter(0.2, 0)  # float noise below 0 is as little a difference as above it
    half: dict[str, float | None] = dict.fromkeys(before, 0.5)
    old = scored({"bm25": {"recall@5": before, "p@5": fifth, "mrr@10": half}})
    new = scored({"bm25": {"recall@5": now, "p@5": fifth_now, "mrr@10": half}})
    rows = {row.measure: row for row in compare(old, new, Rules()).rows}
    assert rows["recall@5"].p == rows["p@5"].p == pytest.approx(2 * 0.001953125)
    assert rows["mrr@10"].p == 1.0


def test_only_questions_scored_on_both_sides_are_paired() -> None:
    before: dict[str, float | None] = {"a": 1.0, "b": None, "c": 0.0, "only": 1.0}
    now: dict[str, float | None] = {"a": 0.0, "b": 1.0, "c": 0.0, "new": 1.0}
    result = compare(*one(before, now), Rules())
    (row,) = result.rows
    assert (row.pairs, row.before, row.now) == (2, 0.5, 0.0)
    assert (result.common, result.only_before, result.only_now) == (3, 1, 1)
    assert result.warnings == ("questions in only one of the two, left out: 2",)


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(AssayError, match="no question in common"):
        compare(*one({"a": 1.0}, {"b": 1.0}), Rules())


def test_a_measure_of_one_side_is_not_available_and_not_zero() -> None:
    old, new = scored({"x": {"mrr": {"a": 0.5}}}), scored({"x": {"ndcg": {"a": 1.0}}})
    rows = {row.measure: row for row in compare(old, new, Rules()).rows}
    assert (rows["mrr"].before, rows["mrr"].now, rows["mrr"].delta, rows["mrr"].p) == (0.5, None, None, None)
    assert (rows["ndcg"].before, rows["ndcg"].now) == (None, 1.0)
    assert rows["ndcg"].verdict == "no evidence either way"


def test_only_a_measure_the_settings_name_can_be_a_regression() -> None:
    (row,) = compare(*one(zeros_and_ones(80, 100), zeros_and_ones(70, 100), "ndcg@10"), Rules()).rows
    assert (row.flagged, row.verdict, row.regression) == (True, "worse", False)


def test_the_same_run_twice_differs_in_nothing() -> None:
    values = zeros_and_ones(5, 9)
    result = compare(*one(values, values), Rules())
    assert result.rows[0].delta == 0
    assert result.rows[0].p == 1.0
    assert result.flips == ()


def test_what_differs_besides_is_said_first() -> None:
    old = scored({"bm25": {"recall@5": {"a": 1.0}}, "x": {}}, identity={"gold": "1", "index": "1"})
    new = scored({"bm25": {"recall@5": {"a": 1.0}}}, identity={"gold": "2", "index": "1"})
    assert compare(old, new, Rules()).warnings == ("the gold sets differ", "only in one of the two: x")


def test_two_lone_variants_are_compared_whatever_their_names() -> None:
    old, new = scored({"bm25": {"recall@5": {"a": 1.0}}}), scored({"vector": {"recall@5": {"a": 0.0}}})
    (row,) = compare(old, new, Rules()).rows
    assert (row.variant, row.delta) == ("bm25 → vector", -1.0)


def test_no_variant_in_common_is_an_error() -> None:
    measured: dict[str, dict[str, float | None]] = {"recall@5": {"q": 1.0}}
    old, new = scored({"a": measured, "b": measured}), scored({"c": measured})
    with pytest.raises(AssayError, match="no variant in common"):
        compare(old, new, Rules())
    with pytest.raises(AssayError, match="nothing to compare"):
        compare(old, scored({"a": {}}, kind="rag"), Rules())


def test_flips_go_both_ways() -> None:
    before: dict[str, float | None] = {"a": 1.0, "b": 0.0, "c": 1.0}
    now: dict[str, float | None] = {"a": 0.0, "b": 1.0, "c": 1.0}
    result = compare(*one(before, now, "hit@5"), Rules())
    assert [(flip.case_id, flip.before, flip.now) for flip in result.flips] == [("a", 1.0, 0.0), ("b", 0.0, 1.0)]
    text = to_markdown(comparison_report(result))
    assert "hit@5 changed for 2 questions: 1 gained, 1 lost" in text.replace("\\", "")


def test_clusters_make_the_test_more_careful() -> None:
    before, now = zeros_and_ones(80, 100), zeros_and_ones(70, 100)
    alone = compare(*one(before, now), Rules()).rows[0]
    clustered = compare(*one(before, now), Rules(statistics=Statistics(cluster="source"))).rows[0]
    # Every question is of document "q": one cluster, which can be flipped or not. p = 1.
    assert alone.p is not None
    assert clustered.p == 1.0 > alone.p


def test_variants_of_one_run() -> None:
    run = scored({"bm25": {"recall@5": zeros_and_ones(5, 10)}, "vector": {"recall@5": zeros_and_ones(6, 10)}})
    (result,) = compare_variants(run, ["bm25", "vector"], Rules())
    assert (result.before, result.now) == ("bm25", "vector")
    assert result.rows[0].delta == pytest.approx(0.1)


def test_thresholds_by_measure_then_family_then_default() -> None:
    thresholds = Thresholds(thresholds={"recall": 0.01, "recall@5": 0.03}, default_threshold=0.5)
    names = ("recall@5", "recall@1", "ndcg@10")
    assert [threshold_of(name, thresholds) for name in names] == [0.03, 0.01, None]
    assert threshold_of("recall_at_50", Thresholds()) == 0.01


def test_a_difference_at_the_threshold_counts_despite_float_noise() -> None:
    # 0.87 - 0.85 is 0.020000000000000018 and 0.82 - 0.80 is 0.019999999999999907.
    for before, now in ((85, 87), (80, 82)):
        rules = Rules(thresholds=Thresholds(thresholds={"recall": 0.02}))
        assert compare(*one(zeros_and_ones(before, 100), zeros_and_ones(now, 100)), rules).rows[0].flagged
