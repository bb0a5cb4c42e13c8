"""An extraction run by category, level of tolerance and field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.blocks import Block, Chart, Column, Point, Row, Series, Table
from assay.report.intervals import mean_of, point_of, spread

Summary = Mapping[str, Any]
HEADLINES = ("precision", "recall", "f1")


def group_blocks(groups: Mapping[str, Any], name: str) -> tuple[Block, ...]:
    """F1 as bars with their intervals, and everything as a table."""
    scored = {value: part["metrics"]["f1"] for value, part in groups.items() if part["metrics"].get("f1")}
    points = tuple(point_of(value, interval) for value, interval in scored.items())
    picture = [Chart("bars", (Series("f1", points),), f"F1 by {name}")] if len(points) > 1 else []
    return (*picture, _groups(groups, name))


def _groups(groups: Mapping[str, Any], name: str) -> Table:
    columns = (
        Column(name),
        Column("samples", "integer"),
        Column("failed", "integer"),
        *(Column(measure, "share") for measure in HEADLINES),
        Column("F1 interval"),
        Column("micro F1", "share"),
        Column("right", "integer"),
        Column("wrong", "integer"),
        Column("missed", "integer"),
    )
    return Table(columns, tuple(_group(value, part) for value, part in groups.items()))


def _group(value: str, part: Mapping[str, Any]) -> Row:
    found, counts = part["metrics"], part["counts"]
    means = [mean_of(found, measure) for measure in HEADLINES]
    right, wrong, missed = (counts[key] for key in ("true_positives", "false_positives", "false_negatives"))
    micro = mean_of(found, "micro_f1")
    return Row(
        (
            value,
            part["n"],
            part["failed"],
            *means,
            spread(found["f1"]) if found.get("f1") else "nothing to score",
            micro,
            right,
            wrong,
            missed,
        )
    )


def field_blocks(summary: Summary) -> tuple[Block, ...]:
    fields = summary["by_field"]
    points = tuple(Point(name, each["accuracy"], n=each["compared"]) for name, each in fields.items())
    picture = Chart("bars", (Series("accuracy", points),), "Fields that are right", form="percent")
    return (picture, _fields(summary))


def _fields(summary: Summary) -> Table:
    columns = (
        Column("field"),
        Column("compared", "integer"),
        Column("right", "integer"),
        Column("accuracy", "percent"),
        Column("most often wrong"),
    )
    rows = tuple(
        Row((name, each["compared"], each["right"], each["accuracy"], _often(each["often"])))
        for name, each in summary["by_field"].items()
    )
    return Table(columns, rows, "Of all pairs of an expected and an actual record.")


def _often(told: Sequence[Sequence[Any]]) -> str:
    return "; ".join(f"{detail} (×{count})" if count > 1 else str(detail) for detail, count in told)
