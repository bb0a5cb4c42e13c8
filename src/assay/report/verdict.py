"""What came of a run, in one word and one line; its exit code says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from assay.compare import Comparison, Figure, Row
from assay.rag.trust import JUDGED
from assay.report.blocks import Card, Form, Tone, Verdict
from assay.report.comparison import headline
from assay.report.intervals import number_card
from assay.report.numbers import MINUS, fixed, format_value
from assay.report.text import are, counted
from assay.runs.naming import BaselineName

Summary = Mapping[str, Any]
ExitCode = Literal[0, 1, 3]
NO_BASELINE = "No baseline to compare with; --update-baseline makes one of a run."
NOT_ASKED = "Not compared with a baseline: --baseline latest does."
NAMED = 3
"""Measures that are named in the line; there may be dozens."""


class Outcome(Struct, frozen=True):
    """An exit code and what is behind it."""

    code: ExitCode
    word: str
    why: str
    tone: Tone


class Compared(Struct, frozen=True):
    """What a run was held against."""

    baseline: Comparison | None = None
    exceeded: tuple[Figure, ...] = ()
    """Latency or cost beyond its limit, with or without a baseline."""
    refused: str | None = None
    """Why there is no comparison although there is a baseline."""
    asked: bool = True
    """Whether a comparison was asked for."""


class Number(Struct, frozen=True):
    """A measure that stands on top."""

    measure: str
    label: str
    interval: Mapping[str, Any] | None
    form: Form = "share"
    variant: str | None = None


def outcome_of(summary: Summary, compared: Compared) -> Outcome:
    """3: not every case has a result · 1: a blocking gate fails or something got worse · 0: fine."""
    if summary["errors"]["total"]:
        return Outcome(3, "Incomplete", _incomplete(summary), "bad")
    faults = _faults(summary, compared)
    if faults:
        return Outcome(1, "Fail", _sentence(faults), "bad")
    gates, warned = quality_gates(summary), [gate for gate in summary["gates"] if not gate["passed"]]
    if warned:
        return Outcome(0, "Pass" if gates else "Measured", f"With a warning: {_gates(warned)}.", "warn")
    if not gates:
        return _without_gates(compared)
    held = f"All {len(gates)} gates hold" if len(gates) > 1 else "The gate holds"
    return Outcome(0, "Pass", f"{held}{', and nothing got worse' if compared.baseline else ''}.", "good")


def quality_gates(summary: Summary) -> list[Mapping[str, Any]]:
    """Those that say what is good enough, rather than whether the cases can be searched for at all."""
    return [gate for gate in summary["gates"] if not gate.get("of_cases")]


def _incomplete(summary: Summary) -> str:
    """Samples of an extraction may be broken, which no resuming mends; those that failed count as wrong. The rates of a
    RAG run are shares of all questions, so that they sum to 1."""
    errors = summary["errors"]
    if "broken" not in errors:
        where = "errors in the rates, in no other mean" if summary.get("kind") == "rag" else "in no mean"
        return f"{errors['total']} without a result, {where}: go on with --resume."
    broken = len(errors["broken"])
    failed = errors["total"] - broken
    said = [f"{counted(failed, 'sample')} failed, and all expected there is missed: go on with --resume."]
    wrong = f"{counted(broken, 'sample')} {are(broken)} broken and in no mean: mend the files and run again."
    return " ".join((said if failed else []) + ([wrong] if broken else []))


def _without_gates(compared: Compared) -> Outcome:
    """Nobody has said what is good enough, so nothing passes."""
    if compared.baseline:
        return Outcome(0, "No worse", "No regression against the baseline; no gate says what is good enough.", "plain")
    return Outcome(0, "Measured", "No gate says what is good enough.", "plain")


def verdict_of(summary: Summary, compared: Compared, numbers: Sequence[Number]) -> Verdict:
    """The outcome with three numbers and what changed."""
    outcome = outcome_of(summary, compared)
    change, tone = _change(compared)
    shown = tuple(_card(number, compared.baseline, summary.get("variants", ())) for number in numbers)
    return Verdict(outcome.word, outcome.why, outcome.tone, shown, change, tone)


def comparison_verdict(comparison: Comparison) -> Verdict:
    """Of two runs side by side, where nothing is known but their difference."""
    faults = _faults({"gates": ()}, Compared(comparison, comparison.exceeded))
    change, tone = _change(Compared(comparison))
    if faults:
        return Verdict("Fail", _sentence(faults), "bad", change=change, change_tone=tone)
    return Verdict("No worse", "No regression, and nothing is beyond its limit.", "plain", change=change)


def regressions(summary: Summary, comparison: Comparison | None) -> list[Row]:
    """A judge that people's labels do not support may warn but not gate."""
    trust = summary.get("trust")
    distrusted = trust is not None and not trust["may_gate"]
    rows = comparison.regressions if comparison else ()
    return [row for row in rows if not (distrusted and row.measure in JUDGED)]


def _faults(summary: Summary, compared: Compared) -> list[str]:
    found = []
    blocked = [gate for gate in summary["gates"] if not gate["passed"] and gate["severity"] == "blocking"]
    if blocked:
        found.append(_gates(blocked))
    worse = list(dict.fromkeys(row.measure for row in regressions(summary, compared.baseline)))
    if worse:
        more = f" and {len(worse) - NAMED} more" if len(worse) > NAMED else ""
        found.append(f"regression against the baseline in {', '.join(worse[:NAMED])}{more}")
    if compared.exceeded:
        found.append(f"beyond its limit: {', '.join(figure.name for figure in compared.exceeded)}")
    return found


def _sentence(faults: Sequence[str]) -> str:
    said = "; ".join(faults)
    return f"{said[0].upper()}{said[1:]}."


def _gates(gates: Sequence[Mapping[str, Any]]) -> str:
    said = [f"{gate['measure']} {_measured(gate)}" for gate in gates[:NAMED]]
    more = f" and {len(gates) - NAMED} more" if len(gates) > NAMED else ""
    return f"gate fails: {', '.join(said)}{more}"


def _measured(gate: Mapping[str, Any]) -> str:
    """What could not be measured is no low value."""
    if gate["value"] is None:
        return f"could not be measured, {gate['at_least']:g} is asked"
    return f"is {format_value(gate['value'], 'score')}, not {gate['at_least']:g}"


def _change(compared: Compared) -> tuple[str, Tone]:
    comparison = compared.baseline
    if comparison is None:
        refused = compared.refused
        if refused:
            return f"Not compared: {refused}", "warn"
        return (NO_BASELINE if compared.asked else NOT_ASKED), "plain"
    said = headline(comparison)
    flips = comparison.flips
    lost = sum(flip.now < flip.before for flip in flips)
    changed = f" {counted(len(flips), 'question')} changed: {len(flips) - lost} gained, {lost} lost." if flips else ""
    return f"Against {_named(comparison.before)}: {said}{changed}", "bad" if comparison.failed else "plain"


def _named(label: str) -> str:
    """A baseline by its version and day; anything else as it is."""
    name = BaselineName.parse(Path(label))
    return f"baseline v{name.version} of {name.date}" if name else label


def _card(number: Number, baseline: Comparison | None, variants: Sequence[str]) -> Card:
    card = number_card(number.label, number.interval, number.form)
    row = _row(number, baseline, variants) if baseline else None
    if row is None or row.delta is None:
        return card
    points = number.form == "percent"
    delta = f"{_sign(row.delta)}{fixed(abs(row.delta), 1, 100)} points" if points else format_value(row.delta, "signed")
    sure = row.verdict if row.verdict in ("better", "worse") else "within chance"
    return replace(card, note=f"{card.note} · {delta} ({sure})")


def _row(number: Number, baseline: Comparison, variants: Sequence[str]) -> Row | None:
    """That of its variant, or the only one there is, if it is not that of another one of the run."""
    rows = [row for row in baseline.rows if row.measure == number.measure]
    own = [row for row in rows if row.variant == number.variant]
    if own or len(rows) != 1:
        return own[0] if own else None
    return None if number.variant and rows[0].variant in variants else rows[0]


def _sign(value: float) -> str:
    return "+" if value > 0 else MINUS if value < 0 else ""
