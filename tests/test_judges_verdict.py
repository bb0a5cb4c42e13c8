"""The verdict rule, acceptance by category, the 2 × 2."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges import Answer, Grades, Judgment, VerdictRule, judged_again, outcomes, verdict_of
from assay.judges.verdict import ACCEPTANCE
from assay.metrics.answers import Behaviour
from assay.stats import Resampling

PLAN = Resampling(seed=0)
RULE = VerdictRule()


def grades(overall: float, correctness: float | None = 5) -> Grades:
    return Grades(
        correctness=correctness, completeness=3, faithfulness=3, relevance=3, clarity=3, overall_score=overall
    )


def answer(answerable: bool = True, category: str | None = None) -> Answer:
    return Answer(case_id="q", question="Who?", text="Me.", answerable=answerable, category=category)


@pytest.mark.parametrize(
    ("overall", "correctness", "expected"),
    [
        (5, 5, "pass"),
        (4, 2.1, "pass"),
        (4 - 1e-12, 5, "pass"),  # noise, not a grade
        (3.99, 5, "partial"),
        (4.5, 2, "partial"),  # never pass when correctness ≤ 2
        (5, 2 + 1e-12, "partial"),
        (5, 1, "partial"),
        (3, 5, "partial"),
        (3, 1, "partial"),
        (2.99, 5, "fail"),
        (1, 1, "fail"),
        (4, None, "pass"),
    ],
)
def test_an_answered_answerable_question(overall: float, correctness: float | None, expected: str) -> None:
    assert verdict_of(answer(), grades(overall, correctness), "answered", RULE) == expected


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [("refused", "fail"), ("asked_back", "fail"), ("corrected", "pass"), ("answered", "pass")],
)
def test_refusing_an_answerable_question_is_a_fail(behaviour: Behaviour, expected: str) -> None:
    assert verdict_of(answer(), grades(5), behaviour, RULE) == expected


TABLE = {
    #                     answered refused asked_back corrected
    "OUT_OF_SCOPE": "      fail pass fail fail",
    "INSUFFICIENT_INFO": " fail pass fail fail",
    "FALSE_PREMISE": "     fail pass fail pass",
    "TEMPORAL_MISMATCH": " fail pass fail pass",
    "AMBIGUOUS": "         fail pass pass fail",
    "COUNTERFACTUAL": "    fail pass fail fail",
    "SOMETHING_ELSE": "    fail pass fail fail",
    None: "                fail pass fail fail",
}


@pytest.mark.parametrize("category", TABLE)
def test_an_unanswerable_question_is_judged_on_abstaining_alone(category: str | None) -> None:
    done: tuple[Behaviour, ...] = ("answered", "refused", "asked_back", "corrected")
    found = [verdict_of(answer(False, category), grades(5), behaviour, RULE) for behaviour in done]
    assert found == TABLE[category].split()
    assert found == [verdict_of(answer(False, category), grades(1, 1), behaviour, RULE) for behaviour in done]


def test_every_category_of_gold_sets_has_its_line() -> None:
    assert set(ACCEPTANCE) == {name for name in TABLE if name not in (None, "SOMETHING_ELSE")}


def test_settings_change_the_verdict_and_the_fingerprint() -> None:
    strict = VerdictRule(pass_at=4.5, partial_at=4, never_pass_at=3, acceptance={}, otherwise=("asked_back",))
    assert verdict_of(answer(), grades(4), "answered", strict) == "partial"
    assert verdict_of(answer(), grades(5, 3), "answered", strict) == "partial"
    assert verdict_of(answer(False, "FALSE_PREMISE"), grades(5), "refused", strict) == "fail"
    assert strict.fingerprint != RULE.fingerprint == VerdictRule().fingerprint
    with pytest.raises(ValueError, match="partial_at must not be more than pass_at"):
        VerdictRule(pass_at=2, partial_at=3)


JUDGMENT = Judgment(
    correctness=5,
    completeness=4,
    faithfulness=None,
    relevance=4,
    clarity=4,
    overall_score=4,
    verdict="pass",
    reason="fine",
    behaviour="answered",
    judge="reference",
    fingerprint="f",
    rule="r",
)


def test_a_stored_judgment_under_another_rule() -> None:
    strict = VerdictRule(pass_at=4.5)
    again = judged_again(JUDGMENT, answer(), strict)
    assert again == msgspec.structs.replace(JUDGMENT, verdict="partial", rule=strict.fingerprint)
    error = Judgment(reason="cut", status="error", judge="m", fingerprint="f", rule="r")
    assert judged_again(error, answer(), strict).verdict is None


@pytest.mark.parametrize(
    "change",
    [{"verdict": None}, {"overall_score": None}, {"behaviour": None}, {"status": "error"}, {"status": "unparsed"}],
)
def test_a_judgment_has_grades_or_says_why_not(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a judgment has grades, or a status that says why not"):
        msgspec.structs.replace(JUDGMENT, **change)


@pytest.mark.parametrize("grade", [0.99, 5.01, 7])
def test_a_grade_lies_from_1_to_5(grade: float) -> None:
    with pytest.raises(ValueError, match="a grade lies from 1 to 5"):
        grades(grade)


def test_the_two_by_two() -> None:
    judged: list[tuple[Answer, Behaviour | None]] = [
        (answer(), "answered"),
        (answer(), "corrected"),
        (answer(), "refused"),
        (answer(), "asked_back"),
        (answer(), None),
        (answer(False, "OUT_OF_SCOPE"), "answered"),
        (answer(False, "OUT_OF_SCOPE"), "corrected"),
        (answer(False, "FALSE_PREMISE"), "corrected"),
        (answer(False, "AMBIGUOUS"), "asked_back"),
        (answer(False), None),
    ]
    found = outcomes(judged, RULE)
    assert (found.answerable_answered, found.answerable_refused, found.answerable_unjudged) == (2, 2, 1)
    assert (found.unanswerable_answered, found.unanswerable_refused, found.unanswerable_unjudged) == (2, 2, 1)
    rate = found.false_refusals(PLAN)
    assert (rate.mean, rate.n_scored, rate.n_cases) == (0.5, 4, 5)
    assert found.false_answers(PLAN).mean == 0.5


def test_rates_without_a_denominator_are_undefined() -> None:
    none = outcomes([], RULE).false_answers(PLAN)
    assert (none.mean, none.n_scored, none.n_cases) == (None, 0, 0)
    unjudged = outcomes([(answer(), None)], RULE).false_refusals(PLAN)
    assert (unjudged.mean, unjudged.n_scored, unjudged.n_cases) == (None, 0, 1)


@given(st.floats(1, 5), st.floats(1, 5), st.floats(1, 5))
def test_a_better_overall_score_is_never_a_worse_verdict(low: float, high: float, correctness: float) -> None:
    order = ["fail", "partial", "pass"]
    low, high = sorted((low, high))
    worse, better = (verdict_of(answer(), grades(score, correctness), "answered", RULE) for score in (low, high))
    assert order.index(worse) <= order.index(better)
