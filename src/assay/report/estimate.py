"""A forecast as a report."""

from __future__ import annotations

from assay.report.blocks import Block, Column, Note, Report, Row, Section, Table
from assay.runs.forecast import RunEstimate


def estimate_report(estimate: RunEstimate) -> Report:
    kinds = ("prompt tokens", "reply tokens")
    columns = (Column("phase"), Column("who"), Column("calls", "integer"), *(Column(kind, "integer") for kind in kinds))
    rows = tuple(
        Row((f.phase, f.who, f.calls, f.prompt_tokens, f.completion_tokens, _dollars(f.cost)))
        for f in estimate.forecasts
    )
    blocks: list[Block] = [Note(f"{estimate.questions} {estimate.unit}; nothing was sent and nothing spent.")]
    if rows:
        blocks.append(Table((*columns, Column("cost")), rows))
        blocks.append(Note(f"Estimated cost: {_dollars(estimate.cost)}, without retries and before any cached reply."))
    else:
        blocks.append(Note("No model is called: the run costs nothing."))
    blocks += [Note(warning, "warn") for warning in estimate.warnings]
    return Report("Dry run", "", (Section("What would be called", tuple(blocks)),))


def _dollars(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.4f}"
