"""How far a judge can be trusted, from labels to a report."""

from __future__ import annotations

import json
import random

import msgspec
import pytest

from assay.judges import VerdictRule
from assay.judges.judgment import Verdict
from assay.judges.labels import Label, Marks
from assay.judges.trust import TrustReport, check, may_gate
from assay.stats import Resampling

PLAN = Resampling(seed=0, resamples=300)
ORDER: tuple[Verdict, ...] = ("fail", "partial", "pass")


def label(case_id: str, human: str | None, judge: str | None, **more: object) -> Label:
    return msgspec.convert(
        {
            "case_id": case_id,
            "human": None if human is None else {"verdict": human},
            "judge": None if judge is None else {"verdict": judge},
            **more,
        },
        Label,
    )


HUMAN = ["pass"] * 10 + ["partial"] * 6 + ["fail"] * 4
JUDGE = ["pass"] * 8 + ["partial"] * 2 + ["pass"] * 2 + ["partial"] * 4 + ["fail"] * 3 + ["partial"]
TWENTY = [label(f"q{n:02}", h, j) for n, (h, j) in enumerate(zip(HUMAN, JUDGE, strict=True))]


def test_labels_of_questions_nobody_judged_are_told() -> None:
    report = check([*TWENTY, label("x2", "pass", None), label("x1", "fail", None)], PLAN)
    assert "2 labelled questions were not judged, such as 'x1'" in report.warnings[0]
    assert (report.n_labelled, report.n_both) == (22, 20)


def test_verdicts_by_hand() -> None:
    """15 of 20 equal; by chance (10·10 + 6·7 + 4·3)/400 = 0.385: kappa (0.75 − 0.385) / 0.615."""
    report = check(TWENTY, PLAN)
    assert report.verdicts.accuracy.value == 0.75
    assert report.verdicts.kappa.value == pytest.approx(0.365 / 0.615)
    assert report.confusion == [[3, 1, 0], [0, 4, 2], [0, 2, 8]]
    assert (report.n_cases, report.n_labelled, report.n_judged, report.n_both) == (20, 20, 20, 20)
    for name in type(report.verdicts).__struct_fields__:
        found = getattr(report.verdicts, name)
        assert found.low < found.value < found.high, name
    assert report.grades == {}
    assert report.warnings == ("20 cases with both verdicts are few; 30 or more tell something",)


def graded(*pairs: tuple[float, float]) -> list[Label]:
    """A person's grade and the judge's."""
    made = [
        {"case_id": str(n), "human": {"correctness": human}, "judge": {"correctness": judge}}
        for n, (human, judge) in enumerate(pairs)
    ]
    return msgspec.convert(made, list[Label])


def test_grades_between_whole_ones_agree_with_the_nearest() -> None:
    """Halves up; 3 of 4 are equal, by chance (1·1 + 1·2 + 2·1)/16."""
    found = check(graded((5, 4.6), (4, 3.5), (1, 1.4), (1, 4.4)), PLAN).grades["correctness"]
    whole = check(graded((5, 5), (4, 4), (1, 1), (1, 4)), PLAN).grades["correctness"]
    assert found.accuracy.value == 0.75
    assert found.kappa.value == pytest.approx((0.75 - 5 / 16) / (1 - 5 / 16))
    assert found.alpha_nominal == whole.alpha_nominal
    assert found.quadratic_kappa != whole.quadratic_kappa


def test_a_judge_below_the_limit_may_warn_but_not_gate() -> None:
    report = check(TWENTY, PLAN)
    assert may_gate(report, 0.5).allowed
    refused = may_gate(report, 0.6)
    assert not refused.allowed
    assert refused.reason == "kappa 0.59 over 20 labels, at least 0.60 needed"


def test_a_judge_nobody_has_checked_may_not_gate() -> None:
    unknown = may_gate(check([label("q1", None, "pass")], PLAN), 0.0)
    assert not unknown.allowed
    assert unknown.reason == "the judge's agreement with people is not known: no case has both labels"
    same = check([label(f"q{n}", "pass", "pass") for n in range(40)], PLAN)
    assert not may_gate(same, -1).allowed
    assert "kappa is undefined: both gave one and the same label to every case" in same.warnings


def test_several_people_speak_as_one_and_are_compared_with_each_other() -> None:
    """q1: fail, pass, pass → pass; q2: fail, partial → fail (the lower of two); grades by their mean."""
    labels = [
        label("q1", "fail", "pass", rater="a"),
        label("q1", "pass", None, rater="b"),
        label("q1", "pass", None, rater="c"),
        label("q2", "partial", "fail", rater="a"),
        label("q2", "fail", None, rater="b"),
    ]
    report = check(labels, PLAN)
    assert report.raters == ("a", "b", "c")
    assert report.verdicts.accuracy.value == 1.0
    assert report.between_people.n == 2
    graded = [
        msgspec.convert({"case_id": "q", "rater": r, "human": {"clarity": g}, "judge": {"clarity": 3.5}}, Label)
        for r, g in (("a", 3), ("b", 4))
    ]
    assert check(graded, PLAN).grades["clarity"].accuracy.value == 1.0


def test_a_missing_verdict_is_made_by_the_rule() -> None:
    grades = Label(
        case_id="q",
        human=Marks(overall_score=4.5, correctness=2),
        judge=Marks(overall_score=4.5, correctness=5),
    )
    assert check([grades], PLAN).confusion == [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert check([grades], PLAN, VerdictRule(never_pass_at=0)).confusion[2] == [0, 0, 1]
    assert check([Label(case_id="q", human=Marks(clarity=3))], PLAN).verdicts.kappa.n == 0


def biased(sign: int) -> TrustReport:
    """A judge that gives a grade more to answers of more than 50 words (or less, with sign −1)."""
    source = random.Random(1)
    labels = []
    for n in range(60):
        length, grade = source.randint(1, 100), source.choice([2, 3, 4])
        judge = grade + (sign if length > 50 else 0)
        marks = {"human": {"overall_score": grade}, "judge": {"overall_score": judge}}
        place = {"answer_length": length, "evidence_rank": 1 + length // 10}
        labels.append(msgspec.convert({"case_id": f"q{n:02}", **marks, **place}, Label))
    return check(labels, PLAN)


@pytest.mark.parametrize(("sign", "words"), [(1, "favoured"), (-1, "put at a disadvantage")])
def test_length_and_position_bias(sign: int, words: str) -> None:
    report = biased(sign)
    assert report.length_bias.value is not None
    assert report.length_bias.value * sign > 0.7
    assert any(text.startswith(f"length bias: long answers are {words}") for text in report.warnings)
    assert any(text.startswith("position bias: answers whose evidence stands late") for text in report.warnings)


def test_no_bias_is_no_warning() -> None:
    report = biased(0)
    assert report.length_bias.reason == "one side is the same in every case"
    assert not [text for text in report.warnings if "bias" in text]


def test_an_unsteady_judge_is_named() -> None:
    labels = [
        label(f"q{n}", "pass", "pass", repeats=[{"verdict": "pass" if n % 2 else "fail"}, {"clarity": 3}])
        for n in range(10)
    ]
    report = check(labels, PLAN)
    assert report.consistency.flip_rate.value == 0.5
    assert "asked again, the judge changed its verdict in 50% of 10 cases" in report.warnings


def test_a_judge_that_says_the_same_of_all_is_named() -> None:
    marks = [
        Label(case_id=f"q{n}", human=Marks(overall_score=1 + n % 5), judge=Marks(overall_score=3)) for n in range(9)
    ]
    report = check(marks, PLAN)
    assert "judge: every case got 3" in report.warnings
    assert report.human_scores.findings == ()
    assert report.grades["overall_score"].kappa.value == 0.0


def test_the_pass_rate_is_corrected_for_the_judges_error() -> None:
    """Labelled: judge passes 10 of 20, people 10 of 20; 100 more, of which the judge passes 70: 0.7 + (0.5 − 0.5)."""
    more = [label(f"x{n:03}", None, "pass" if n < 70 else "fail") for n in range(100)]
    found = check(TWENTY + more, PLAN).pass_rate
    assert found.judge.value == pytest.approx(80 / 120)
    assert found.human.value == 0.5
    assert found.corrected.value == pytest.approx(0.7)
    assert found.corrected.low is not None
    assert found.corrected.low < 0.6
    assert found.tuned.value is not None
    assert found.tuned.value < 0.7  # the judge errs in 4 of 20: it is not believed whole
    # Se = 8/10, Sp = 8/10, p = 80/120: (2/3 + 0.8 − 1) / 0.6
    assert found.cross_check.value == pytest.approx((2 / 3 - 0.2) / 0.6)


def test_where_nothing_is_left_to_predict_people_have_the_last_word() -> None:
    found = check(TWENTY, PLAN).pass_rate
    assert found.corrected == found.human == found.tuned
    one = check([*TWENTY, label("x", None, "pass")], PLAN).pass_rate
    assert one.corrected.reason == "needs two cases without the truth"


def test_a_corrected_rate_stays_a_rate_and_few_errors_are_warned_about() -> None:
    labels = [label(f"q{n}", "pass", "fail" if n == 0 else "pass") for n in range(10)]
    labels += [label(f"x{n}", None, "pass") for n in range(50)]
    report = check(labels, PLAN)
    assert report.pass_rate.corrected.value == 1.0  # 1 + 0.1, cut
    turned = [label(f"q{n}", "fail", "pass" if n == 0 else "fail") for n in range(10)]
    turned += [label(f"x{n}", None, "fail") for n in range(50)]
    found = check(turned, PLAN).pass_rate.corrected
    assert (found.value, found.low) == (0.0, 0.0)  # 0 − 0.1, cut
    assert any("the corrected pass rate's interval may be too narrow" in text for text in report.warnings)


def test_order_does_not_matter_and_the_report_is_plain_json() -> None:
    report = check(TWENTY, PLAN)
    assert report == check(list(reversed(TWENTY)), PLAN)
    json.dumps(msgspec.to_builtins(report), allow_nan=False)
