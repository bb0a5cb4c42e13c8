"""Planted defects: each is one known flaw in a clean set, and the gate that must name it; and clean neighbours.

A neighbour is as near to a defect as an honest set comes: it must pass every gate.
"""

# ruff: noqa: E501 (a row of a table is one line)
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gold_sets import Change, Raw, clean, failed, verified

from assay.gold.gates import GATES


def put(row: int, path: str, value: Any) -> Change:
    """Set one leaf of one question."""

    def change(raws: list[Raw]) -> None:
        holder = raws[row]
        *groups, key = path.split(".")
        for group in groups:
            holder = holder[group]
        holder[key] = value

    return change


def drop(row: int, path: str) -> Change:
    def change(raws: list[Raw]) -> None:
        holder = raws[row]
        *groups, key = path.split(".")
        for group in groups:
            holder = holder[group]
        del holder[key]

    return change


def both(*changes: Change) -> Change:
    def change(raws: list[Raw]) -> None:
        for each in changes:
            each(raws)

    return change


def answer(row: int, text: str, **kind: Any) -> Change:
    return both(
        put(row, "content.expected_answer", text),
        *(put(row, f"classification.{name}", value) for name, value in kind.items()),
    )


def asks(row: int, text: str) -> Change:
    return put(row, "content.question", text)


def each(path: str, value: Callable[[int], Any], rows: range = range(20)) -> Change:
    return both(*(put(row, path, value(row)) for row in rows))


def keep(*rows: int) -> Change:
    def change(raws: list[Raw]) -> None:
        raws[:] = [raws[row] for row in rows]

    return change


def classes(facts: int) -> Change:
    """So many of the 14 answerable questions are fact_single."""
    return each("classification.reasoning_class", lambda row: "fact_single" if row < facts else "summary", range(14))


def mcq(correct: str, letter: str = "B") -> Change:
    choices = {
        "A": "Ms Ida Marwick",
        "B": "Both rooms are booked with Ms Petra Quill",
        "C": "The porter",
        "D": "Nobody",
    }
    return both(
        put(6, "mcq.choices", choices),
        put(6, "mcq.mcq_answer", letter),
        put(6, "mcq.correct_answer", correct),
        put(6, "classification.answer_type", "multiple_choice"),
        put(
            6, "provenance.annales_source", {"session": "2025-06", "uv": "UV2", "question_num": 7, "success_rate": 0.4}
        ),
    )


WHOLE = None
"""The flaw is of the set, not of one question."""

DEFECTS: list[tuple[str, str, str | None, Change]] = [
    # the answer and its chunk
    ("the answer is from another chunk", "G3-1", "q00", answer(0, "The head librarian is Ida Marwick")),
    ("the answer is from another chunk", "G1-1", "q00", answer(0, "The head librarian is Ida Marwick")),
    ("the answer is from another chunk", "G3-2", "q00", answer(0, "The head librarian is Ida Marwick")),
    ("a number is changed", "G3-1", "q03", answer(3, "It never exceeds 8 pounds for one book")),
    ("a number is changed", "G3-2", "q03", answer(3, "It never exceeds 8 pounds for one book")),
    ("a number is that of the neighbour", "G3-1", "q07", answer(7, "The Alder Room seats 24 people at once")),
    ("a spelled number is changed", "G3-1", "q00", answer(0, "Adult readers may borrow seven books")),
    ("a year is changed", "G3-1", "q09", answer(9, "the parish registers from 1594 to 1901")),
    ("a decimal point has moved", "G3-1", "q02", answer(2, "it is replaced for 0.4 pounds")),
    ("a negation is dropped", "G3-1", "q00", both(asks(0, "Can an encyclopedia be taken home?"), answer(0, "Reference books are lent to anybody"))),
    ("a negation is dropped", "G1-2", "q12", both(asks(12, "May the elevator be taken in an emergency?"), answer(12, "The lift must be used during an alarm"))),
    ("a negation is added", "G3-1", "q05", answer(5, "Unpaid fines above 15 pounds do not close the account")),
    ("true, but not in the chunk", "G3-1", "q04", answer(4, "A bookbinder from the neighbouring village of Hemlock values it")),
    ("true, but not in the chunk", "G1-2", "q11", answer(11, "Four years, counted from the meeting of the trustees in spring")),
    ("the answer has no content words", "G3-1", "q06", answer(6, "with both of them")),
    ("a bare yes that nothing explains", "G3-1", "q08", both(answer(8, "Yes", answer_type="yes_no"), put(8, "provenance.answer_explanation", ""))),
    ("half of the words are invented", "G3-2", "q10", answer(10, "The Guild of Brewers and several wealthy merchants donated generously")),
    ("in other words than the chunk", "G1-2", "q13", answer(13, "In April and in October drills are held")),
    ("arithmetic that nobody explains", "G3-1", "q06", both(asks(6, "What do two hours in the smaller hall cost?"), answer(6, "It costs 36 pounds", reasoning_class="arithmetic"))),
    # the link
    ("page off by one", "G1-1", "q02", put(2, "provenance.pages", [3])),
    ("a page beyond the end of the document", "G1-1", "q02", put(2, "provenance.pages", [2, 99])),
    ("a page before its beginning", "G1-1", "q02", put(2, "provenance.pages", [0, 2])),
    ("the chunk is of another document", "G1-1", "q02", put(2, "provenance.docs", ["fines.pdf"])),
    ("a document with a name that ends alike", "G1-1", "q02", put(2, "provenance.docs", ["unlending.pdf"])),
    ("the chunk is not in the index", "G1-1", "q01", put(1, "provenance.chunk_id", "lending.pdf-9")),
    ("the chunk is not in the index", "G3-2", "q01", put(1, "provenance.chunk_id", "lending.pdf-9")),
    ("a stored score of 100 that is false", "G1-1", "q09", both(put(9, "processing.chunk_match_score", 100), put(9, "provenance.chunk_id", "staff.md-1"))),
    ("a stored status that is false", "G3-1", "q09", both(put(9, "validation.status", "VALIDATED"), put(9, "provenance.chunk_id", "staff.md-1"))),
    ("rejected and still here", "G3-2", "q09", put(9, "validation.status", "REJECTED")),
    ("the chunk was guessed afterwards", "G4-2", "q05", put(5, "processing.chunk_match_method", "embedding")),
    # wording
    ("according to the passage above", "G1-5", "q00", asks(0, "According to the passage above, how many volumes can a grown-up take?")),
    ("this document", "G1-5", "q00", asks(0, "How many volumes does this document allow a grown-up?")),
    ("a pronoun with nothing to point to", "G1-5", "q11", asks(11, "For how long do they hold office?")),
    ("no question mark", "G1-4", "q03", asks(3, "Up to what sum can being late with a single title add up.")),
    ("too short", "G1-4", "q03", asks(3, "How much?")),
    ("the question quotes its chunk", "G5-2", "q10", asks(10, "Who paid when the restoration cost 6200 pounds and was paid by the Guild?")),
    ("the question is its chunk", "G5-2", "q09", asks(9, "Is it so: the archive keeps the parish registers from 1584 to 1901, registers are shown in the vault on Tuesdays, visitors wear gloves and write with pencils only?")),
    ("another language than the chunk", "G3-3", "q13", asks(13, "Dans quels mois de l’année est-ce que les exercices d’évacuation ont lieu dans la bibliothèque ?")),
    ("another language than the chunk that the answer quotes", "G3-3", "q05", asks(5, "Quand est-ce que le lecteur perd son accès à la salle pour une dette ?")),
    # the unanswerable
    ("answered elsewhere in the corpus", "G2-4", "q14", asks(14, "When was the map of the river by Edwin Sallow drawn?")),
    ("answered elsewhere, asked for a name", "G2-4", "q15", asks(15, "Who is the head librarian?")),
    ("answerable and marked impossible", "G2-4", "q17", both(asks(17, "How many people does the Larch Room seat?"))),
    ("answerable in one question, not in another", "G2-4", "q15", asks(15, "For how long does a deputy hold the office?")),
    ("a false premise without its contradiction", "G2-4", "q16", put(16, "provenance.answer_explanation", None)),
    ("a false premise with an invented quote", "G2-4", "q16", put(16, "provenance.contradiction", "Cheques are refused since the robbery of 1977.")),
    ("of phase 2 and not impossible", "G2-1", "q14", put(14, "content.is_impossible", False)),
    ("an answerable one with a category", "G2-1", "q03", put(3, "classification.hard_type", "FALSE_PREMISE")),
    ("impossible, with an answer", "G2-1", "q15", put(15, "content.expected_answer", "three pounds")),
    ("impossible, with an answer type", "G2-1", "q15", put(15, "classification.answer_type", "extractive")),
    ("impossible, marked answerable", "G2-1", "q15", put(15, "classification.hard_type", "ANSWERABLE")),
    ("three categories", "G2-3", WHOLE, both(put(17, "classification.hard_type", "OUT_OF_SCOPE"), put(18, "classification.hard_type", "OUT_OF_SCOPE"), put(19, "classification.hard_type", "OUT_OF_SCOPE"))),
    ("too few unanswerable", "G2-2", WHOLE, keep(*range(18))),
    ("too many unanswerable", "G5-5", WHOLE, keep(*range(2, 14), *range(14, 20))),
    # the schema
    ("45 of 46 fields", "G4-1", "q04", drop(4, "audit.requires_inference")),
    ("a null where none may be", "G4-1", "q04", put(4, "classification.category", None)),
    ("a word that is none of the enumeration", "G4-1", "q04", put(4, "classification.cognitive_level", "Evaluate")),
    ("no group at all", "G4-1", "q04", drop(4, "mcq")),
    ("annales_source without its four leaves", "G4-1", "q04", put(4, "provenance.annales_source", None)),
    ("the right answer is another choice", "G4-1", "q06", mcq("The porter")),
    ("the right choice does not exist", "G4-1", "q06", mcq("Both rooms are booked with Ms Petra Quill", "E")),
    ("an answer of two letters", "G4-1", "q06", answer(6, "Ms")),
    # the mix
    ("a duplicate", "G5-1", "q13", both(asks(11, "Which months see an evacuation exercise?"), put(11, "provenance.pages", [1]))),
    ("a duplicate in other words", "G5-1", "q13", asks(13, "What does the doorkeeper do as soon as an alarm is raised?")),
    ("fact_single at 64 %", "G1-3", WHOLE, classes(9)),
    ("fact_single at 64 %", "G5-3", WHOLE, classes(9)),
    ("nothing is hard", "G5-4", WHOLE, each("classification.difficulty", lambda _: 0.69)),
    ("hard only among the unanswerable", "G5-8", WHOLE, each("classification.difficulty", lambda row: 0.9 if row > 13 else 0.3)),
    ("a cognitive level is missing", "G5-6", WHOLE, each("classification.cognitive_level", lambda row: ("Remember", "Understand", "Apply")[row % 3])),
    ("a question type is missing", "G5-7", WHOLE, each("classification.question_type", lambda row: ("factual", "scenario", "comparative")[row % 3])),
    ("four strata", "G0-1", WHOLE, keep(*range(9), *range(9, 11), 14, 15, 16, 17, 18)),
    ("documents left out", "G0-2", WHOLE, keep(0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 16, 17)),
]  # fmt: skip

NEIGHBOURS: list[tuple[str, Change]] = [
    ("nothing changed", both()),
    # the answer and its chunk
    ("other case, accents and white space", answer(0, "ADULT  readers  máy borrow\ntwelve books")),
    ("typographic quotes and dashes", answer(4, "valued by the binder, Mr Osric Tarn.")),
    ("the number with its word", answer(3, "It never exceeds 9 pounds for one book")),
    ("a number that stands in another sentence", answer(2, "A lost card is replaced for 4 pounds.")),
    ("the negation is kept", both(asks(12, "May the elevator be taken in an emergency?"), answer(12, "The lift must not be used during an alarm"))),
    ("no, with its reason", both(asks(12, "May the elevator be taken in an emergency?"), answer(12, "No, the lift must not be used during an alarm", answer_type="yes_no"))),
    ("yes, explained in the chunk’s words", both(asks(0, "Can journals be consulted for some time?"), answer(0, "Yes", answer_type="yes_no"), put(0, "provenance.answer_explanation", "Newspapers are kept in the reading room for ninety days"))),
    ("a negation about something else", both(asks(8, "Until when is calling off an event free?"), answer(8, "until 48 hours before it begins"))),
    ("a bare number", both(asks(9, "In which year do the church records begin?"), answer(9, "1584"))),
    ("a bare year that stands with others", both(asks(9, "In which year do the church records end?"), answer(9, "1901"))),
    ("a list", answer(13, "April and October", answer_type="list")),
    ("a name", answer(6, "Ms Petra Quill")),
    # the link
    ("a document by its path", put(2, "provenance.docs", ["docs/2026/lending.pdf"])),
    ("a document in other case", put(2, "provenance.docs", ["Lending.PDF"])),
    ("several documents, the right one first", put(2, "provenance.docs", ["lending.pdf", "fines.pdf"])),
    ("several pages, the right one among them", put(2, "provenance.pages", [1, 2])),
    ("pages of a document that the index does not have", both(put(2, "provenance.docs", ["lending.pdf", "statutes.pdf"]), put(2, "provenance.pages", [2, 99]))),
    ("no page known", put(2, "provenance.pages", [])),
    ("a stored score that is too low", put(2, "processing.chunk_match_score", 40)),
    ("a status that is too modest", put(2, "validation.status", "PENDING")),
    # wording
    ("a document that is named", asks(0, "How many volumes do the lending rules allow a grown-up?")),
    ("a pronoun with a name before it", asks(11, "How long do deputies serve before they are chosen anew?")),
    ("an it that stands for nothing", asks(3, "Up to what sum is it possible to be fined for a single title?")),
    ("ten characters", asks(3, "How much ?")),
    ("a French question mark", asks(3, "Up to what sum can being late with a single title add up ?")),
    ("a long name from the chunk", asks(10, "Was the Guild of Weavers or the town itself the one that financed the repair?")),
    ("the words of the chunk in another order", asks(9, "From and to which years does the archive keep registers of the parish?")),
    ("an ambiguous question may point to nothing", asks(18, "How much does that cost for an hour?")),
    # the unanswerable
    ("near the corpus, but not in it", asks(14, "Who drew the map of the county of Hereford?")),
    ("of another year", asks(17, "How many people did the Larch Room seat in 1960?")),
    ("a false premise with its quote", put(16, "provenance.contradiction", "Fines are paid in cash or by card at the desk, never by cheque.")),
    ("a published name of a category", put(16, "classification.hard_type", "FALSE_PRESUPPOSITION")),
    ("four categories", both(put(18, "classification.hard_type", "COUNTERFACTUAL"), put(14, "classification.hard_type", "INSUFFICIENT_INFO"))),
    ("32 % unanswerable", keep(*range(1, 20))),
    ("26 % unanswerable", keep(*range(14), *range(14, 19))),
    # the schema
    ("leaves that nobody knows", put(4, "some_other_field", {"kept": True})),
    ("nullable leaves that are null", both(put(4, "validation.verified_date", None), put(4, "provenance.answer_explanation", None))),
    ("an exam question", mcq("Both rooms are booked with Ms Petra Quill")),
    ("an answer of three characters that is a number", both(asks(7, "How many people fit into the larger hall?"), answer(7, "60"))),
    ("another question type for the unanswerable", put(14, "classification.question_type", "adversarial")),
    # the mix
    ("alike, but not the same", asks(13, "Which two months of the year see an evacuation exercise of the staff?")),
    ("fact_single at 57 %", classes(8)),
    ("hard at exactly 0.7", each("classification.difficulty", lambda row: 0.7 if row in (0, 1) else 0.1)),
    ("one of each level is enough", each("classification.cognitive_level", lambda row: ("Remember", "Understand", "Apply", "Analyze")[min(row, 3)])),
    ("documents in any order", lambda raws: raws.reverse()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "gate", "question", "change"), DEFECTS, ids=lambda value: value if isinstance(value, str) else None
)
def test_a_planted_defect_is_named(name: str, gate: str, question: str | None, change: Change, tmp_path: Path) -> None:
    raws = clean()
    change(raws)
    found = failed(verified(raws, tmp_path))
    assert gate in found, f"{name}: {found}"
    assert question in found[gate]


@pytest.mark.parametrize(("name", "change"), NEIGHBOURS, ids=lambda value: value if isinstance(value, str) else None)
def test_a_clean_neighbour_passes_every_gate(name: str, change: Change, tmp_path: Path) -> None:
    raws = clean()
    change(raws)
    assert failed(verified(raws, tmp_path)) == {}, name


def test_there_are_enough_of_both_and_no_gate_is_untried() -> None:
    assert len({name for name, *_ in DEFECTS}) >= 40
    assert len(NEIGHBOURS) >= 40
    assert {gate for _, gate, *_ in DEFECTS} == set(GATES.names())
