"""The judge without a model: every grade can be recomputed by hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import EmbedderOptions
from assay.embedders.protocol import create
from assay.judges import DIMENSIONS, Answer, Judgment, ReferenceJudge, VerdictRule
from assay.judges.words import Similarity, language_of

RULE = VerdictRule()
JUDGE = ReferenceJudge(RULE, language="en")
CONTEXT = "The joining fee is 25 pounds for adults. Dogs are not allowed in the boathouse."
FEE = Answer(
    case_id="q",
    question="What is the joining fee?",
    text="The joining fee is 25 pounds.",
    references=("25 pounds",),
    context=CONTEXT,
)


def judged(answer: Answer, **changes: object) -> Judgment:
    return JUDGE.judgment(msgspec.structs.replace(answer, **changes))


def grades(judgment: Judgment) -> list[float | None]:
    return [None if (grade := getattr(judgment, name)) is None else round(grade, 6) for name in DIMENSIONS]


def test_by_hand() -> None:
    """C = 2/2 (pound, 25); F1: words joining fee is 25 pounds against 25 pounds, p = 2/5, r = 1: 4/7.

    Correctness c = 1 + 4·(1 + 4/7)/2; the question's words (join, fee) are all there; overall 0.4·c + 0.6·5.
    """
    found = judged(FEE)
    correctness = 1 + 4 * (1 + 4 / 7) / 2
    assert grades(found) == [round(correctness, 6), 5, 5, 5, 5]
    assert found.overall_score == pytest.approx(0.4 * correctness + 3)
    assert (found.verdict, found.judge, found.status) == ("pass", "reference", "ok")


def test_a_wrong_number_is_wrong_and_unfaithful() -> None:
    """N = 0, so correctness 1; C = 1/2; of join, fee, pound and 20 the number is not grounded: at most 2."""
    found = judged(FEE, text="The joining fee is 20 pounds.")
    assert grades(found) == [1, 3, 2, 5, 5]
    assert found.verdict == "fail"


def test_a_citation_is_no_number_of_the_answer() -> None:
    """Neither one that the context does not hold, nor the one that the truth asks for."""
    cited = judged(FEE, text="The joining fee is 25 pounds [1].")
    assert (grades(cited), cited.overall_score) == (grades(judged(FEE)), judged(FEE).overall_score)
    assert judged(FEE, text="The joining fee is due [25].").correctness == 1


def test_yes_against_no() -> None:
    dogs = msgspec.structs.replace(FEE, question="Are dogs allowed?", references=("No, dogs are not allowed",))
    assert judged(dogs, text="Yes, dogs are allowed").correctness == 1
    right = judged(dogs, text="No, dogs are not allowed").correctness
    assert right == 5
    assert judged(msgspec.structs.replace(dogs, references=("Yes",)), text="No").correctness == 1


def test_the_best_reference_counts() -> None:
    assert judged(FEE, references=("40 euros", "The joining fee is 25 pounds")).correctness == 5


def test_a_reference_of_stop_words_alone_is_compared_whole() -> None:
    assert judged(FEE, text="Here", references=("here",)).completeness == 5
    assert judged(FEE, text="There", references=("here",)).completeness == 1


def test_without_a_context_faithfulness_is_not_invented() -> None:
    found = judged(FEE, context=None)
    assert found.faithfulness is None
    correctness = 1 + 4 * (1 + 4 / 7) / 2
    assert found.overall_score == pytest.approx((0.4 * correctness + 0.2 * 5 + 0.1 * 5 + 0.1 * 5) / 0.8)


def test_clarity_counts_words_and_repetitions() -> None:
    twice = judged(FEE, text="The joining fee is 25 pounds. The joining fee is 25 pounds.")
    assert twice.clarity == 3
    long = judged(FEE, text="25 pounds " * 60)  # 120 words, 60 allowed
    assert long.clarity == 3


def test_of_ten_megabytes_only_the_beginning_is_read() -> None:
    """100,000 characters are 16,667 words, 60 are allowed."""
    found = judged(FEE, text="pound " * 1_700_000)
    assert found.clarity == pytest.approx(1 + 4 * 60 / 16_667)


@pytest.mark.parametrize(
    ("answerable", "category", "text", "expected", "verdict"),
    [
        (True, None, "I don't know.", [1, 1, 5, 1, 5], "fail"),
        (True, None, "", [1, 1, 5, 1, 5], "fail"),
        (False, "OUT_OF_SCOPE", "I don't know.", [5, 5, 5, 5, 5], "pass"),
        (False, "OUT_OF_SCOPE", "The joining fee is 25 pounds.", [1, 1, 5, 1, 5], "fail"),
        (False, "FALSE_PREMISE", "There is no such fee.", [5, 5, 5, 5, 5], "pass"),
        (False, "COUNTERFACTUAL", "There is no such fee.", [1, 1, 2, 1, 5], "fail"),
        (False, "AMBIGUOUS", "Which fee do you mean?", [5, 5, 5, 5, 5], "pass"),
    ],
)
def test_abstaining(answerable: bool, category: str | None, text: str, expected: list[float], verdict: str) -> None:
    found = judged(FEE, answerable=answerable, category=category, text=text)
    assert grades(found) == expected
    assert found.verdict == verdict


def test_a_truth_that_reads_like_a_refusal_may_be_said() -> None:
    found = judged(FEE, references=("The rules do not specify it",), text="The rules do not specify it.")
    assert (found.behaviour, found.verdict, found.correctness) == ("answered", "pass", 5)
    assert found.reason.startswith("in the words of the reference: ")


def test_without_a_reference_an_answerable_question_cannot_be_judged() -> None:
    found = judged(FEE, references=())
    assert (found.status, found.overall_score, found.verdict) == ("error", None, None)
    assert found.reason == "no reference answer: there is nothing to compare with"
    assert judged(FEE, references=(), answerable=False, text="").verdict == "pass"


def test_similarity_rescues_a_paraphrase() -> None:
    paraphrase = msgspec.structs.replace(
        FEE, text="Adults pay twenty-five pounds to join.", references=("Joining costs grown-ups twenty-five pounds",)
    )
    embedder = create(EmbedderOptions())
    near = ReferenceJudge(RULE, Similarity(embedder), "en")
    plain, helped = JUDGE.judgment(paraphrase).correctness, near.judgment(paraphrase).correctness
    assert plain is not None
    assert helped is not None
    assert helped > plain
    assert len({near.fingerprint, JUDGE.fingerprint, ReferenceJudge(RULE, language="fr").fingerprint}) == 3


def test_the_language_is_that_of_the_case() -> None:
    french = Answer(
        case_id="q",
        question="Quel est le tarif de la nuit au port pour les visiteurs ?",
        text="C’est de vingt livres pour la nuit.",
        references=("Le tarif est de 20 livres la nuit",),
    )
    assert language_of(french, "auto") == "fr"
    assert language_of(FEE, "auto") == "en"
    assert language_of(FEE, "de") == "de"
    assert language_of(Answer(case_id="q", question="?", text="!"), "auto") == "en"
    assert ReferenceJudge(RULE).judgment(french).behaviour == "answered"


def test_the_demos_own_answers_pass_and_other_questions_answers_do_not() -> None:
    sources = Path(__file__).parent.parent / "examples/orrin/sources"
    lines = [
        line for file in sorted(sources.glob("questions-*.jsonl")) for line in file.read_text("utf-8").splitlines()
    ]
    cases = [case for case in map(json.loads, lines) if case["answer"] and case["answer_type"] != "unanswerable"]
    judge = ReferenceJudge(RULE)

    def passes(shift: int) -> float:
        verdicts = [
            judge.judgment(
                Answer(
                    case_id=case["key"],
                    question=case["question"],
                    text=other["answer"],
                    references=(case["answer"],),
                    context=other["evidence"][0]["quote"],
                )
            ).verdict
            for case, other in zip(cases, cases[shift:] + cases[:shift], strict=True)
        ]
        return verdicts.count("pass") / len(verdicts)

    assert passes(0) > 0.97
    assert passes(7) < 0.02


def test_the_protocol() -> None:
    found = asyncio.run(JUDGE.judge(FEE, repeat=2))
    assert found.judgment == JUDGE.judgment(FEE)
    assert (found.reply, found.usage.total) == (None, 0)


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40), st.booleans())
def test_any_text_gets_grades_from_1_to_5(text: str, question: str, reference: str, answerable: bool) -> None:
    answer = Answer(
        case_id="q", question=question, text=text, references=(reference,), context=reference, answerable=answerable
    )
    found = JUDGE.judgment(answer)
    assert found.status == "ok"
    assert found.grades is not None
    assert found == JUDGE.judgment(answer)
