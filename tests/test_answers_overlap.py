"""Exact match, token F1, ROUGE-L and similarity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.answers import answer_similarity, cosine, exact_match, normalise, rouge_l, token_f1
from assay.metrics.answers.overlap import NO_REFERENCE, exact, f1
from assay.metrics.answers.rouge import longest_common

TEXT = st.text(alphabet="abc the,.'’ é1", max_size=30)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # as evaluate-v1.1.py and evaluate-v2.0.py print them
        ("The  Duty-Officer!", "en", "dutyofficer"),
        ("an apple, a day", "en", "apple day"),
        ("theatre", "en", "theatre"),
        ("It’s “fine”", "en", "it’s “fine”"),
        ("$1,857.50", "en", "185750"),
        ("the", "en", ""),
        ("L’arbitre de l'épreuve", "fr", "arbitre de épreuve"),
        ("« Du lundi au vendredi »", "fr", "lundi vendredi"),
        ("Les unes et les autres", "fr", "unes et autres"),
        ("aujourd'hui", "fr", "aujourdhui"),
        ("The Hafen – der!", "de", "the hafen der"),
    ],
)
def test_normalisation(text: str, language: str, expected: str) -> None:
    assert normalise(text, language) == expected


@pytest.mark.parametrize(
    ("answer", "reference", "em", "expected"),
    [
        ("the duty officer", "Duty officer.", 1.0, 1.0),
        ("duty officer signs", "the duty officer countersigns", 0.0, 2 / 3),  # p = 2/3, r = 2/3
        ("a b b", "b b b b", 0.0, 2 / 3),  # without the article: p = 2/2, r = 2/4
        ("skipper", "duty officer", 0.0, 0.0),
        ("", "", 1.0, 1.0),  # SQuAD 2.0: no answer where none is expected
        ("", "duty officer", 0.0, 0.0),
        ("duty officer", "the", 0.0, 0.0),
    ],
)
def test_pairs_as_squad_scores_them(answer: str, reference: str, em: float, expected: float) -> None:
    assert exact(answer, reference) == em
    assert f1(answer, reference) == pytest.approx(expected, abs=1e-12)


def test_the_best_of_several_references_counts() -> None:
    references = ["Harbour Master", "the duty officer of the day", "Duty officer"]
    assert exact_match("duty officer", references).value == 1.0
    assert token_f1("officer on duty", references).value == pytest.approx(0.8)  # p = 2/3, r = 2/2


@pytest.mark.parametrize("references", [[], [""], ["the", " . "]])
def test_without_a_reference_nothing_is_defined(references: list[str]) -> None:
    for score in (exact_match("x", references), token_f1("", references)):
        assert (score.value, score.status, score.reason) == (None, "undefined", NO_REFERENCE)


def test_french_articles_are_dropped_only_when_asked() -> None:
    assert exact_match("l’arbitre", ["arbitre"]).value == 0.0
    assert exact_match("l’arbitre", ["arbitre"], "fr").value == 1.0


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        # python -c 'RougeScorer(["rougeL"]).score(reference, answer)["rougeL"].fmeasure' of rouge-score 0.1.2
        (
            "The skipper files the float plan.",
            "The skipper files the float plan; the duty officer countersigns it",
            12 / 17,
        ),
        ("duty_officer signs, signs twice!", "Signs twice: the duty officer", 0.4),
        ("nothing in common", "Harbour Master", 0.0),
        ("police killed the gunman", "police kill the gunman", 0.75),
        ("", "Harbour Master", 0.0),
    ],
)
def test_rouge_l(answer: str, reference: str, expected: float) -> None:
    assert rouge_l(answer, [reference]).value == pytest.approx(expected, abs=1e-12)


def test_rouge_l_with_a_stemmer_leaves_short_words() -> None:
    """`RougeScorer(["rougeL"], use_stemmer=True)` gives 1.0 for the first pair; `ran` is too short to be stemmed."""
    stems = {"killed": "kill", "gunman": "gunman", "police": "polic"}
    assert (
        rouge_l("police killed the gunman", ["police kill the gunman"], lambda word: stems.get(word, word)).value == 1.0
    )
    assert rouge_l("ran", ["run"], lambda word: "run").value == 0.0


def test_rouge_l_takes_the_best_reference_and_letters_of_any_script() -> None:
    assert rouge_l("l’été déjà", ["hiver", "été déjà"]).value == pytest.approx(0.8)  # p = 2/3, r = 1
    assert rouge_l("x", []).reason == NO_REFERENCE
    assert rouge_l("x", ["…"]).value is None


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_the_longest_common_subsequence_is_that_of_the_table(first: list[str], second: list[str]) -> None:
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    assert longest_common(first, second) == table[-1][-1]


@given(TEXT, TEXT, st.sampled_from(["en", "fr"]))
def test_scores_lie_in_range_and_are_one_for_equal_texts(answer: str, reference: str, language: str) -> None:
    assert 0 <= f1(answer, reference, language) <= 1
    assert f1(answer, answer, language) == 1 == exact(answer, answer, language)
    assert f1(answer, reference, language) == pytest.approx(f1(reference, answer, language))
    assert exact(answer, reference, language) <= f1(answer, reference, language)


def test_similarity() -> None:
    assert cosine([1, 0], [0, 2]) == 0.0
    assert cosine([1, 0], [-3, 0]) == -1.0
    assert cosine([0, 0], [1, 0]) is None
    assert answer_similarity([3, 4], [[4, 3], [0, 0]]).value == pytest.approx(0.96)
    assert answer_similarity([3, 4], []).reason == NO_REFERENCE
    assert answer_similarity([0, 0], [[1, 0]]).reason == "a text without a vector"
