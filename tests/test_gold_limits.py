"""Every gate with the limits it ships with: the value at the limit, just below it and just above it."""

# ruff: noqa: E501 (a row of a table is one line)
from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gold_sets import Raw, clean, gold_file, index
from test_gold_defects import answer, asks, drop, put

from assay.config import Config
from assay.gold.absence import Absence
from assay.gold.evidence import Copied, Evidence, Strata
from assay.gold.gates import GATES
from assay.gold.support import Support
from assay.gold.verify import evidence_of

SHIPPED: dict[str, tuple[str, dict[str, float]]] = {
    "G0-1": ("blocking", {"strata": 5}),
    "G0-2": ("warning", {"at_least": 0.80}),
    "G1-1": ("blocking", {"score": 100}),
    "G1-2": ("blocking", {"similarity": 0.95}),
    "G1-3": ("warning", {"below": 0.60}),
    "G1-4": ("warning", {"characters": 10}),
    "G1-5": ("warning", {}),
    "G2-1": ("blocking", {}),
    "G2-2": ("warning", {"at_least": 0.25, "at_most": 0.33}),
    "G2-3": ("warning", {"categories": 4}),
    "G2-4": ("warning", {"words": 0.95, "twin": 0.90}),
    "G3-1": ("blocking", {"coverage": 0.80, "similarity": 0.90}),
    "G3-2": ("blocking", {"foreign": 0.50}),
    "G3-3": ("warning", {}),
    "G4-1": ("blocking", {"leaves": 46}),
    "G4-2": ("warning", {}),
    "G5-1": ("warning", {"similarity": 0.95}),
    "G5-2": ("blocking", {"below": 0.90, "words": 10, "share": 0.5}),
    "G5-3": ("warning", {"below": 0.60}),
    "G5-4": ("warning", {"difficulty": 0.7, "at_least": 0.10}),
    "G5-5": ("warning", {"at_least": 0.25, "at_most": 0.33}),
    "G5-6": ("warning", {"levels": 4}),
    "G5-7": ("warning", {"types": 4}),
    "G5-8": ("warning", {"difficulty": 0.7, "at_least": 0.10}),
}
NO_NUMBER = {"G1-5", "G2-1", "G3-3", "G4-2"}
"""All of them or not: one question that fails, and none."""


def test_every_gate_ships_with_these_limits_and_this_severity() -> None:
    assert {name: (GATES.get(name).severity, GATES.get(name).limits) for name in GATES.names()} == SHIPPED
    assert {name for name in GATES.names() if GATES.get(name).blocks_by_model} == {"G2-4"}
    assert all(GATES.get(name).phase == int(name[1]) for name in SHIPPED)


def below(value: float) -> float:
    return math.nextafter(value, -math.inf)


def above(value: float) -> float:
    return math.nextafter(value, math.inf)


Made = Callable[[Path], Evidence]


def of(raws: list[Raw], folder: Path) -> Evidence:
    return evidence_of(gold_file(raws, folder), index(), Config())


def hundred(kind: str, first: int, one: object, other: object, among: int = 14) -> Made:
    """100 questions, the first so many with one value of a classification, the rest with the other."""

    def make(folder: Path) -> Evidence:
        raws = [copy.deepcopy(clean()[n % among]) for n in range(100)]
        for n, raw in enumerate(raws):
            raw["id"] = f"q{n:03d}"
            raw["classification"][kind] = one if n < first else other
        return of(raws, folder)

    return make


def facts(first: int) -> Made:
    return hundred("reasoning_class", first, "fact_single", "summary")


def hard(first: int, difficulty: float = 0.7) -> Made:
    return hundred("difficulty", first, difficulty, 0.1)


def absent(count: int) -> Made:
    """So many of 100 are unanswerable."""

    def make(folder: Path) -> Evidence:
        raws = [copy.deepcopy(clean()[14 if n < count else 0]) for n in range(100)]
        for n, raw in enumerate(raws):
            raw["id"] = f"q{n:03d}"
        return of(raws, folder)

    return make


def spread(kind: str, *values: str) -> Made:
    """All 20 questions share these values of a classification."""

    def make(folder: Path) -> Evidence:
        raws = clean()
        rows = range(14, 20) if kind == "hard_type" else range(20)
        for row in rows:
            put(row, f"classification.{kind}", values[row % len(values)])(raws)
        return of(raws, folder)

    return make


def changed(change: Callable[[list[Raw]], None]) -> Made:
    def make(folder: Path) -> Evidence:
        raws = clean()
        change(raws)
        return of(raws, folder)

    return make


def supported(**measured: object) -> Made:
    """The first answer stands in its chunk so far; all others are quotes."""

    def make(folder: Path) -> Evidence:
        evidence = of(clean(), folder)
        quoted = {question.id: Support(verbatim=True, coverage=1.0) for question in evidence.answerable}
        evidence.supports = quoted | {"q00": Support(**measured)}  # type: ignore[arg-type]
        return evidence

    return make


def copying(similarity: float, words: int, share: float) -> Made:
    def make(folder: Path) -> Evidence:
        evidence = of(clean(), folder)
        evidence.copies = {"q00": Copied(similarity, words, share)}
        return evidence

    return make


def quotas(**counts: int) -> Made:
    def make(folder: Path) -> Evidence:
        evidence = of(clean(), folder)
        evidence.strata = Strata(counts, 20)
        return evidence

    return make


def from_documents(count: int) -> Made:
    """Questions of so many of the five documents."""

    def make(folder: Path) -> Evidence:
        raws = clean()
        kept = sorted({raw["provenance"]["docs"][0] for raw in raws})[:count]
        return of([raw for raw in raws if raw["provenance"]["docs"][0] in kept], folder)

    return make


def answered(share: float) -> Made:
    def make(folder: Path) -> Evidence:
        evidence = of(clean(), folder)
        found = {q.id: Absence(by="rule", share=0.0) for q in evidence.impossible}
        evidence.absences = found | {"q14": Absence(by="rule", share=share, chunk_id="staff.md-1", quote="There.")}
        evidence.vectors = np.eye(20, 32, dtype=np.float32)
        return evidence

    return make


def alike(first: int, second: int, cosine: float) -> Made:
    """All questions are at right angles but these two."""

    def make(folder: Path) -> Evidence:
        evidence = of(clean(), folder)
        vectors = np.eye(20, 32, dtype=np.float64)
        vectors[second, second], vectors[second, first] = math.sqrt(1 - cosine**2), cosine
        evidence.vectors = vectors.astype(np.float32)
        evidence.absences = {q.id: Absence(by="rule", share=0.0) for q in evidence.impossible}
        return evidence

    return make


SIX = ("OUT_OF_SCOPE", "INSUFFICIENT_INFO", "TEMPORAL_MISMATCH", "AMBIGUOUS", "COUNTERFACTUAL")
LEVELS = ("Remember", "Understand", "Apply", "Analyze")
TYPES = ("factual", "procedural", "scenario", "comparative")
WEAK = {"coverage": 0.6, "missing": ("word",)}

ROWS: list[tuple[str, str, Made, bool]] = [
    ("G0-1", "4 strata of 5 documents", quotas(a=5, b=5, c=5, d=5), False),
    ("G0-1", "5 strata", quotas(a=4, b=4, c=4, d=4, e=4), True),
    ("G0-1", "6 strata", quotas(a=4, b=4, c=4, d=4, e=2, f=2), True),
    ("G0-1", "one question too few for the target", quotas(a=4, b=4, c=4, d=4, e=3), False),
    ("G0-1", "one question too many for the target", quotas(a=4, b=4, c=4, d=4, e=5), False),
    ("G0-2", "3 of 5 documents", from_documents(3), False),
    ("G0-2", "4 of 5 documents", from_documents(4), True),
    ("G0-2", "5 of 5 documents", from_documents(5), True),
    ("G1-1", "99 of 100: all words, another number", supported(coverage=1.0, numbers=("9",)), False),
    ("G1-1", "all words but not as a quote", supported(coverage=1.0), True),
    ("G1-1", "0.80 of the words", supported(coverage=0.80), True),
    ("G1-1", "less than 0.80 of the words", supported(coverage=below(0.80)), False),
    ("G1-2", "below 0.95", supported(coverage=1.0, similarity=below(0.95)), False),
    ("G1-2", "0.95", supported(coverage=1.0, similarity=0.95), True),
    ("G1-2", "above 0.95", supported(coverage=1.0, similarity=above(0.95)), True),
    ("G1-2", "never measured", supported(coverage=1.0), False),
    ("G1-2", "0.99 with another number", supported(coverage=1.0, similarity=0.99, numbers=("9",)), False),
    ("G1-2", "0.99 with a turned negation", supported(coverage=1.0, similarity=0.99, denial="not"), False),
    *((gate, f"{count} of 100 fact_single", facts(count), count < 60) for gate in ("G1-3", "G5-3") for count in (59, 60, 61)),
    ("G1-4", "9 characters", changed(asks(3, "How much?")), False),
    ("G1-4", "10 characters", changed(asks(3, "How much ?")), True),
    ("G1-4", "11 characters", changed(asks(3, "How much is?")), True),
    ("G1-5", "points to nothing", changed(asks(3, "How much is paid by a reader who is late?")), True),
    ("G1-5", "points to a passage", changed(asks(3, "How much is paid according to this passage?")), False),
    ("G2-1", "of phase 2 and impossible", changed(lambda _: None), True),
    ("G2-1", "of phase 2 and not impossible", changed(put(14, "content.is_impossible", False)), False),
    *((gate, f"{count} of 100 unanswerable", absent(count), 25 <= count <= 33) for gate in ("G2-2", "G5-5") for count in (24, 25, 26, 32, 33, 34)),
    ("G2-3", "3 categories", spread("hard_type", *SIX[:3]), False),
    ("G2-3", "4 categories", spread("hard_type", *SIX[:4]), True),
    ("G2-3", "5 categories", spread("hard_type", *SIX), True),
    ("G2-4", "below 0.95 of the words in one place", answered(below(0.95)), True),
    ("G2-4", "0.95 of the words in one place", answered(0.95), False),
    ("G2-4", "above 0.95 of the words in one place", answered(above(0.95)), False),
    ("G2-4", "cosine 0.89 with an answerable one", alike(0, 15, 0.89), True),
    ("G2-4", "cosine 0.90 with an answerable one", alike(0, 15, 0.90), False),
    ("G2-4", "cosine 0.91 with an answerable one", alike(0, 15, 0.91), False),
    ("G2-4", "cosine 0.99 with another unanswerable one", alike(14, 15, 0.99), True),
    ("G3-1", "below 0.80 of the words", supported(coverage=below(0.80), missing=("word",)), False),
    ("G3-1", "0.80 of the words", supported(coverage=0.80, missing=("word",)), True),
    ("G3-1", "above 0.80 of the words", supported(coverage=above(0.80), missing=("word",)), True),
    ("G3-1", "similarity below 0.90", supported(similarity=below(0.90), **WEAK), False),
    ("G3-1", "similarity 0.90", supported(similarity=0.90, **WEAK), True),
    ("G3-1", "similarity above 0.90", supported(similarity=above(0.90), **WEAK), True),
    ("G3-1", "all words and another number", supported(coverage=1.0, similarity=1.0, numbers=("9",)), False),
    ("G3-1", "no content words", supported(), False),
    ("G3-2", "less than half is foreign", supported(coverage=0.51, missing=("word",)), True),
    ("G3-2", "half is foreign", supported(coverage=0.50, missing=("word",)), False),
    ("G3-2", "more than half is foreign", supported(coverage=0.49, missing=("word",)), False),
    ("G3-3", "of the language of its chunk", changed(asks(3, "How much does a reader pay for a book that is late?")), True),
    ("G3-3", "of another language", changed(asks(3, "Combien est-ce que le lecteur paie pour un livre en retard ?")), False),
    ("G4-1", "45 leaves", changed(drop(4, "audit.requires_inference")), False),
    ("G4-1", "46 leaves", changed(lambda _: None), True),
    ("G4-1", "47 keys", changed(put(4, "audit.our_own", 1)), True),
    ("G4-1", "an answer of 5 characters", changed(answer(4, "Osric")), False),
    ("G4-1", "an answer of 6 characters", changed(answer(4, "binder")), True),
    *(("G4-1", f"a short answer: {text}", changed(answer(4, text)), True) for text in ("60", "May 3", "June", "seven", "£9", "8h30", "no", "Oui.")),
    *(("G4-1", f"a short answer: {text}", changed(answer(4, text)), False) for text in ("Ms", "both", "D", "")),
    ("G4-2", "by design", changed(lambda _: None), True),
    ("G4-2", "guessed", changed(put(5, "processing.chunk_match_method", "embedding")), False),
    ("G5-1", "cosine 0.949", alike(0, 1, 0.949), True),
    ("G5-1", "cosine 0.951", alike(0, 1, 0.951), False),
    ("G5-1", "cosine 1", alike(0, 1, 1.0), False),
    ("G5-2", "below 0.90", copying(below(0.90), 0, 0.0), True),
    ("G5-2", "0.90", copying(0.90, 0, 0.0), False),
    ("G5-2", "above 0.90", copying(above(0.90), 0, 0.0), False),
    ("G5-2", "9 words", copying(0.1, 9, 1.0), True),
    ("G5-2", "10 words", copying(0.1, 10, 1.0), False),
    ("G5-2", "11 words", copying(0.1, 11, 1.0), False),
    ("G5-2", "less than half of the question", copying(0.1, 12, below(0.5)), True),
    ("G5-2", "half of the question", copying(0.1, 12, 0.5), False),
    ("G5-2", "more than half of the question", copying(0.1, 12, above(0.5)), False),
    *((gate, f"{count} of 100 hard", hard(count), count >= 10) for gate in ("G5-4", "G5-8") for count in (9, 10, 11)),
    *((gate, f"difficulty {value}", hard(10, value), value >= 0.7) for gate in ("G5-4", "G5-8") for value in (below(0.7), 0.7, above(0.7))),
    ("G5-6", "3 levels", spread("cognitive_level", *LEVELS[:3]), False),
    ("G5-6", "4 levels", spread("cognitive_level", *LEVELS), True),
    ("G5-7", "3 types", spread("question_type", *TYPES[:3]), False),
    ("G5-7", "4 types", spread("question_type", *TYPES), True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("gate", "what", "made", "passes"), ROWS, ids=lambda value: value if isinstance(value, str) else None
)
def test_a_value_at_its_limit(gate: str, what: str, made: Made, passes: bool, tmp_path: Path) -> None:
    found = GATES.get(gate)
    checked = found.check(made(tmp_path), found.limits)
    assert checked.undefined is None
    assert (not checked.failures) is passes, f"{what}: {checked.failures}"


def test_every_gate_is_tried_on_both_sides() -> None:
    assert {(gate, passes) for gate, _, _, passes in ROWS} == {
        (gate, side) for gate in SHIPPED for side in (True, False)
    }
    assert {gate for gate, (_, limits) in SHIPPED.items() if not limits} == NO_NUMBER


def test_the_limits_of_the_build_are_those_of_the_gates() -> None:
    """Whoever asks a support without a limit, and the choice of a mix, mean the same numbers as the gates."""
    assert Support(coverage=0.80).method() == "coverage"
    assert Support(coverage=below(0.80), similarity=0.90).method() == "similarity"
    assert Support(coverage=below(0.80), similarity=below(0.90)).method() is None
    balance = Config().gold.balance
    assert (balance.unanswerable[0], balance.unanswerable[2]) == tuple(SHIPPED["G5-5"][1].values())
    assert balance.fact_single_limit == SHIPPED["G5-3"][1]["below"]
    assert balance.hard == SHIPPED["G5-8"][1]["at_least"]
    assert [tuple(getattr(balance, name)[::2]) for name in ("fact_single", "summary", "reasoning")] == [
        (0.40, 0.50),
        (0.15, 0.25),
        (0.10, 0.20),
    ]
