"""One text denies what the other says: and when it does not, although it holds a negation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges import Answer, ReferenceJudge, VerdictRule
from assay.judges.denial import one_denies
from assay.judges.words import content_terms


@pytest.mark.parametrize(
    ("denying", "plain", "expected"),
    [
        ("not 25 pounds", "25 pounds", True),
        ("The fee is not 25 pounds.", "25 pounds", True),
        ("The fee is not twenty-five pounds.", "25 pounds", True),
        ("Dogs aren’t allowed on deck.", "Dogs are allowed on deck.", True),
        # Something else is denied.
        ("It is 25 pounds, not 30.", "25 pounds", False),
        ("The fee is 25 pounds and not refundable.", "The fee is 25 pounds.", False),
        ("Members without a boat pay 25 pounds.", "25 pounds", False),
        ("Smoking is not allowed. Dogs are allowed.", "Dogs are allowed.", False),
        # A bound is no denial, nor is a number.
        ("No more than 25 pounds", "At most 25 pounds", False),
        ("You cannot be less than 18.", "At least 18", False),
        ("Boat no. 5", "Boat 5", False),
        # Both deny.
        ("Dogs are not allowed.", "Dogs aren't allowed.", False),
    ],
)
def test_in_english(denying: str, plain: str, expected: bool) -> None:
    terms = content_terms("en")
    assert one_denies(denying, plain, terms) is expected
    assert one_denies(plain, denying, terms) is expected


@pytest.mark.parametrize(
    ("denying", "plain", "expected"),
    [
        ("Le jury ne décide pas.", "Le jury décide.", True),
        ("Ce n’est pas l’arbitre qui décide.", "C'est l'arbitre qui décide.", True),
        ("C’est l’arbitre, pas le jury.", "C'est l'arbitre.", False),
        ("Pas plus de vingt et un euros", "Au maximum 21 euros", False),
    ],
)
def test_in_french(denying: str, plain: str, expected: bool) -> None:
    assert one_denies(denying, plain, content_terms("fr")) is expected


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_is_the_same_both_ways_and_never_true_of_a_text_and_itself(first: str, second: str) -> None:
    terms = content_terms("en")
    assert one_denies(first, second, terms) == one_denies(second, first, terms)
    assert not one_denies(first, first, terms)


def test_the_reference_judge_gives_a_denial_the_lowest_correctness() -> None:
    judge = ReferenceJudge(VerdictRule(), language="en")

    def correctness(text: str, reference: str) -> float | None:
        return judge.judgment(Answer(case_id="q", question="?", text=text, references=(reference,))).correctness

    assert correctness("It is not 25 pounds.", "25 pounds") == 1
    assert correctness("Dogs are allowed on deck.", "Dogs are not allowed on deck.") == 1
    # C = 1 (pound, 25), F1: one of two words and one of two, 1/2: 1 + 4 x (1 + 1/2) / 2.
    assert correctness("Twenty-five pounds.", "25 pounds") == 4
