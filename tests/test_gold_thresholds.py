"""Every limit of every gate at its boundary, just below and just above; severities; settings that make no sense."""

# ruff: noqa: E501 (a row of a table is one line)
from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from gold_sets import Change, Raw, clean, gold_file, index, verified
from small_index import write_index
from test_gold_defects import answer, asks, both, classes, drop, each, keep, put

from assay.config import Config, GoldGate, GoldOptions
from assay.errors import AssayError
from assay.gold.gates import GATES, Outcome
from assay.gold.grounds import Grounds
from assay.gold.verify import Verification, evidence_of
from assay.records import Chunk

Measure = Callable[[Verification], float]


def with_gate(gate: str, severity: str | None = None, limits: dict[str, float] | None = None) -> Config:
    return Config(gold=GoldOptions(gates={gate: GoldGate(severity=severity, limits=limits or {})}))  # type: ignore[arg-type]


def outcome_of(gate: str, found: Verification) -> Outcome:
    return next(outcome for outcome in found.outcomes if outcome.gate == gate)


def value_of(gate: str, question: str | None = None) -> Measure:
    """What a gate measured: of the set, or of one question that failed it."""

    def measure(found: Verification) -> float:
        outcome = outcome_of(gate, found)
        if question is None:
            value = outcome.value
        else:
            value = next(failure.value for failure in outcome.failures if failure.question == question)
        assert isinstance(value, int | float)
        return float(value)

    return measure


def known(value: float) -> Measure:
    return lambda _: value


PARAPHRASE = answer(13, "In April and in October drills are held")
FOREIGN = answer(10, "The Guild of Weavers and Brewers")
"""Content words guild, weaver, brewer: one of three is foreign."""
OF_FIVE = answer(4, "valued by the binder Osric Tarn yesterday")
"""valued, binder, osric, tarn, yesterday: four of five stand in the chunk."""
COPY = asks(10, "Who paid when the restoration cost 6200 pounds and was paid by the Guild?")
"""14 words, 11 of them in one run: the restoration ... the guild."""
NEAR = asks(14, "When was the map of the town by Edwin Sallow drawn?")

LEAST, MOST, BELOW = "value ≥ limit passes", "value ≤ limit passes", "value < limit passes"

ROWS: list[tuple[str, str, str, Change, Measure, dict[str, float]]] = [
    ("G0-1", "strata", LEAST, keep(*range(11), 14, 15, 16, 17, 18), known(4), {}),
    ("G0-2", "at_least", LEAST, keep(*range(11), 14, 15, 16, 17, 18), known(4 / 5), {}),
    ("G1-1", "score", LEAST, answer(4, "valued by the binder Osric Tarn the famous yesterday"), value_of("G1-1"), {}),
    ("G1-2", "similarity", LEAST, PARAPHRASE, value_of("G1-2", "q13"), {}),
    ("G1-3", "below", BELOW, classes(8), known(8 / 14), {}),
    ("G1-4", "characters", LEAST, asks(3, "How much ?"), known(10), {}),
    ("G2-2", "at_least", LEAST, both(), known(6 / 20), {"at_most": 1.0}),
    ("G2-2", "at_most", MOST, both(), known(6 / 20), {"at_least": 0.0}),
    ("G2-3", "categories", LEAST, put(19, "classification.hard_type", "OUT_OF_SCOPE"), known(5), {}),
    ("G2-4", "words", BELOW, NEAR, value_of("G2-4", "q14"), {}),
    ("G2-4", "twin", BELOW, asks(15, "For how long does a deputy hold an office?"), value_of("G2-4", "q15"), {}),
    ("G3-1", "coverage", LEAST, OF_FIVE, known(4 / 5), {"similarity": 1.1}),
    ("G3-1", "similarity", LEAST, PARAPHRASE, value_of("G1-2", "q13"), {"coverage": 1.1}),
    ("G3-2", "foreign", BELOW, FOREIGN, known(1 - 2 / 3), {}),
    ("G4-1", "leaves", LEAST, drop(4, "audit.requires_inference"), known(45), {}),
    ("G5-1", "similarity", BELOW, asks(13, "What does the doorkeeper do as soon as an alarm rings?"), value_of("G5-1", "q13"), {}),
    ("G5-2", "below", BELOW, both(), value_of("G5-2"), {}),
    ("G5-2", "words", BELOW, COPY, known(11), {}),
    ("G5-2", "share", BELOW, COPY, known(11 / 14), {}),
    ("G5-3", "below", BELOW, classes(8), known(8 / 14), {}),
    ("G5-4", "at_least", LEAST, both(), known(4 / 20), {}),
    ("G5-4", "difficulty", LEAST, each("classification.difficulty", lambda _: 0.55), known(0.55), {}),
    ("G5-5", "at_least", LEAST, both(), known(6 / 20), {"at_most": 1.0}),
    ("G5-5", "at_most", MOST, both(), known(6 / 20), {"at_least": 0.0}),
    ("G5-6", "levels", LEAST, each("classification.cognitive_level", lambda row: ("Remember", "Apply")[row % 2]), known(2), {}),
    ("G5-7", "types", LEAST, each("classification.question_type", lambda row: ("factual", "scenario")[row % 2]), known(2), {}),
    ("G5-8", "at_least", LEAST, both(), known(3 / 14), {}),
    ("G5-8", "difficulty", LEAST, each("classification.difficulty", lambda _: 0.55), known(0.55), {}),
]  # fmt: skip
LOOSE = {
    "G2-4": {"words": 0.01, "twin": 0.01},
    "G5-1": {"similarity": 0.7},
}
"""Limits with which a value is told, because it fails."""


@pytest.mark.parametrize(("gate", "name", "rule", "change", "measure", "others"), ROWS)
def test_a_limit_at_its_boundary(
    gate: str, name: str, rule: str, change: Change, measure: Measure, others: dict[str, float], tmp_path: Path
) -> None:
    raws = clean()
    change(raws)
    value = measure(verified(raws, tmp_path, with_gate(gate, limits=LOOSE.get(gate))))
    if gate == "G2-4":
        others = {other: 2.0 for other in ("words", "twin") if other != name}
    whole = value == int(value) and value > 1
    lower, higher = (
        (value - 1, value + 1) if whole else (math.nextafter(value, -math.inf), math.nextafter(value, math.inf))
    )
    passes = {
        limit: outcome_of(gate, verified(raws, tmp_path, with_gate(gate, limits=others | {name: limit}))).status
        == "passed"
        for limit in (lower, value, higher)
    }
    expected = {LEAST: [True, True, False], MOST: [False, True, True], BELOW: [False, False, True]}[rule]
    assert list(passes.values()) == expected, passes


def test_every_limit_is_tried() -> None:
    limits = {(name, limit) for name in GATES.names() for limit in GATES.get(name).limits}
    assert {(gate, name) for gate, name, *_ in ROWS} == limits


def test_severities_are_settings(tmp_path: Path) -> None:
    raws = clean()
    put(4, "classification.category", None)(raws)
    assert verified(raws, tmp_path).exit_code == 1
    assert verified(raws, tmp_path, with_gate("G4-1", "warning")).exit_code == 0
    off = verified(raws, tmp_path, with_gate("G4-1", "off"))
    assert "G4-1" not in {outcome.gate for outcome in off.outcomes}
    asks(3, "Up to what sum can being late add up.")(raws)
    assert verified(raws, tmp_path, with_gate("G1-4", "blocking")).exit_code == 1


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (with_gate("G9-9"), "unknown gate 'G9-9'"),
        (with_gate("G5-2", limits={"bellow": 0.8}), "unknown limit of gate G5-2 'bellow'. Did you mean below?"),
    ],
)
def test_settings_that_make_no_sense_are_told(config: Config, told: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=told.split("'")[0]) as caught:
        verified(clean(), tmp_path, config)
    assert told in str(caught.value)


def test_shares_of_nothing_are_undefined(tmp_path: Path) -> None:
    raws = clean()[14:]
    found = {outcome.gate: outcome.status for outcome in verified(raws, tmp_path).outcomes}
    assert found["G1-3"] == found["G3-1"] == found["G5-8"] == "undefined"
    raws = clean()[:14]
    found = {outcome.gate: outcome.status for outcome in verified(raws, tmp_path).outcomes}
    assert found["G2-3"] == found["G2-4"] == "undefined"
    assert found["G5-5"] == "failed"


def test_stored_measurements_are_not_believed(tmp_path: Path) -> None:
    raws: list[Raw] = clean()
    for raw in raws:
        raw["processing"] |= {"chunk_match_score": 0, "quality_score": 0.0}
        raw["validation"] |= {"status": "NEEDS_REAUDIT", "pages_verified": False}
    assert verified(raws, tmp_path).exit_code == 0
    answer(0, "The head librarian is Ida Marwick")(raws)
    raws[0]["processing"] |= {"chunk_match_score": 100, "quality_score": 1.0}
    found = verified(raws, tmp_path)
    assert found.exit_code == 1
    assert found.false_scores == ("q00",)


def test_a_set_that_miscounts_itself(tmp_path: Path) -> None:
    found = verified(clean(), tmp_path, version={"question_count": 21, "unanswerable_count": 6})
    assert [failure.what for failure in outcome_of("G0-1", found).failures] == ["version.question_count is wrong"]


def test_code_beside_the_documents_needs_no_question(tmp_path: Path) -> None:
    text = Chunk(id="a", text="The gate closes at eight.", source="gate.md")
    code = Chunk(id="b", text="def close(): ...", source="gate.py", lane="code")
    with write_index(tmp_path / "c.db", [text, code]) as corpus:
        assert Grounds(corpus, Config()).documents == {"gate.md"}


@pytest.mark.parametrize(("language", "failures"), [("fr", 0), ("en", 1), (None, 1), ("tlh", 1)])
def test_a_set_in_one_language_is_asked_to_cover_the_documents_in_it(
    language: str | None, failures: int, tmp_path: Path
) -> None:
    """One French document of six: a French set has one stratum, and that is all there is."""
    french = Chunk(id="fr-1", text="Le port ferme à huit heures.", source="port.md", metadata={"language": "fr"})
    others = [
        Chunk(id=f"en-{n}", text="The gate closes at eight.", source=f"{n}.md", metadata={"language": "en"})
        for n in range(5)
    ]
    raws = clean()[:1]
    raws[0]["provenance"] |= {"chunk_id": "fr-1", "docs": ["port.md"], "pages": []}
    gold = gold_file(raws, tmp_path, {"language": language} if language else None)
    with write_index(tmp_path / "c.db", [french, *others], language="auto") as corpus:
        evidence = evidence_of(gold, corpus, Config())
        for id_ in ("G0-1", "G0-2"):
            gate = GATES.get(id_)
            assert len(gate.check(evidence, gate.limits).failures) == failures


@pytest.mark.parametrize(
    ("quotas", "target", "what"),
    [
        ({"a": 4, "b": 4, "c": 4, "d": 4, "e": 4}, 20, []),
        ({"a": 4, "b": 4, "c": 4, "d": 4, "e": 3}, 20, ["the quotas do not sum to the target"]),
        ({"a": 4, "b": 4, "c": 4, "d": 8, "e": 0}, 20, ["too few strata"]),
    ],
)
def test_quotas_sum_to_the_target(quotas: dict[str, int], target: int, what: list[str], tmp_path: Path) -> None:
    found = verified(clean(), tmp_path, version={"strata": quotas, "target": target})
    assert [failure.what for failure in outcome_of("G0-1", found).failures] == what


def test_the_same_set_gives_the_same_bytes(tmp_path: Path) -> None:
    assert index().fingerprint
    assert verified(clean(), tmp_path).as_data() == verified(clean(), tmp_path).as_data()
