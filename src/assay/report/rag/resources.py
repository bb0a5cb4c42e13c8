"""What a RAG run took: seconds, tokens, money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.rag.tally import PHASES
from assay.report.blocks import Block, Chart, Column, Note, Point, Row, Series, Table
from assay.report.rag.lines import Lines
from assay.report.rag.overview import dollars
from assay.report.rag.quality import kinds
from assay.report.tables import filled
from assay.stats import mean, quantile

Summary = Mapping[str, Any]
PARTS = ("input_cost", "cached_cost", "output_cost", "thinking_cost", "judge_cost", "summary_cost")
TOKENS = ("prompt", "completion", "thinking", "cached", "total")


def latency_blocks(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    latency = summary["latency"]
    known = sum(times["avg"] for times in latency["by_phase"].values() if times["avg"] is not None)
    seconds = (Column("mean", "seconds"), Column("median", "seconds"), Column("p95", "seconds"))
    columns = (Column("phase"), *seconds, Column("share", "percent"), Column("n", "integer"))
    measured = {name: t for name, t in latency["by_phase"].items() if t["n"]}
    phases = [
        Row((name, t["avg"], t["p50"], t["p95"], t["avg"] / known if known else None, t["n"]))
        for name, t in measured.items()
    ]
    total = latency["total"]
    phases += [Row(("total", total["avg"], total["p50"], total["p95"], None, total["n"]))] if total["n"] else []
    if not phases:
        return (Note("No time was measured."),)
    unknown = [name for name in latency["by_phase"] if name not in measured]
    return (
        *([_phases(latency)] if total["n"] else []),
        filled(Table(columns, tuple(phases))),
        *([Note(f"Not measured: {', '.join(unknown)}.")] if unknown else []),
        *(
            [Table((Column("questions"), *seconds, Column("n", "integer")), _by_kind(latency, rows))]
            if total["n"]
            else []
        ),
    )


def _phases(latency: Mapping[str, Any]) -> Chart:
    """One phase after the other, up to the whole; what no phase accounts for is named."""
    means = {phase: latency["by_phase"][phase]["avg"] for phase in PHASES}
    total = latency["total"]["avg"]
    points = [Point(phase, value) for phase, value in means.items() if value is not None]
    rest = total - sum(value for value in means.values() if value is not None)
    points += [Point("in no phase", rest)] if rest > total / 1000 else []
    points.append(Point("total", total, level=True))
    return Chart(
        "waterfall", (Series("mean seconds", tuple(points)),), "Mean time of a question, phase by phase", form="seconds"
    )


def _by_kind(latency: Mapping[str, Any], rows: Lines) -> tuple[Row, ...]:
    found = [
        Row((f"difficulty {name}", t["avg"], t["p50"], t["p95"], t["n"]))
        for name, t in latency["by_difficulty"].items()
        if t["n"]
    ]
    for name in kinds(rows, "question_type"):
        values = [row.time for row in rows if row.question_type == name and row.time is not None]
        if values:
            times = (mean(values), quantile(values, 0.5), quantile(values, 0.95))
            found.append(Row((f"type {name}", *times, len(values))))
    return tuple(found)


def cost_blocks(summary: Summary) -> tuple[Block, ...]:
    cost = summary["cost"]
    spent = summary["execution"]["spent_usd"]
    shown = {name: value for name, value in cost.items() if value or name not in PARTS}
    lines = [Row((name.removesuffix("_usd").replace("_", " "), dollars(value))) for name, value in shown.items()]
    unknown = cost["total_cost_usd"] is None
    paid = None if unknown and not spent else dollars(spent)
    if paid is not None:
        lines.append(Row(("spent on this run, as far as known" if unknown else "spent on this run", paid)))
    table = Table((Column("cost"), Column("US dollars")), tuple(lines))
    return (*cost_split(cost), *_tokens(summary["tokens"]), table, *_remarks(cost["total_cost_usd"]))


def _remarks(total: float | None) -> list[Note]:
    """On what is unknown; nothing on what costs nothing."""
    if total is None:
        return [Note("Unknown: the tokens were not told, or have no known price.")]
    return [Note("Cost is that of all replies; those from the cache were paid for earlier.")] if total else []


def _tokens(used: Mapping[str, Mapping[str, int] | None]) -> list[Block]:
    """Of who used any and told it."""
    columns = (Column("who"), *(Column(kind, "integer") for kind in TOKENS))
    rows = tuple(Row((who, *(of[kind] for kind in TOKENS))) for who, of in used.items() if of)
    return (
        [Table(columns, rows, "Tokens")] if rows else [Note("No tokens are known: no model was asked, or none told.")]
    )


def cost_split(cost: Mapping[str, float | None]) -> list[Chart]:
    """The parts of what a run costs; nothing where it costs nothing or nobody knows."""
    parts = [(name.removesuffix("_cost"), cost[name]) for name in PARTS if cost.get(name)]
    if not parts:
        return []
    series = tuple(Series(name, (Point("cost", value),)) for name, value in parts)
    return [Chart("stack", series, "What the cost is made of", form="dollars")]
