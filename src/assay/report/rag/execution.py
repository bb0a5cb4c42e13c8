"""How a RAG run was carried out: tries, errors, settings, which questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.report.blocks import Block, Column, Note, Row, Table
from assay.report.numbers import format_value
from assay.report.rag.lines import Lines
from assay.report.rag.quality import faults_of

Summary = Mapping[str, Any]


def retries_blocks(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    stats, errors = summary["retry_stats"], summary["errors"]
    again = f"{stats['questions_retried']} questions needed another try, {stats['recovered']} of them recovered"
    note = Note(f"{again}; {stats['total_attempts']} tries in all.")
    if not errors["total"]:
        return (note, Note("No question failed for good."))
    by_phase = tuple(Row((phase, count), "bad") for phase, count in errors["by_phase"].items())
    messages = tuple(Row(told) for told in faults_of(rows)[:20])
    return (
        note,
        Table((Column("phase"), Column("errors", "integer")), by_phase),
        Table((Column("message"), Column("errors", "integer")), messages),
    )


def execution_table(summary: Summary) -> Table:
    execution = summary["execution"]
    facts = {
        "run id": summary["run_id"],
        "started": execution["timestamp"],
        "duration": format_value(execution["duration"], "seconds"),
        "questions a second": execution["questions_per_second"],
        "workers": execution["workers"],
        "seed": summary["seed"],
        "judge fingerprint": summary["judge"]["fingerprint"][:12],
        "assay": summary["environment"]["assay"],
        "python": summary["environment"]["python"],
    }
    return Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items()))


def distribution_blocks(summary: Summary) -> tuple[Block, ...]:
    corpus, skipped = summary["corpus"], summary["skipped"]
    blocks: list[Block] = [
        Note(f"{corpus['tested']} of {corpus['question_count']} questions of {corpus['name']} were asked.")
    ]
    asked = corpus.get("tested_distribution", corpus["distribution"])
    for key, counts in corpus["distribution"].items():
        rows = tuple(Row((value, count, asked.get(key, {}).get(value, 0))) for value, count in counts.items())
        blocks.append(Table((Column(key), Column("in the corpus", "integer"), Column("asked", "integer")), rows))
    if skipped["count"]:
        rows = tuple(Row((reason, count)) for reason, count in skipped["reasons"].items())
        blocks.append(Table((Column("left out because"), Column("questions", "integer")), rows))
    return tuple(blocks)
