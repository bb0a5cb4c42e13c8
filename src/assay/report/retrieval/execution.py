"""How a retrieval run was carried out, and what was left out of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.report.blocks import Block, Column, Note, Row, Table
from assay.report.numbers import format_value
from assay.report.text import counted, was

Summary = Mapping[str, Any]


def skipped_blocks(summary: Summary) -> tuple[Block, ...]:
    skipped = summary["skipped"]
    if not skipped["count"]:
        return (Note("Nothing: every question was tested."),)
    rows = tuple(Row((reason, count)) for reason, count in skipped["reasons"].items())
    total = summary["corpus"]["question_count"]
    return (
        Note(f"{skipped['count']} of {counted(total, 'question')} {was(skipped['count'])} not tested."),
        Table((Column("reason"), Column("questions", "integer")), rows),
    )


def run_blocks(summary: Summary) -> tuple[Block, ...]:
    index, execution = summary["index"] or {}, summary["execution"]
    facts = {
        "run id": summary["run_id"],
        "gold set": f"{summary['corpus']['name']} (sha256 {summary['corpus']['sha256'][:12]})",
        "index": _index_size(index) if index else None,
        "embedder": index.get("model_id"),
        "index fingerprint": (index.get("fingerprint") or "")[:12] or None,
        "seed": str(summary["seed"]),
        "assay": summary["environment"]["assay"],
        "python": f"{summary['environment']['python']} on {summary['environment']['platform']}",
    }
    columns = (Column("variant"), Column("search", "seconds"), Column("questions", "integer"))
    rows = tuple(
        Row((name, t["seconds"] if t["questions"] else None, t["questions"], t["questions_per_second"]))
        for name, t in execution["search"].items()
    )
    in_all = f"{format_value(execution['duration'], 'seconds')} in all."
    return (
        Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items())),
        Table((*columns, Column("a second", "integer")), rows, in_all),
    )


def _index_size(index: Mapping[str, Any]) -> str:
    return f"{index['name']}: {counted(index['chunks'], 'chunk')} of {counted(index['documents'], 'document')}"
