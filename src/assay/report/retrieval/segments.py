"""A retrieval run by the kinds of questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.report.blocks import Block, Chart, Column, Point, Row, Section, Series, Table
from assay.report.intervals import point_of, with_bounds
from assay.report.retrieval.measures import measured
from assay.report.retrieval.questions import Cases
from assay.stats import mean

Summary = Mapping[str, Any]
LEVELS = ("easy", "medium", "hard")


def segment_sections(summary: Summary, cases: Cases) -> list[Section]:
    """A chart of the deciding measure for each tag, and a table with every measure."""
    measure, best = summary["decision"]["measure"], summary["decision"]["variant"]
    sections = []
    for key, values in summary["segments"].items():
        blocks: list[Block] = []
        if best:
            points = tuple(point_of(v, s["metrics"][best][measure]) for v, s in values.items())
            blocks.append(Chart("bars", (Series(best, points),), f"{measure} by {key}, {best}"))
            if key == "difficulty":
                blocks += _matrix(summary, cases)
        blocks.append(_table(summary, key, values))
        sections.append(Section(f"By {key}", tuple(blocks), detail=True))
    return sections


def _matrix(summary: Summary, cases: Cases) -> list[Chart]:
    """Difficulty × type, where there is more than one of both."""
    found = cases.matrix
    levels = sorted({level for level, _ in found}, key=lambda name: (*_place(name), name))
    types = sorted({kind for _, kind in found})
    if len(levels) < 2 or len(types) < 2:
        return []
    series = tuple(
        Series(kind, tuple(_point(level, found.get((level, kind), [])) for level in levels)) for kind in types
    )
    title = f"{summary['decision']['measure']} by difficulty and type, {summary['decision']['variant']}"
    return [Chart("heat", series, title, "difficulty")]


def _place(name: str) -> tuple[int]:
    return (LEVELS.index(name) if name in LEVELS else len(LEVELS),)


def _point(level: str, values: list[float]) -> Point:
    return Point(level, mean(values), n=len(values)) if values else Point(level, None)


def _table(summary: Summary, key: str, values: Mapping[str, Any]) -> Table:
    names = [name for name in measured(summary) if not name.startswith("p_max")]
    columns = (Column(key), Column("variant"), Column("n", "integer"), *(Column(name, "share") for name in names))
    rows = tuple(
        Row((value, variant, segment["n"], *(with_bounds(segment["metrics"][variant][name]) for name in names)))
        for value, segment in values.items()
        for variant in summary["variants"]
    )
    return Table(columns, rows)
