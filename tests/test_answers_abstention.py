"""Refusing, asking back, correcting, answering: told by rule, in English and French."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.answers import Response, response
from assay.metrics.answers.abstention import pieces
from assay.metrics.answers.sentences import sentences

QUESTIONS = Path(__file__).parent.parent / "examples/orrin/sources"

REFUSED = [
    "",
    "  \n",
    "I don't know.",
    "I don’t know",
    "Unknown",
    "n/a",
    "Not mentioned in the text.",
    "Insufficient information.",
    "The documents do not name the insurer.",
    "The context doesn't explicitly mention who supplies the engines.",
    "The provided context does not contain information about the insurer. It only describes the excess.",
    "Sorry, I cannot answer this question based on the provided documents.",
    "I'm sorry, but I could not find that in the documents.",
    "There is no information about the dealer in the handbook.",
    "This is not specified in the documents.",
    "The fleet handbook states the excess of the policy but never names the insurer.",
    "The answer cannot be determined from the context.",
    "Unfortunately, the handbook does not say. Please contact the bosun.",
    "No document names the insurance company.",
    "I do not have enough information to answer. Could you tell me more?",
    "Je ne sais pas.",
    "Le règlement ne précise pas le tarif.",
    "Aucune information n’est disponible à ce sujet.",
    "Désolé, je ne peux pas répondre à cette question.",
    "Rien n’est dit des vaccins.",
    "Les documents fournis ne mentionnent pas cette information. Veuillez contacter le secrétariat.",
    "Il n'y a pas assez d'informations pour répondre.",
    "L’information n’est pas mentionnée dans les documents.",
]
ANSWERED = [
    "The duty officer.",
    "I am not sure, but the fee is probably £20.",
    "I don't know. However, it is usually Force 4.",
    "The documents do not state it explicitly; the limit is 60 minutes.",
    "Novices cannot sail above Force 4.",
    "No, dogs are not allowed.",
    "They do not have lifejackets.",
    "Not before 9 a.m.",
    "Members who do not pay lose their berth.",
    "Refunds are not available after 1 March.",
    "The form is not provided to visitors",
    "Is it Force 4? Yes, Force 4.",
    "No information may be given to the press.",
    "The rule does not apply to juniors.",
    "The plan does not include Sundays",
    "Nothing is due before April.",
    "Please contact the duty officer.",
    "Le skipper ne peut pas partir sans gilet.",
    "Je ne suis pas sûr, mais le tarif est de 20 livres.",
]
ASKED_BACK = [
    "Which edition do you mean, 2024 or 2026?",
    "Could you clarify which boat you mean?",
    "Pourriez-vous préciser l’année ?",
]
CORRECTED = [
    "There is no Kerlann Bowl before 2026.",
    "The question assumes a prize that did not exist in 2025.",
    "Contrairement à la question, la charte n’existait pas.",
]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(text, "refused") for text in REFUSED]
    + [(text, "answered") for text in ANSWERED]
    + [(text, "asked_back") for text in ASKED_BACK]
    + [(text, "corrected") for text in CORRECTED],
)
def test_what_an_answer_does(answer: str, expected: str) -> None:
    assert response(answer).behaviour == expected, list(pieces(answer))


def test_the_words_it_is_known_by_are_told() -> None:
    assert response("").because == "empty"
    assert response("Well: I don't know.").because == "refuses but also states: well"
    assert response("I don't know.").because == "refuses: i don't know"
    assert response("Force 4.").because == "states: force 4"
    assert response("Which boat?").because == "asks: which boat"
    assert response("Please wait.") == Response("answered", "no refusal")


def test_only_refusing_and_asking_back_abstain() -> None:
    assert [response(text).abstains for text in ("", "Which one?", "Force 4.", "There is no such boat.")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_very_long_answer_is_an_answer_and_is_not_read_to_its_end() -> None:
    assert response("I don't know. " * 5000).behaviour == "answered"
    refusal = "I don't know. ".ljust(20_000)
    assert (response(refusal).behaviour, response(f"{refusal} ").behaviour) == ("refused", "answered")
    assert response("x " * 5_000_000).behaviour == "answered"


def test_the_true_answers_of_the_demo_are_not_taken_for_refusals() -> None:
    lines = [
        line for file in sorted(QUESTIONS.glob("questions-*.jsonl")) for line in file.read_text("utf-8").splitlines()
    ]
    answers = [answer for answer in (json.loads(line)["answer"] for line in lines) if answer]
    wrong = [answer for answer in answers if response(answer).abstains]
    assert len(answers) > 150
    assert len(wrong) <= len(answers) * 0.01, wrong


def test_sentences() -> None:
    assert sentences("No. See p. 4, e.g. here. Is\nit? “Yes.” He left.\n\n- one\n- two") == [
        "No.",
        "See p. 4, e.g. here.",
        "Is it?",
        "“Yes.”",
        "He left.",
        "one",
        "two",
    ]
    assert sentences(" \n ") == []


@given(st.text(max_size=200))
def test_any_text_survives(text: str) -> None:
    assert response(text).behaviour in ("answered", "refused", "asked_back", "corrected")
