"""What an extraction run took, how it was carried out, and what failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.blocks import Block, Column, Row, Table
from assay.report.extraction.result import dollars
from assay.report.numbers import format_value
from assay.report.rag.resources import cost_split

Summary = Mapping[str, Any]


def cost_blocks(summary: Summary) -> tuple[Block, ...]:
    total = summary["latency"]["total"]
    times = Table(
        (Column("seconds a sample"), *(Column(name, "seconds") for name in ("mean", "p50", "p95", "max"))),
        (Row(("extraction", total["avg"], total["p50"], total["p95"], total["max"])),),
    )
    kinds = ("prompt", "completion", "thinking", "cached", "total")
    tokens = Table(
        (Column("tokens"), *(Column(kind, "integer") for kind in kinds)),
        tuple(Row((who, *((used or {}).get(kind) for kind in kinds))) for who, used in summary["tokens"].items()),
    )
    lines = [
        Row((name.removesuffix("_usd").replace("question", "sample").replace("_", " "), dollars(v)))
        for name, v in summary["cost"].items()
    ]
    return (times, tokens, *cost_split(summary["cost"]), Table((Column("cost"), Column("US dollars")), tuple(lines)))


def failures_blocks(summary: Summary, failed: Sequence[Row]) -> tuple[Block, ...]:
    broken = [Row((each["id"], each["message"]), "bad") for each in summary["errors"]["broken"]]
    return (Table((Column("sample"), Column("what happened")), (*failed, *broken)),)


def execution_table(summary: Summary) -> Table:
    execution = summary["execution"]
    facts = {
        "run id": summary["run_id"],
        "record type": summary["record_type"],
        "model": summary["model"],
        "started": execution["timestamp"],
        "duration": format_value(execution["duration"], "seconds"),
        "samples a second": execution["questions_per_second"],
        "workers": execution["workers"],
        "delay": format_value(execution["delay"], "seconds"),
        "seed": summary["seed"],
        "assay": summary["environment"]["assay"],
        "python": summary["environment"]["python"],
    }
    return Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items()))
