"""What a reader must know of a retrieval run before believing its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.report.blocks import Block, Card, Cards, Column, Note, Row, Table, Tone
from assay.report.intervals import gate_card
from assay.report.numbers import format_value
from assay.report.retrieval.measures import of_family
from assay.report.text import are, counted

Summary = Mapping[str, Any]
SHOWN_REASONS = 3
LEVELS: dict[str, Tone] = {"good": "good", "tune": "warn", "poor": "bad", "undecided": "warn"}


def overview_blocks(summary: Summary) -> tuple[Block, ...]:
    decision = summary["decision"]
    best = f"best variant: {decision['variant'] or 'none'}"
    cards = [Card("Decision", decision["text"], best, LEVELS[decision["level"]]), *map(gate_card, summary["gates"])]
    return (Cards(tuple(cards)), *(Note(text, "warn") for text in warnings_of(summary)))


def warnings_of(summary: Summary) -> list[str]:
    said = []
    if summary["partial"]:
        said.append(f"A partial run: {summary['partial']}.")
    errors, unknown = summary["errors"], summary["unknown_results"]
    if errors["total"]:
        said.append(f"{counted(errors['total'], 'search', 'searches')} failed and {are(errors['total'])} in no mean.")
        said += [f"{count} × {message}" for message, count in list(errors["messages"].items())[:SHOWN_REASONS]]
    if unknown and unknown["count"]:
        told = (
            f"{unknown['count']} of {counted(unknown['of'], 'retrieved id')} {are(unknown['count'])} not in the index"
        )
        said.append(f"{told}, such as '{unknown['example']}'.")
    said += summary["warnings"]
    health = summary["health"]
    if health:
        said += [f"{counted(n, 'expected id')} {are(n)} {state}." for state, n in health["counts"].items() if n]
        if health["unknown_documents"]:
            said.append(f"Documents not found in the index: {', '.join(health['unknown_documents'][:5])}.")
    return said


def health_blocks(summary: Summary) -> tuple[Block, ...]:
    health = summary["health"]
    if health is None:
        return (Note("Not examined: there is no index."),)
    if not health["expected"]:
        return (Note("Not examined: no question names a chunk."),)
    trivial = format_value(health["trivial"], "percent")
    blocks: list[Block] = [
        Note(
            f"{health['present']} of {counted(health['expected'], 'expected id')} "
            f"{are(1 if health['expected'] == 1 else health['present'])} in the index."
        ),
        Note(f"{trivial} of the questions are trivial: bm25 alone ranks the expected chunk first."),
    ]
    if health["moved"]:
        columns = (Column("question"), Column("expected id"), Column("state"), Column("now"), Column("how"))
        rows = tuple(
            Row((m["case_id"], m["expected_id"], m["state"], ", ".join(m["candidates"]) or None, m["how"]), "warn")
            for m in health["moved"]
        )
        blocks.append(Table(columns, rows))
    if health["accepted"]:
        blocks.append(_accepted(summary))
    return tuple(blocks)


def _accepted(summary: Summary) -> Table:
    shares = (Column("as it stands", "share"), Column("relocated accepted", "share"))
    rows = tuple(
        Row((name, variant, summary["metrics"][variant][name]["mean"], accepted[name]["mean"]))
        for name in of_family(summary, ("recall", "mrr", "ndcg"))
        for variant, accepted in summary["health"]["accepted"].items()
    )
    caption = "Scores as they stand, and with relocated ids accepted."
    return Table((Column("measure"), Column("variant"), *shares), rows, caption)
