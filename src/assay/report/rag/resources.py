"""What a RAG run took: seconds, tokens, money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.rag.tally import PHASES
from assay.report.blocks import Block, Chart, Column, Note, Point, Row, Series, Table
from assay.report.rag.overview import dollars
from assay.report.rag.quality import Lines, kinds
from assay.stats import mean, quantile

Summary = Mapping[str, Any]
PARTS = ("input_cost", "cached_cost", "output_cost", "thinking_cost", "judge_cost", "summary_cost")
TOKENS = ("prompt", "completion", "thinking", "cached", "total")


def latency_blocks(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    latency = summary["latency"]
    known = sum(times["avg"] for times in latency["by_phase"].values() if times["avg"] is not None)
    seconds = (Column("mean", "seconds"), Column("median", "seconds"), Column("p95", "seconds"))
    columns = (Column("phase"), *seconds, Column("share", "percent"), Column("n", "integer"))
    phases = [
        Row((name, t["avg"], t["p50"], t["p95"], t["avg"] / known if t["avg"] is not None and known else None, t["n"]))
        for name, t in latency["by_phase"].items()
    ]
    total = latency["total"]
    phases.append(Row(("total", total["avg"], total["p50"], total["p95"], None, total["n"])))
    return (
        _phases(latency),
        Table(columns, tuple(phases), "A phase the system does not measure has no value."),
        Table((Column("questions"), *seconds, Column("n", "integer")), _by_kind(latency, rows)),
    )


def _phases(latency: Mapping[str, Any]) -> Chart:
    """One phase after the other, up to the whole; what no phase accounts for is named."""
    means = {phase: latency["by_phase"][phase]["avg"] for phase in PHASES}
    total = latency["total"]["avg"]
    points = [Point(phase, value) for phase, value in means.items()]
    if total is not None:
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
    ]
    for name in kinds(rows, "question_type"):
        values = [row["time"] for row in rows if row["question_type"] == name and row["time"] is not None]
        found.append(Row((f"type {name}", mean(values), quantile(values, 0.5), quantile(values, 0.95), len(values))))
    return tuple(found)


def cost_blocks(summary: Summary) -> tuple[Block, ...]:
    columns = (Column("who"), *(Column(kind, "integer") for kind in TOKENS))
    rows = tuple(Row((who, *((used or {}).get(kind) for kind in TOKENS))) for who, used in summary["tokens"].items())
    cost = summary["cost"]
    spent = summary["execution"]["spent_usd"]
    lines = [Row((name.removesuffix("_usd").replace("_", " "), dollars(value))) for name, value in cost.items()]
    unknown = cost["total_cost_usd"] is None
    paid = None if unknown and not spent else dollars(spent)
    lines.append(Row(("spent on this run, as far as known" if unknown else "spent on this run", paid)))
    note = Note(
        "Cost is that of all replies; those from the cache were paid for earlier. Unknown: the tokens were not told, or"
        " have no known price."
    )
    table = Table((Column("cost"), Column("US dollars")), tuple(lines))
    return (*cost_split(cost), Table(columns, rows, "Tokens"), table, note)


def cost_split(cost: Mapping[str, float | None]) -> list[Chart]:
    """The parts of what a run costs; nothing where it costs nothing or nobody knows."""
    parts = [(name.removesuffix("_cost"), cost[name]) for name in PARTS if cost.get(name)]
    if not parts:
        return []
    series = tuple(Series(name, (Point("cost", value),)) for name, value in parts)
    return [Chart("stack", series, "What the cost is made of", form="dollars")]
