"""What an extractor's confidence is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.blocks import Block, Chart, Column, Note, Point, Row, Series, Table, Value
from assay.report.numbers import fixed, format_value

Summary = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]


def confidence_blocks(summary: Summary) -> tuple[Block, ...]:
    data = summary["confidence"]
    if not data["told"] and not data["unreadable"]:
        return (Note("The extractor told no confidence."),)
    blocks: list[Block] = []
    if data["levels"]:
        blocks += [_level_chart(data["levels"]), _levels(data["levels"])]
    if data["numbers"]:
        blocks += _numbers(data["numbers"], data["minimum"])
    if data["unreadable"]:
        blocks.append(Note(f"{data['unreadable']} confidences are neither a word nor a number from 0 to 1.", "warn"))
    return tuple(blocks)


def _level_chart(levels: Lines) -> Chart:
    points = tuple(Point(each["name"], each["accuracy"], each["low"], each["high"], each["n"]) for each in levels)
    return Chart("bars", (Series("accuracy", points),), "Accuracy by confidence", form="percent")


def _levels(levels: Lines) -> Table:
    columns = (Column("confidence"), Column("records", "integer"), Column("accuracy", "percent"), Column("interval"))
    rows = tuple(
        Row((level["name"], level["n"], level["accuracy"], _level_note(level)), "plain" if level["enough"] else "warn")
        for level in levels
    )
    return Table(columns, rows, "A record is right if it was expected and all its scored fields are within tolerance.")


def _level_note(level: Mapping[str, Any]) -> str:
    bounds = f"{fixed(level['low'], 1, 100)} – {fixed(level['high'], 1, 100)} %"
    return f"{bounds}; {level['reason']}" if level["reason"] else bounds


def _numbers(numbers: Mapping[str, Any], minimum: int) -> list[Block]:
    columns = (Column("measure"), Column("value", "score"), Column("meaning"))
    meanings = {
        "n": "records with a confidence from 0 to 1",
        "accuracy": "share that is right",
        "mean_confidence": "what the extractor claims",
        "ece": "expected calibration error: 0 is perfect",
        "brier": "mean squared error of the confidence: 0 is perfect",
        "auroc": "chance that a right record has more confidence than a wrong one; 0.5 is a coin",
    }
    table = Table(columns, tuple(Row((name, _told(numbers[name]), text)) for name, text in meanings.items()))
    curve = [each for each in numbers["curve"] if each["n"]]
    names = [f"{each['low']:g}–{each['high']:g}" for each in curve]
    bins = Table(
        (Column("bin"), Column("records", "integer"), Column("confidence", "share"), Column("accuracy", "share")),
        tuple(Row((name, c["n"], c["confidence"], c["accuracy"])) for name, c in zip(names, curve, strict=True)),
    )
    few = [] if numbers["enough"] else [Note(f"Too few: {numbers['n']} records, {minimum} needed to judge.", "warn")]
    return [table, _diagram(curve, numbers["ece"]), bins, *few]


def _told(value: float | None) -> Value:
    """A count as a count."""
    return format_value(value, "integer") if isinstance(value, int) else value


def _diagram(curve: Lines, ece: float | None) -> Chart:
    """Where the bins stand beside the diagonal, and how far on average."""
    points = tuple(Point(f"{each['confidence']:.3f}", each["accuracy"], n=each["n"]) for each in curve)
    error = f" (expected calibration error {format_value(ece, 'share')})" if ece is not None else ""
    return Chart("calibration", (Series("accuracy", points),), f"Reliability{error}", "confidence", "accuracy")
