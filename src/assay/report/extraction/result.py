"""What an extraction run came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.report.blocks import Block, Card, Cards, Column, Note, Row, Table
from assay.report.intervals import gate_card, mean_of, spread
from assay.report.numbers import format_value
from assay.report.text import counted

Summary = Mapping[str, Any]


def result_blocks(summary: Summary) -> tuple[Block, ...]:
    intervals, counts = summary["intervals"], summary["overall"]["counts"]
    found = f"{counts['true_positives']} right, {counts['false_positives']} wrong, {counts['false_negatives']} missed"
    cards = [
        Card("Micro F1", format_value(mean_of(intervals, "micro_f1"), "share"), "all records as one sample"),
        Card("Records", str(counts["true_positives"] + counts["false_negatives"]), found),
        Card("Cost", dollars(summary["cost"]["total_cost_usd"]), "the summary's own call included"),
        *(gate_card(gate) for gate in summary["gates"]),
    ]
    said = (*_warnings(summary), *summary["notes"], *summary["execution"]["warnings"])
    return (Cards(tuple(cards)), *(Note(text, "warn") for text in said))


def _warnings(summary: Summary) -> Iterable[str]:
    if summary["partial"]:
        yield f"Partial: {summary['partial']}."
    failed = summary["overall"]["failed"]
    if failed:
        yield f"{counted(failed, 'extraction')} failed: all expected records count as missed."


def dollars(value: float | None) -> str:
    return "unknown" if value is None else format_value(value, "dollars")


def narrative_blocks(summary: Summary) -> tuple[Block, ...]:
    said = summary["narrative"]
    if said["text"]:
        return (Note(said["text"]), Note(f"Written by {said['model']} from the figures and the worst samples."))
    return (Note(f"No summary was written: {said['reason']}."),)


def measures_table(summary: Summary) -> Table:
    columns = (Column("measure"), Column("mean", "share"), Column("interval"))
    rows = [Row((name, found["mean"], spread(found))) for name, found in summary["intervals"].items()]
    return Table(columns, tuple(rows), "precision, recall, f1: mean over samples; micro: over all records.")
