"""The language of a document is told from its small words, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.corpus.language import detect, detect_each, detect_joined

SENTENCES = {
    "en": "The skipper files the plan before the boat leaves, and the duty officer signs it when they are back.",
    "fr": "Le skipper remet le plan avant le départ du bateau, et l’officier de garde le signe dans la soirée.",
    "de": "Der Schiffer gibt den Plan ab, bevor das Boot ablegt, und der Wachhabende zeichnet ihn auch nicht vorher.",
    "es": "El patrón entrega el plan antes de que salga el barco, y el oficial de guardia lo firma por la tarde.",
    "it": "Lo skipper consegna il piano prima che la barca parta, e l’ufficiale di guardia non lo firma alla sera.",
    "nl": "De schipper levert het plan in voordat de boot vertrekt, en de dienstdoende officier tekent het niet.",
    "pt": "O comandante entrega o plano antes que o barco saia, e o oficial de serviço não o assina pela manhã.",
    "sv": "Skepparen lämnar in planen innan båten går, och det är vakthavande som skriver under den när de är ute.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_enough(code: str) -> None:
    assert detect(SENTENCES[code]) == code


@pytest.mark.parametrize(
    "text", ["", "12 34 56 | 78", "Orrin", "δεν υπάρχει κανένα σχέδιο για το σκάφος αυτό σήμερα", "x y z " * 50]
)
def test_what_cannot_be_told_is_none(text: str) -> None:
    assert detect(text) is None


def test_a_long_document_is_judged_by_its_middle_too() -> None:
    title_page = "ORRIN 1968 PELL QUAY " * 300
    assert detect(title_page + SENTENCES["fr"] * 500) == "fr"


def test_each_source_has_its_own_language_and_short_ones_follow_the_rest() -> None:
    pairs = [("a", SENTENCES["fr"]), ("b", SENTENCES["en"]), ("b", SENTENCES["en"]), ("c", "Quay 7")]
    assert detect_each(pairs) == {"a": "fr", "b": "en", "c": "en"}
    assert detect_each([("c", "Quay 7")]) == {"c": None}


@given(st.lists(st.sampled_from([*SENTENCES.values(), "", "12 34", "the of and\n\nle la les"]), min_size=1, max_size=6))
def test_texts_together_are_as_one_text(texts: list[str]) -> None:
    assert detect_joined(texts) == detect("\n".join(texts))


def test_long_texts_together_are_sampled_as_one() -> None:
    texts = [SENTENCES["en"] * 100, SENTENCES["fr"] * 200]
    assert detect_joined(texts) == detect("\n".join(texts))
