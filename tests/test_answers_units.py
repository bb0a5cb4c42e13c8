"""Units that are written in several ways are one word, in gold sets and for the reference judge."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.gold.support import Claim, examine
from assay.judges import Answer, ReferenceJudge, VerdictRule
from assay.judges.words import content_terms
from assay.metrics.answers import groundedness, units
from assay.metrics.answers.units import units_spelled


def test_examples_in_the_code() -> None:
    found = doctest.testmod(units)
    assert (found.attempted, found.failed) == (2, 0)


@pytest.mark.parametrize(
    "forms",
    [
        ("25 €", "€25", "25 euros", "25 EUR", "25€", "25 Euro"),
        ("5 %", "5%", "5 percent", "5 per cent", "5 pour cent", "5 pourcent"),
        ("$7", "7 dollars", "7 USD", "7 dollar"),
        ("£9", "9 pounds", "9 pounds sterling", "9 livres sterling", "GBP 9"),
        ("5 km", "5km", "5-km", "5 kilometres", "5 kilometers", "5 kilomètres"),
        ("50 km/h", "50 kph", "50 kilometres per hour", "50 kilomètres par heure", "50 kilomètres à l’heure"),
        ("3 m", "3m", "3 metres", "3 meters", "3 mètres"),
        ("40 m²", "40 square metres", "40 mètres carrés"),
        ("2 kg", "2kg", "2 kilograms", "2 kilogrammes", "2 kilos"),
        ("2 l", "2 L", "2 litres", "2 liters"),
        ("90 min", "90 mins", "90 minutes", "90 mn"),
        ("2 h", "2 hrs", "2 hours", "2 heures"),
        ("20 °C", "20°C", "20 degrees Celsius", "20 degrés Celsius"),
        ("6 kts", "6 knots", "6 nœuds", "6 noeuds"),
        ("8 kWh", "8 kilowatt-hours", "8 kilowattheures"),
    ],
)
def test_one_unit_in_many_spellings(forms: tuple[str, ...]) -> None:
    first, *others = (sorted(units_spelled(form).replace("-", " ").split()) for form in forms)
    assert others == [first] * len(others)
    for said in forms:
        for known in forms:
            found = examine(Claim(answer=f"It is {said}"), f"The sign says: {known}.", "en")
            assert (found.missing, found.numbers, found.coverage) == ((), (), 1.0), (said, known)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("£5m", "pound 5m"),  # millions
        ("5 M€", "5 m euro"),
        ("the 1990s", "the 1990s"),
        ("8h30", "8h30"),  # a time of day
        ("les 5 l'ont dit", "les 5 l'ont dit"),
        ("pour cent euros", "pour cent euro"),  # for a hundred euros
        ("diameters", "diameters"),
        ("a gram of m", "a gram of m"),
        ("Minister", "minister"),
    ],
)
def test_what_only_looks_like_a_unit_stays(text: str, same: str) -> None:
    assert units_spelled(text).split() == same.split()


@given(st.text())
def test_any_text_survives_and_a_second_time_changes_nothing(text: str) -> None:
    once = units_spelled(text)
    assert units_spelled(once).split() == once.split()


@pytest.mark.parametrize(
    ("answer", "chunk", "language", "method"),
    [
        ("La cotisation coûte 25 euros", "Cotisation : coûte 25 €.", "fr", "coverage"),
        ("La cotisation coûte 25 €", "La cotisation coûte vingt-cinq euros.", "fr", "coverage"),
        ("25 dollars", "The fee is $25.", "en", "coverage"),
        ("25 euros", "The fee is $25.", "en", None),  # another currency
        ("5 %", "The fee is 5 dollars.", "en", None),
        ("12 per cent of members", "12% of members", "en", "coverage"),
    ],
)
def test_an_answer_stands_in_its_chunk_whatever_its_signs(
    answer: str, chunk: str, language: str, method: str | None
) -> None:
    assert examine(Claim(answer=answer), chunk, language).method() == method


def judged(text: str, reference: str) -> tuple[str | None, float | None]:
    answer = Answer(case_id="q", question="How much is it?", text=text, references=(reference,), context=reference)
    judgment = ReferenceJudge(VerdictRule()).judgment(answer)
    return judgment.verdict, judgment.correctness


@pytest.mark.parametrize(
    ("text", "reference"), [("25 €", "25 euros"), ("5 per cent", "5 %"), ("$7", "7 dollars"), ("5 km", "5 kilometres")]
)
def test_the_reference_judge_takes_signs_for_words(text: str, reference: str) -> None:
    """Exact match, and so everything of correctness: 1 + 4 · 1."""
    assert judged(text, reference) == ("pass", 5.0)
    assert judged(reference, text) == ("pass", 5.0)


def test_another_unit_is_another_answer() -> None:
    """C = 1/2 (the number), F1 = 1/2: x = 1/2. Without their signs, `25 $` and `25 €` would be the same."""
    assert judged("25 $", "25 €") == ("partial", 3.0)
    assert judged("25 dollars", "25 euros") == ("partial", 3.0)


def test_signs_are_words_of_the_context() -> None:
    found = groundedness("It costs 25 euros", "Costs: 25 €", content_terms("en"))
    assert (found.score.value, found.words) == (1.0, ())
    assert groundedness("It costs 25 dollars", "Costs: 25 €", content_terms("en")).words == ("dollar",)
