"""A RAG run as a report, in the order people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.report.against import brief_sections, full_sections
from assay.report.blocks import Report, Section
from assay.report.rag.execution import distribution_blocks, execution_table, retries_blocks
from assay.report.rag.overview import abstention_table, context_blocks, executive_blocks, measures_blocks
from assay.report.rag.quality import breakdown_blocks, definitions_table, losses_blocks, matrix_blocks, scores_blocks
from assay.report.rag.questions import Pages, questions_blocks
from assay.report.rag.resources import cost_blocks, latency_blocks
from assay.report.text import moment
from assay.report.trend import Step
from assay.report.trust import trust_blocks
from assay.report.verdict import Compared, Number, verdict_of

Summary = Mapping[str, Any]


def rag_report(
    summary: Summary, pages: Pages, compared: Compared | None = None, history: Sequence[Step] = ()
) -> Report:
    compared = compared or Compared()
    baseline, rows = compared.baseline, pages.lines
    sections = [
        Section("Run context", context_blocks(summary, rows)),
        Section("Executive summary", executive_blocks(summary)),
        *brief_sections(summary, baseline, history),
        Section("MRR by difficulty and type", matrix_blocks(rows), detail=True),
        Section("What the scores mean", (definitions_table(summary),), detail=True),
        Section("Distribution of scores", scores_blocks(rows), detail=True),
        Section("Answered or refused", (abstention_table(summary),)),
        *([Section("Trust in the judge", trust_blocks(summary["trust"]))] if summary.get("trust") else []),
        Section("Where questions were lost", losses_blocks(summary)),
        Section("Latency", latency_blocks(summary, rows), detail=True),
        Section("Tokens and cost", cost_blocks(summary)),
        Section("By type", breakdown_blocks(summary, "breakdown_by_type", "type"), detail=True),
        Section("By difficulty", breakdown_blocks(summary, "breakdown_by_difficulty", "difficulty"), detail=True),
        Section("Retries and errors", retries_blocks(summary, rows), detail=True),
        Section("Questions", questions_blocks(pages), "Failures first, then partial answers, then what passed."),
        Section("All measures", measures_blocks(summary), detail=True),
        *full_sections(baseline),
        Section("Execution", (execution_table(summary),), detail=True),
        Section("Question distribution", distribution_blocks(summary), detail=True),
    ]
    corpus = summary["corpus"]
    return Report(
        title=f"RAG run: {summary['system']} on {corpus['name']}",
        subtitle=f"{summary['run_id']} · {moment(summary['created_date'])} · {corpus['tested']} questions",
        sections=tuple(sections),
        verdict=verdict_of(summary, compared, _numbers(summary)),
    )


def _numbers(summary: Summary) -> list[Number]:
    """What the judge says of the answers, and whether retrieval found what was needed, where that can be told."""
    intervals = summary["intervals"]
    recall = next((name for name in intervals if name.startswith("recall_at_")), "")
    if recall and intervals[recall]["mean"] is not None:
        third = Number(recall, f"Recall at {recall.rpartition('_')[2]}", intervals[recall], "percent")
    else:
        third = Number("acceptable_rate", "Pass or partial", intervals.get("acceptable_rate"), "percent")
    return [
        Number("pass_rate", "Pass rate", intervals.get("pass_rate"), "percent"),
        Number("overall_score_avg", "Overall score, 1 to 5", intervals.get("overall_score_avg"), "score"),
        third,
    ]
