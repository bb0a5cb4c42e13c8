"""A retrieval run as a report: what a person wants to know first, then everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.compare import Comparison
from assay.report.against import brief_sections, full_sections
from assay.report.blocks import Report, Section
from assay.report.retrieval.execution import run_blocks, skipped_blocks
from assay.report.retrieval.health import health_blocks, overview_blocks
from assay.report.retrieval.measures import (
    headline_numbers,
    headlines_section,
    measures_table,
    ranks_chart,
    recall_charts,
)
from assay.report.retrieval.questions import Cases, failures_blocks
from assay.report.retrieval.segments import segment_sections
from assay.report.text import counted, moment
from assay.report.trend import Step
from assay.report.verdict import Compared, verdict_of

Summary = Mapping[str, Any]


def _ranks(summary: Summary) -> list[Section]:
    """Of a set that names pages alone there are none."""
    known = any(count for bins in summary["ranks"].values() for count in bins.values())
    return [Section("Where the expected chunk stands", (ranks_chart(summary),), detail=True)] if known else []


def retrieval_report(
    summary: Summary,
    cases: Cases,
    variants: Sequence[Comparison] = (),
    compared: Compared | None = None,
    history: Sequence[Step] = (),
) -> Report:
    """`variants` are the comparisons within the run, `compared` the one with an earlier run."""
    compared = compared or Compared()
    baseline = compared.baseline
    sections = [
        Section("Summary", overview_blocks(summary)),
        headlines_section(summary),
        Section("Recall at k", recall_charts(summary), detail=True),
        *brief_sections(summary, baseline, history, variants),
        *_ranks(summary),
        *segment_sections(summary, cases),
        Section("Questions", failures_blocks(summary, cases), "Those that no variant found first."),
        Section("Health of the gold set", health_blocks(summary)),
        Section("What was left out", skipped_blocks(summary)),
        Section("All measures", (measures_table(summary),), detail=True),
        *full_sections(baseline, variants),
        Section("Run", run_blocks(summary), detail=True),
    ]
    corpus = summary["corpus"]
    return Report(
        title=f"Retrieval: {corpus['name']}",
        subtitle=f"{summary['run_id']} · {moment(summary['created_date'])} · {counted(corpus['tested'], 'question')}",
        sections=tuple(sections),
        verdict=verdict_of(summary, compared, headline_numbers(summary)),
    )
