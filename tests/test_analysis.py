"""From text to terms: elisions, numbers, compounds, scripts, languages, and anything a person can type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.retrievers.analysis import STEMMERS, Analyzer, analyzer, content_words, language_code, pieces, query_terms


def terms(text: str, language: str = "en") -> list[str]:
    return [term.text for piece in pieces(text) for term in analyzer(language).terms(piece)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("l'arbitre", "fr", ["arbitr"]),
        ("l’arbitre", "fr", ["arbitr"]),
        ("Lʼarbitre", "fr", ["arbitr"]),
        ("L`ARBITRE", "fr", ["arbitr"]),
        ("l´arbitre", "fr", ["arbitr"]),
        ("qu’il", "fr", ["il"]),
        ("jusqu’à", "fr", ["a"]),
        ("aujourd’hui", "fr", ["aujourdhui"]),
        ("d’aujourd'hui", "fr", ["aujourdhui"]),
        ("John’s", "en", ["john"]),
        ("o'clock", "en", ["oclock"]),
        ("signs signed signing", "en", ["sign", "sign", "sign"]),
        ("réglementations réglementation", "fr", ["reglement", "reglement"]),
        ("élève eleve", "fr", ["elev", "elev"]),
        ("cœur coeur Cœur", "fr", ["coeur", "coeur", "coeur"]),
        ("Straße STRASSE", "de", ["strass", "strass"]),
        ("ﬁle ＦＩＬＥ", "en", ["file", "file"]),
        ("anti\u00adfouling", "en", ["antifoul"]),
        ("U.S.A. USA", "en", ["usa", "usa"]),
        ("handle_spec_auto", "en", ["handlespecauto", "handl", "spec", "auto"]),
        ("__init__ _word_", "en", ["init", "word"]),
        ("e-mail", "en", ["email", "e", "mail"]),
        ("vice‑president", "en", ["vicepresid", "vice", "presid"]),
        ("est-il", "fr", ["est", "il"]),
        ("example.com/path", "en", ["exampl", "com", "path"]),
        ("ไทย 日本", "en", ["ไ", "ท", "ย", "ไท", "ทย", "日", "本", "日本"]),
        ("iPhone的", "en", ["iphon", "的"]),
        ("हिन्दी", "en", ["हिन्दी"]),
        ("שָׁלוֹם שלום", "en", ["שלום", "שלום"]),
        ("кафе", "en", ["кафе"]),
    ],
)
def test_terms_of_words(text: str, language: str, expected: list[str]) -> None:
    assert terms(text, language) == expected


@pytest.mark.parametrize(
    ("written", "searched"),
    [
        ("1,857", "1857"),
        ("1.857", "1857"),
        ("1 857".replace(" ", "\u202f"), "1857"),
        ("1\u00a0857", "1,857"),
        ("1,857,000", "1857000"),
        ("3.5", "3.5"),
        ("3,5", "3.5"),
        ("1.857,50", "1,857.50"),
        ("£3.50.", "3.50"),
        ("5-7.5", "7.5"),
        ("12.05.2024", "2024"),
        ("3.11.2", "3.11.2"),
        ("FP-1", "FP1"),
    ],
)
def test_numbers_are_found_however_they_are_written(written: str, searched: str) -> None:
    assert set(terms(searched)) & set(terms(written))


def test_a_decimal_is_not_its_digits() -> None:
    assert not set(terms("3.5")) & set(terms("35"))


@pytest.mark.parametrize("text", ["", " ", "?!… —", "\x00", "\ud800", "😀🎉", "___", "'''", "\u0301", "\u200b", "`"])
def test_what_holds_no_word_gives_no_term(text: str) -> None:
    assert terms(text) == []
    assert query_terms(text, [analyzer("en"), analyzer("fr")]) == {}


@given(st.text(st.characters(), max_size=200), st.sampled_from(["en", "fr", "tr", "zh", "xx"]))
def test_any_text_survives(text: str, language: str) -> None:
    found = terms(text, language)
    assert all(found)
    assert all(term == term.casefold() and not term.isspace() for term in found if term.isascii())
    "\n".join(found).encode()
    assert not any("\n" in term for term in found)
    assert set(query_terms(text, [analyzer(language), analyzer("en")])) <= {*found, *terms(text, "en")}


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), max_size=100))
def test_upper_case_and_unicode_form_do_not_matter(text: str) -> None:
    import unicodedata

    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


def test_words_of_a_query() -> None:
    english, french = analyzer("en"), analyzer("fr")
    assert query_terms("Who signs the float plan?", [english]) == {"sign": 1, "float": 1, "plan": 1}
    assert query_terms("the of and", [english]) == {"the": 1, "of": 1, "and": 1}, "nothing else remains"
    assert query_terms("plan after plan", [english]) == {"plan": 2}, "asked for twice, as Lucene and bm25s count it"
    assert query_terms("don't sign", [english]) == {"sign": 1}
    assert query_terms("Qu’est-ce que l’arbitre signe ?", [french]) == {"arbitr": 1, "sign": 1}


def test_a_query_is_stemmed_in_every_language_of_the_index() -> None:
    both = [analyzer("en"), analyzer("fr")]
    assert query_terms("réglementations", both) == {"reglement": 1}
    assert set(query_terms("generally", both)) == {"general", "generally"}
    assert query_terms("sign", both) == {"sign": 1}, "a shared stem is one word"


def test_stop_words_of_another_language_are_content() -> None:
    """`car` is French for `because`: it is dropped only from a query that shows two French words."""
    both = [analyzer("en"), analyzer("fr")]
    assert "car" in query_terms("car insurance", both)
    assert "car" in query_terms("what is the price of the car", both)
    assert query_terms("car il est tard", both) == {"tard": 1}


def test_content_words() -> None:
    assert content_words("Who signs the plans, and the plan's copies?", "en") == {"sign", "plan", "copi"}
    assert content_words("", "en") == set()
    assert content_words("L’arbitre n’est pas là.", "fr-FR") == {"arbitr"}


def test_a_word_without_end_is_cut() -> None:
    assert [len(term) for term in terms("x" * 10_000)] == [80]


def test_language_names() -> None:
    assert [
        language_code(name) for name in ("fr", "fr-FR", "FR_ca", "French", " english ", "nb", "klingon", "auto")
    ] == (["fr", "fr", "fr", "fr", "en", "no", "klingon", "auto"])


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_every_listed_stemmer_is_there(language: str) -> None:
    assert [term.text for term in Analyzer(language).terms("a")] != []
