"""Answer in chunk, quotes, and the wording of questions, one rule at a time."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.corpus.quotes import fold, stands_in
from assay.gold.support import Claim, Support, examine, windows
from assay.gold.wording import copied, other_language, pointing

CHUNK = (
    "The ferry leaves at 8.15 and carries 120 people. Bicycles cost 3 pounds. Dogs are not allowed on the upper deck, "
    "but they may stay below. Tickets bought on board are 2 pounds dearer, and nobody gets a refund."
)


@pytest.mark.parametrize(
    "name", ["assay.corpus.quotes", "assay.gold.wording", "assay.metrics.answers.claims", "assay.stats.exact"]
)
def test_examples_in_the_code(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize(
    ("answer", "method", "reason"),
    [
        ("at 8.15", "verbatim", ""),
        ("BICYCLES  cost\n3 pounds.", "verbatim", ""),
        ("carries 120 people", "verbatim", ""),
        ("carries 12 people", None, "numbers not in the chunk: 12"),
        ("carries 20 people", None, "numbers not in the chunk: 20"),
        ("8.1", None, "numbers not in the chunk: 8.1"),
        ("Three pounds for bicycles", "coverage", ""),
        ("Five pounds for bicycles", None, "numbers not in the chunk: 5"),
        ("Dogs are not allowed on the upper deck", "verbatim", ""),
        ("Dogs are allowed on the upper deck", None, "says the opposite of the chunk"),
        ("On the upper deck dogs aren't allowed", "coverage", ""),
        ("No, dogs are not allowed on the upper deck", "verbatim", ""),
        ("Yes, they may stay below", "verbatim", ""),
        ("On board tickets are not dearer", None, "says the opposite of the chunk"),
        ("nobody gets a refund", "verbatim", ""),
        ("Everybody bought tickets on board and gets a refund", None, "words not in the chunk"),
        ("The captain decides about horses", None, "words not in the chunk: captain, decid, hors"),
        ("it is what they are", None, "the answer has no content words"),
        ("", None, "the answer has no content words"),
        ("No", None, "the answer has no content words"),
    ],
)
def test_an_answer_in_its_chunk(answer: str, method: str | None, reason: str) -> None:
    found = examine(Claim(answer=answer), CHUNK, "en")
    assert found.method() == method
    if method is None:
        assert reason in found.reason


@pytest.mark.parametrize(
    ("answer", "chunk", "language", "wrong"),
    [
        ("The ferry leaves at 8:15", "Every day the ferry leaves the pier at 8.15.", "en", ()),
        ("The ferry leaves at 8.15", "Every day the ferry leaves the pier at 8:15.", "en", ()),
        ("8:15", "Every day the ferry leaves the pier at 8.15.", "en", ()),
        ("The ferry leaves at 8:51", "Every day the ferry leaves the pier at 8.15.", "en", ("51", "8")),
        ("The ferry leaves at 8.51", "Every day the ferry leaves the pier at 8:15.", "en", ("8.51",)),
        ("The ferry leaves at 9:15", "Every day the ferry leaves the pier at 8.15.", "en", ("15", "9")),
        ("Le bac part à 8:30", "Le bac part du quai à 8h30 chaque jour.", "fr", ()),
        ("Le bac part à 8h30", "Le bac part du quai à 8.30 chaque jour.", "fr", ()),
        ("Le bac part à 8 h 30", "Le bac part du quai à 8:30 chaque jour.", "fr", ()),
        ("Le bac part à 08.30", "Le bac part du quai à 8 heures 30 chaque jour.", "fr", ()),
        ("Le bac part à 8h35", "Le bac part du quai à 8h30 chaque jour.", "fr", ("35",)),
        # an amount is not a time
        ("A ticket costs 30 pounds", "On board a ticket costs 8.30 pounds.", "en", ("30",)),
        ("A ticket costs 8 pounds", "On board a ticket costs 8.30 pounds.", "en", ("8",)),
        # nor is a scale, or a score above what a clock shows
        ("The map has a scale of 1:75", "The scale of the map is 1.75.", "en", ("1", "75")),
        ("The score was 30:20", "The score of the match was 30.20.", "en", ("20", "30")),
    ],
)
def test_a_time_of_day_is_the_same_in_any_spelling(answer: str, chunk: str, language: str, wrong: tuple[str]) -> None:
    found = examine(Claim(answer=answer), chunk, language)
    assert found.numbers == wrong
    assert found.method() == (None if wrong else "coverage")


@pytest.mark.parametrize(
    ("answer", "explanation", "holds"),
    [
        ("6 pounds", "Two bicycles at 3 pounds make 6 pounds.", True),
        ("7 pounds", "Two bicycles at 3 pounds make 6 pounds.", False),
        ("6 pounds", "", False),
        ("5 pounds", "3 and 2 make 5.", True),
        ("9 pounds", "4 and 5 make 9.", False),
    ],
)
def test_arithmetic_follows_from_numbers_of_the_chunk(answer: str, explanation: str, holds: bool) -> None:
    """Operands must stand in the chunk (3, 2, 120) or in the question (2); the result in the explanation."""
    claim = Claim(answer=answer, explanation=explanation, question="What do 2 bicycles cost?", arithmetic=True)
    assert (examine(claim, CHUNK, "en").method() is not None) == holds
    plain = Claim(answer=answer, explanation=explanation, question="What do 2 bicycles cost?")
    assert examine(plain, CHUNK, "en").method() is None


def test_a_bare_yes_is_what_its_explanation_says() -> None:
    assert examine(Claim(answer="Yes", explanation="Bicycles cost 3 pounds"), CHUNK, "en").method() == "verbatim"
    assert examine(Claim(answer="Yes", explanation="Horses cost 3 pounds"), CHUNK, "en").method() is None


@pytest.mark.parametrize(
    ("support", "method"),
    [
        (Support(coverage=0.80), "coverage"),
        (Support(coverage=0.79, similarity=0.90), "similarity"),
        (Support(coverage=0.79, similarity=0.8999), None),
        (Support(coverage=1.0, similarity=1.0, numbers=("5",)), None),
        (Support(coverage=1.0, similarity=1.0, denial="dogs are allowed"), None),
        (Support(coverage=None, similarity=1.0), None),
        (Support(verbatim=True, coverage=0.5, numbers=("5",)), "verbatim"),
    ],
)
def test_the_order_of_the_methods(support: Support, method: str | None) -> None:
    assert support.method() == method


def test_french_is_folded_and_negations_are_seen() -> None:
    chunk = "Les chiens ne sont pas admis à bord. Le bac part à 8 h 15 précises, sauf le dimanche."
    assert examine(Claim(answer="LE BAC PART A 8 H 15 PRECISES"), chunk, "fr").method() == "verbatim"
    assert examine(Claim(answer="À bord, les chiens sont admis"), chunk, "fr").method() is None
    assert examine(Claim(answer="À bord, les chiens ne sont pas admis"), chunk, "fr").method() == "coverage"


@pytest.mark.parametrize(
    ("answer", "chunk", "language", "method"),
    [
        ("Minors may hire a boat without consent", "A minor may not hire any boat without consent.", "en", None),
        (
            "Without consent minors may not hire a boat",
            "A minor may not hire any boat without consent.",
            "en",
            "coverage",
        ),
        ("Members may not hire a boat without consent", "A member may hire any boat without consent.", "en", None),
        ("Without consent members may hire a boat", "A member may hire any boat without consent.", "en", "coverage"),
        ("Un mineur loue un bateau sans accord", "Un mineur ne loue jamais de bateau sans accord.", "fr", None),
        (
            "Sans accord un mineur ne loue pas de bateau",
            "Un mineur ne loue jamais de bateau sans accord.",
            "fr",
            "coverage",
        ),
        ("On monte à bord sans gilet", "Nul ne monte à bord sans gilet.", "fr", None),
    ],
)
def test_a_negation_dropped_beside_without_is_seen(answer: str, chunk: str, language: str, method: str | None) -> None:
    found = examine(Claim(answer=answer), chunk, language)
    assert found.method() == method
    assert (found.denial is None) == (method is not None)


def test_windows_are_runs_of_up_to_three_sentences() -> None:
    assert windows("One is. Two is. Three is. Four is.") == [
        *("One is.", "Two is.", "Three is.", "Four is."),
        *("One is. Two is.", "Two is. Three is.", "Three is. Four is."),
        *("One is. Two is. Three is.", "Two is. Three is. Four is."),
    ]


@given(st.text(alphabet="ab 1.", max_size=12), st.text(alphabet="ab 1.", max_size=12))
def test_what_stands_between_spaces_is_found(before: str, quote: str) -> None:
    quote = fold(quote)
    assert stands_in(quote, fold(f"{before} {quote} b")) == bool(quote)


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("2", "12 boats", False),
        ("1", "1.5 metres", False),
        ("5", "it is 1.5", False),
        ("1.5", "it is 1.5", True),
        ("force 4", "up to force 4.", True),
        ("art", "a party", False),
        ("art", "a party of art", True),
        ("", "anything", False),
    ],
)
def test_a_quote_is_whole_words_and_numbers(quote: str, text: str, found: bool) -> None:
    assert stands_in(quote, text) is found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("According to the passage above, who signs?", True),
        ("What does the text say about dogs?", True),
        ("Which rules are mentioned above?", True),
        ("Selon le texte, qui signe ?", True),
        ("Que dit ce document sur les chiens ?", True),
        ("Quel est le prix de celui-ci ?", True),
        ("When does it start?", True),
        ("Where can they be bought?", True),
        ("And how often do they have to report?", True),
        ("Is that boat allowed to leave?", True),
        ("Who signs it?", True),
        ("What is its price?", True),
        ("Quel est son prix ?", True),
        ("What are these fees?", True),
        ("How does that work?", True),
        ("Which of the following is right?", True),
        ("Quelle est l’idée principale de l’extrait ?", True),
        ("Quel est le titre du passage ?", True),
        ("Who left her boat at the quay?", False),
        ("Qui a laissé son bateau au port ?", False),
        ("For those who join late, what is due?", False),
        ("When may children take their bicycles?", False),
        ("Can somebody who lost a card get it back?", False),
        ("Quel est le prix du passage en bac ?", False),
        ("Where does the passage yacht lie in winter?", False),
        ("How long does it take to build a boat?", False),
        ("How do members pay their fees?", False),
        ("What must a skipper do before he leaves the harbour?", False),
        ("Is it possible to sail at night?", False),
        ("What happens when it rains?", False),
        ("Quand la charte a-t-elle été renouvelée ?", False),
        ("À quelle heure faut-il partir ?", False),
        ("Combien y a-t-il de bateaux ?", False),
        ("It is blowing hard at Pell Quay. May children sail?", False),
    ],
)
def test_a_question_stands_alone(question: str, found: bool) -> None:
    assert (pointing(question) is not None) is found, pointing(question)


def test_the_longest_run_that_is_copied() -> None:
    assert copied("Is it true that bicycles cost 3 pounds?", CHUNK) == (4, 0.5)
    assert copied("Why?", CHUNK) == (0, 0.0)
    assert copied("", CHUNK) == (0, 0.0)


def test_another_language_is_told_only_when_sure() -> None:
    assert other_language("Combien de personnes est-ce que le bac peut prendre à bord dans la journée ?", "en") == "fr"
    assert other_language("Combien ?", "en") is None
    assert other_language("How many people does the ferry carry to the island in a day?", "en") is None
