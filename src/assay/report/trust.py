"""How far a judge can be trusted, as a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.judges.trust import Agreement, Permission, TrustReport
from assay.metrics.agreement import Estimate
from assay.report.blocks import Block, Card, Cards, Column, Form, Note, Report, Row, Section, Table
from assay.report.numbers import fixed, format_value

LEVELS = ("fail", "partial", "pass")


def trust_report(trust: TrustReport, permission: Permission, name: str) -> Report:
    sections = [
        Section("In short", _short(trust, permission)),
        Section("Agreement with people", (_agreement(trust),)),
        Section("Verdicts: people (rows) and judge (columns)", (_confusion(trust),)),
        Section("Pass rate", (_pass_rate(trust),)),
        Section("Bias and steadiness", (_biases(trust),)),
    ]
    people = ", ".join(rater or "unnamed" for rater in trust.raters) or "nobody"
    return Report(
        f"Trust in the judge: {name}", f"{trust.n_both} answers judged by both; people: {people}", tuple(sections)
    )


def trust_blocks(trust: Mapping[str, Any]) -> tuple[Block, ...]:
    """Of a run's summary: how far people's labels support its judge, and what follows for gates and comparison."""
    verdicts, rate = trust["verdicts"], trust["pass_rate"]
    found: dict[str, tuple[Mapping[str, Any], Form]] = {
        "Cohen's kappa": (verdicts["kappa"], "share"),
        "agreement": (verdicts["accuracy"], "percent"),
        "pass rate as the judge has it": (rate["judge"], "percent"),
        "pass rate corrected for the judge's errors": (rate["corrected"], "percent"),
        "length bias: long answers favoured above 0": (trust["length_bias"], "share"),
        "position bias: evidence further down favoured above 0": (trust["position_bias"], "share"),
    }
    rows = tuple(
        Row((name, format_value(data["value"], form), _range(msgspec.convert(data, Estimate), form)))
        for name, (data, form) in found.items()
    )
    note = Note(f"The judge may gate: {trust['reason']}.")
    if not trust["may_gate"]:
        why = "a gate on what it says only warns, and what got worse by it does not set the exit code"
        note = Note(f"The judge may not gate ({trust['reason']}): {why}.", "warn")
    table = Table(
        (Column("what"), Column("value"), Column("interval")), rows, f"{trust['n_both']} answers have labels."
    )
    return (note, table, *(Note(text, "warn") for text in trust["warnings"]))


def _short(trust: TrustReport, permission: Permission) -> tuple[Block, ...]:
    kappa = trust.verdicts.kappa
    cards = Cards(
        (
            Card(
                "Cohen's kappa",
                format_value(kappa.value, "share"),
                _range(kappa),
                "good" if permission.allowed else "bad",
            ),
            Card(
                "Agreement",
                format_value(trust.verdicts.accuracy.value, "percent"),
                _range(trust.verdicts.accuracy, "percent"),
            ),
            Card(
                "Corrected pass rate",
                format_value(trust.pass_rate.corrected.value, "percent"),
                _range(trust.pass_rate.corrected, "percent"),
            ),
            Card("May gate", "yes" if permission.allowed else "no", permission.reason),
        )
    )
    return (cards, *(Note(warning, "warn") for warning in trust.warnings))


def _range(estimate: Estimate, form: Form = "share") -> str:
    if estimate.low is None or estimate.high is None:
        return estimate.reason or f"n = {estimate.n}"
    low, high = (fixed(end, 1, 100) if form == "percent" else fixed(end, 2) for end in (estimate.low, estimate.high))
    return f"{low} – {high}, n = {estimate.n}"


def _agreement(trust: TrustReport) -> Table:
    names = Agreement.__struct_fields__
    columns = (Column("of"), *(Column(name.replace("_", " "), "share") for name in names))
    scales = {"verdict": trust.verdicts, **trust.grades}
    rows = tuple(Row((what, *(getattr(scale, name).value for name in names))) for what, scale in scales.items())
    return Table(columns, rows)


def _confusion(trust: TrustReport) -> Table:
    columns = (Column("people say"), *(Column(level, "integer") for level in LEVELS))
    return Table(columns, tuple(Row((level, *counts)) for level, counts in zip(LEVELS, trust.confusion, strict=True)))


def _estimates(pairs: dict[str, Estimate]) -> Table:
    columns = (Column("what"), Column("value", "share"), Column("interval"))
    return Table(columns, tuple(Row((name, estimate.value, _range(estimate))) for name, estimate in pairs.items()))


def _pass_rate(trust: TrustReport) -> Table:
    rate = trust.pass_rate
    return _estimates(
        {
            "as the judge has it": rate.judge,
            "as people have it, where they looked": rate.human,
            "corrected (prediction-powered)": rate.corrected,
            "corrected, judge weighted for the shortest interval": rate.tuned,
            "cross-check (Rogan-Gladen)": rate.cross_check,
        }
    )


def _biases(trust: TrustReport) -> Table:
    return _estimates(
        {
            "length: long answers favoured above 0": trust.length_bias,
            "position: evidence further down favoured above 0": trust.position_bias,
            "people among themselves (alpha)": trust.between_people,
            "flips when judged again": trust.consistency.flip_rate,
        }
    )
