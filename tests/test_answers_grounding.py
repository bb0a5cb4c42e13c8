"""Groundedness, numbers and negations, citations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges.words import content_terms
from assay.metrics.answers import Passage, citation_scores, citations, groundedness, without_citations
from assay.metrics.answers.citations import resolve
from assay.metrics.answers.claims import denies, numbers, wording

CONTEXT = (
    "The joining fee is £25 for adults. Dogs are not allowed in the boathouse. Three boats, of 7.2 m, leave at 09:00."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,857 and 1 857 and 1857 and 1\u202f857", {"1857"}),
        ("3,50 or 3.5", {"3.5"}),
        ("1.857,50", {"1857.5"}),
        ("12.5.2026", {"12.5.2026"}),
        ("at 09:00", {"9", "0"}),
        ("007", {"7"}),
        ("3.0", {"3"}),
        ("Three boats, deux mâts", {"3", "2"}),
        ("one", set()),
        ("", set()),
    ],
)
def test_numbers(text: str, expected: set[str]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Twenty-five pounds, thirteen boats, ninety-nine", {"25", "13", "99"}),
        ("twenty five", {"25"}),
        ("vingt et un, vingt-deux, soixante et onze", {"21", "22", "71"}),
        ("soixante-douze, quatre-vingts, quatre-vingt-dix-neuf, dix-sept", {"72", "80", "99", "17"}),
        ("a forty-two-year-old on a three-day pass", {"42", "3"}),
        ("one of them, un bateau", set()),
    ],
)
def test_spelled_numbers(text: str, expected: set[str]) -> None:
    assert numbers(text) == expected
    assert not numbers(wording(text))


def test_spelled_numbers_and_negations_are_no_words() -> None:
    assert wording("Three boats, never twelve; it isn’t No. 5").split() == ["boats,", ";", "it", "is", "no.", "5"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Dogs aren’t allowed", True),
        ("Never alone", True),
        ("No dogs", True),
        ("Boat No. 5", False),
        ("L’accès n’est pas libre", True),
        ("Notwithstanding", False),
        ("Dogs are allowed", False),
    ],
)
def test_negations(sentence: str, expected: bool) -> None:
    assert denies(sentence) is expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The joining fee for adults is £25.", 5 / 5),  # join, fee, adult, pound; 25
        ("The joining fee for adults is £20.", 4 / 5),  # the number is wanting
        ("The joining fee for pensioners is £25.", 4 / 5),  # the word is wanting
        ("Dogs are not allowed.", 3 / 3),  # dog, allow; the denial
        ("Boats are not allowed.", 3 / 3),  # `allow`, half of the denial, stands in a sentence that denies
        ("3 boats", 2 / 2),  # boat; 3 is spelled in the context
    ],
)
def test_groundedness(answer: str, expected: float) -> None:
    found = groundedness(answer, CONTEXT, content_terms("en"))
    assert found.score.value == pytest.approx(expected)


def test_what_is_not_found_is_named() -> None:
    found = groundedness("The harbour never opens at 10.", CONTEXT, content_terms("en"))
    assert found.words == ("harbour", "open")
    assert found.numbers == ("10",)
    assert found.denials == ("The harbour never opens at 10.",)
    assert found.score.value == 0.0


def test_a_denial_is_about_the_same_words() -> None:
    """`cats` and `cabin` stand in the context, but nobody denies anything about them."""
    context = "Cats live in the cabin. Dogs are not allowed."
    assert groundedness("Cats may not enter the cabin.", context, content_terms("en")).denials != ()
    assert groundedness("Dogs are never allowed.", context, content_terms("en")).denials == ()


@pytest.mark.parametrize(
    ("answer", "context", "reason"),
    [
        ("Force 4", None, "no context was kept"),
        ("The of and", "Force 4", "nothing in the answer can be checked"),
        ("", "Force 4", "nothing in the answer can be checked"),
    ],
)
def test_where_groundedness_is_undefined(answer: str, context: str | None, reason: str) -> None:
    score = groundedness(answer, context, content_terms("en")).score
    assert (score.value, score.status, score.reason) == (None, "undefined", reason)


def test_in_an_empty_context_nothing_stands() -> None:
    assert groundedness("Force 4", "", content_terms("en")).score.value == 0.0


@given(st.text(max_size=80), st.text(max_size=80))
def test_groundedness_lies_in_range_and_a_text_is_grounded_in_itself(answer: str, other: str) -> None:
    terms = content_terms("en")
    value = groundedness(answer, other, terms).score.value
    assert value is None or 0 <= value <= 1
    assert groundedness(answer, answer, terms).score.value in (None, 1.0)


SHOWN = [
    Passage("safety-manual-p003-child01", "docs/safety-manual.pdf", 3),
    Passage("safety-manual-p003-child02", "docs/safety-manual.pdf", 3),
    Passage("float-plans-p001-child01", "float-plans.md", 1),
    Passage("bare"),
]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Force 4 [1].", ["1"]),
        ("[1, 3] and [3][2]", ["1", "3", "2"]),
        ("[1-3; 7]", ["1", "2", "3", "7"]),
        ("[2–1] [1-900]", []),
        ("【2】", ["2"]),
        ("[safety-manual.pdf p. 3]", ["safety-manual.pdf p. 3"]),
        ("[float plans, page 2]", ["float plans, page 2"]),
        ("[safety-manual-p003-child01]", ["safety-manual-p003-child01"]),
        ("[sic] [...] [some words] [text](url.html) []", []),
    ],
)
def test_citations(answer: str, expected: list[str]) -> None:
    assert citations(answer) == expected


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Force 4 [1].", "Force 4."),
        ("Force 4 [1][2] or 5【3】", "Force 4 or 5"),
        ("[1] Force 4", "Force 4"),
        ("Force 4\u00a0[safety-manual.pdf p. 3], signed [bare-id]", "Force 4, signed"),
        ("[2–1] [1-900] [sic] [text](url.html)", "[2–1] [1-900] [sic] [text](url.html)"),
        ("[1]", "[1]"),
        ("", ""),
    ],
)
def test_what_an_answer_says_without_its_citations(answer: str, said: str) -> None:
    assert without_citations(answer) == said


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("1", [0]),
        ("0", []),
        ("5", []),
        ("bare", [3]),
        ("safety-manual.pdf p. 3", [0, 1]),
        ("Safety-Manual, page 3", [0, 1]),
        ("docs/safety-manual.pdf p.4", []),
        ("float-plans.md", [2]),
        ("elsewhere.md", []),
    ],
)
def test_what_a_citation_stands_for(mark: str, expected: list[int]) -> None:
    assert resolve(mark, SHOWN) == [SHOWN[place].id for place in expected]


def test_citation_precision_and_recall() -> None:
    """Cited: 1 (right), 3 (wrong), 9 (not there): 1/3. Expected: two, one of them cited: 1/2."""
    expected = {SHOWN[0].id, SHOWN[1].id}
    scores = citation_scores("Force 4 [1][3][9]", SHOWN, expected)
    assert scores.precision.value == pytest.approx(1 / 3)
    assert scores.recall.value == 0.5
    whole_page = citation_scores("Force 4 [safety-manual p.3]", SHOWN, expected)
    assert (whole_page.precision.value, whole_page.recall.value) == (1.0, 1.0)


def test_where_citations_are_undefined() -> None:
    assert citation_scores("Force 4", SHOWN, {"bare"}).precision.reason == "the answer cites nothing"
    assert citation_scores("Force 4 [1]", SHOWN, ()).recall.reason == "no chunk is expected"
