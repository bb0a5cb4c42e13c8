"""The gates of a gold set as a report: which hold, which do not, and every question that failed one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from assay.config import GoldGate
from assay.gold.gates.protocol import Failure, Outcome, settle
from assay.gold.schema import Question
from assay.gold.verify import Verification
from assay.report.blocks import (
    Block,
    Card,
    Cards,
    Column,
    Field,
    Item,
    Items,
    Note,
    Report,
    Row,
    Section,
    Table,
    Tone,
    Value,
    Verdict,
)
from assay.report.numbers import format_value
from assay.report.text import counted


def verification_report(verification: Verification, questions: Mapping[str, Question]) -> Report:
    """`questions` by id: what the failures are about."""
    sections = (
        Section("Summary", _overview(verification)),
        Section("Gates", (_gates(verification),)),
        Section("What failed", (_set_failures(verification), _items(verification, questions))),
        Section("How the answers stand in their chunks", (_methods(verification),), detail=True),
    )
    asked = counted(verification.questions, "question")
    subtitle = f"{asked}, {verification.unanswerable} of them unanswerable · {verification.index}"
    return Report(f"Gold set: {verification.gold}", subtitle, sections, _verdict(verification))


def _verdict(verification: Verification) -> Verdict:
    blocked, warned = len(verification.blocked), len(verification.warned)
    more = f"{counted(warned, 'warning')}" if warned else "no warning"
    if blocked:
        return Verdict("Refused", f"{counted(blocked, 'blocking gate')} failed, {more}.", "bad")
    return Verdict("Accepted", f"Every blocking gate holds, {more}.", "warn" if warned else "good")


def _overview(verification: Verification) -> tuple[Block, ...]:
    blocked, warned = len(verification.blocked), len(verification.warned)
    passed = sum(outcome.status == "passed" for outcome in verification.outcomes)
    cards = (
        Card("Gates passed", f"{passed} of {len(verification.outcomes)}"),
        Card("Blocking", str(blocked), "failed", "bad" if blocked else "good"),
        Card("Warnings", str(warned), "failed", "warn" if warned else "good"),
    )
    notes = []
    if verification.false_scores:
        number = len(verification.false_scores)
        text = (
            "1 question says chunk_match_score 100, and does not match its chunk."
            if number == 1
            else f"{number} questions say chunk_match_score 100, and do not match their chunks."
        )
        notes.append(Note(text, "bad"))
    if verification.chunkless:
        said = counted(verification.chunkless, "question names no chunk", "questions name no chunk")
        text = f"{said}. Those whose answer is quoted find theirs with: assay gold relocate"
        notes.append(Note(text, "warn"))
    if verification.unanswerable and not verification.model:
        text = (
            "Unanswerable questions were tested by rule: it knows only answers that are worded like the question. "
            "Name a model with --model to have the nearest passages read."
        )
        notes.append(Note(text))
    return (Cards(cards), *notes)


def tone_of(outcome: Outcome) -> Tone:
    if outcome.status == "undefined":
        return "plain"
    return "good" if outcome.status == "passed" else "bad" if outcome.severity == "blocking" else "warn"


def _gates(verification: Verification) -> Table:
    columns = (
        Column("gate"),
        Column("severity"),
        Column("result"),
        Column("measured"),
        Column("failed"),
        Column("rule"),
    )
    rows = tuple(
        Row(
            (
                o.gate,
                o.severity,
                o.status,
                shown(o.value),
                _failed(o),
                o.rule if not o.note else f"{o.rule} ({o.note})",
            ),
            tone_of(o),
        )
        for o in verification.outcomes
    )
    return Table(columns, rows)


def _failed(outcome: Outcome) -> str:
    each = len({failure.question for failure in outcome.failures if failure.question})
    return str(each) if each else "the set" if outcome.failures else "0"


def shown(value: Value) -> Value:
    """Shares as shares, counts as counts, words as they are."""
    if isinstance(value, float):
        return f"{value:g}" if value.is_integer() else format_value(value, "share")
    return value


def _set_failures(verification: Verification) -> Block:
    rows = tuple(
        Row((outcome.gate, failure.what, shown(failure.value), failure.limit), tone_of(outcome))
        for outcome in verification.outcomes
        for failure in outcome.failures
        if failure.question is None
    )
    if not rows:
        return Note("Nothing failed for the set as a whole.")
    return Table((Column("gate"), Column("what"), Column("measured"), Column("limit")), rows, "The set as a whole")


def _items(verification: Verification, questions: Mapping[str, Question]) -> Items:
    found: defaultdict[str, list[tuple[Outcome, Failure]]] = defaultdict(list)
    for outcome in verification.outcomes:
        for failure in outcome.failures:
            if failure.question is not None:
                found[failure.question].append((outcome, failure))
    items = (_item(id_, pairs, questions.get(id_)) for id_, pairs in found.items())
    return Items(tuple(items), empty="No question failed a gate.")


def _item(id_: str, pairs: list[tuple[Outcome, Failure]], question: Question | None) -> Item:
    gates = list(dict.fromkeys(outcome.gate for outcome, _ in pairs))
    blocking = any(outcome.blocks for outcome, _ in pairs)
    fields = [Field(f"{outcome.gate}: {failure.what}", _measured(failure)) for outcome, failure in pairs]
    if question:
        fields += [
            Field("question", question.content.question),
            Field("answer", question.content.expected_answer or "–"),
            Field("chunk", question.provenance.chunk_id or "–", mono=True),
        ]
    tags = {"gate": ", ".join(gates), "severity": "blocking" if blocking else "warning"}
    title = question.content.question if question else ""
    return Item(id_, title, tags, tuple(fields), "bad" if blocking else "warn")


def _measured(failure: Failure) -> str:
    value = shown(failure.value)
    return f"limit: {failure.limit}" if value is None else f"measured: {value} · limit: {failure.limit}"


def _methods(verification: Verification) -> Table:
    rows = tuple(Row((name, count)) for name, count in verification.methods.items())
    return Table((Column("method"), Column("answers", "integer")), rows)


def gates_report(settings: Mapping[str, GoldGate]) -> Report:
    """Every gate as it is set: what can be changed in `gold.gates`."""
    columns = (Column("gate"), Column("severity"), Column("limits"), Column("rule"))
    rows = tuple(
        Row((gate.id, gate.severity, ", ".join(f"{k} {v:g}" for k, v in gate.limits.items()) or "–", gate.limit))
        for gate in settle(settings)
    )
    return Report("Gates", "Settings: gold.gates in assay.yaml", (Section("Gates", (Table(columns, rows),)),))


def gate_records(settings: Mapping[str, GoldGate]) -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {"gate": gate.id, "severity": gate.severity, "limits": dict(gate.limits), "rule": gate.limit}
        for gate in settle(settings)
    ]
