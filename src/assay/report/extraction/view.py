"""An extraction run as a report: what was found, what was missed, what the confidence is worth, what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.against import brief_sections, full_sections
from assay.report.blocks import Items, Report, Section
from assay.report.extraction.confidence import confidence_blocks
from assay.report.extraction.groups import field_blocks, group_blocks
from assay.report.extraction.resources import cost_blocks, execution_table, failures_blocks
from assay.report.extraction.result import measures_table, narrative_blocks, result_blocks
from assay.report.extraction.samples import Samples, samples_blocks, worst_block
from assay.report.text import moment
from assay.report.trend import Step
from assay.report.verdict import Compared, Number, verdict_of

Summary = Mapping[str, Any]
HEADLINES = ("precision", "recall", "f1")


def extraction_report(
    summary: Summary, samples: Samples, compared: Compared | None = None, history: Sequence[Step] = ()
) -> Report:
    """From the summary and the results."""
    compared = compared or Compared()
    baseline = compared.baseline
    sections = [
        Section("Result", result_blocks(summary)),
        *brief_sections(summary, baseline, history),
        Section("What goes wrong", narrative_blocks(summary)),
        Section("By category", group_blocks(summary["by_category"], "category")),
        Section("By level of tolerance", group_blocks(summary["by_level"], "level"), detail=True),
        Section("By field", field_blocks(summary)),
        Section("Confidence", confidence_blocks(summary)),
        Section("Time, tokens and cost", cost_blocks(summary)),
        *([Section("Failures", failures_blocks(summary, samples.failed))] if summary["errors"]["total"] else []),
        Section("Worst samples", (worst_block(summary, samples.worst),)),
        Section("Samples", samples_blocks(samples), "Expected against actual, field by field.", detail=True),
        *([Section("Left out", (Items(samples.left_out),))] if summary["skipped"]["count"] else []),
        Section("All measures", (measures_table(summary),), detail=True),
        *full_sections(baseline),
        Section("Execution", (execution_table(summary),), detail=True),
    ]
    corpus, intervals = summary["corpus"], summary["intervals"]
    numbers = [Number(name, name.capitalize(), intervals.get(name)) for name in HEADLINES]
    return Report(
        title=f"Extraction: {summary['system']} on {corpus['name']}",
        subtitle=f"{summary['run_id']} · {moment(summary['created_date'])} · {corpus['tested']} samples scored",
        sections=tuple(sections),
        verdict=verdict_of(summary, compared, numbers),
    )
