"""What a RAG run was and how it went: context, verdicts, refusals, every measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.rag.tally import RATES
from assay.report.blocks import Block, Card, Cards, Chart, Column, Note, Point, Row, Series, Table, Tone
from assay.report.intervals import gate_card, spread
from assay.report.numbers import format_value
from assay.report.rag.lines import Lines
from assay.report.rag.quality import faults_of
from assay.report.rag.questions import TONES
from assay.report.tables import filled
from assay.report.text import counted

Summary = Mapping[str, Any]
STATUS: dict[str, Tone] = {"good": "good", "fair": "warn", "poor": "bad", "unknown": "warn"}
SHOWN_REASONS = 3


def context_blocks(summary: Summary, rows: Lines) -> tuple[Block, ...]:
    pipeline = summary["config"]["run"]["pipeline"]
    reasons = [*([summary["partial"]] if summary["partial"] else []), *summary.get("overrides", ())]
    kind = f"ad hoc: {', '.join(reasons)}" if reasons else "core: the full corpus at the configured k"
    facts = {
        "run": kind,
        "system": summary["system"],
        "judge": summary["judge"]["name"],
        "recall k / precision k": f"{pipeline['recall_k']} / {pipeline['precision_k']}{_of_how_many(summary)}",
        "status": f"{summary['status']} (pass rate {format_value(summary['metrics']['pass_rate'], 'percent')})",
    }
    notes = [Note(text, "warn") for text in (*summary["execution"]["warnings"], *_reasons(rows))]
    return (Table((Column("what"), Column("is")), tuple(Row((key, value)) for key, value in facts.items())), *notes)


def _of_how_many(summary: Summary) -> str:
    """To find something among 100 of 112 chunks is no feat."""
    index = summary["index"]
    return f" of {counted(index['chunks'], 'chunk')}" if index else ""


def _reasons(rows: Lines) -> list[str]:
    """Why questions have no result, the most frequent first: the whole list is further down."""
    told = faults_of(rows)
    said = [f"{count} × {message}" for message, count in told[:SHOWN_REASONS]]
    more = len(told) - SHOWN_REASONS
    return said + (
        [f"and {counted(more, 'other reason')}: see “Retries and errors” of the report."] if more > 0 else []
    )


def executive_blocks(summary: Summary) -> tuple[Block, ...]:
    metrics, intervals = summary["metrics"], summary["intervals"]
    cards = [
        Card("Status", summary["status"], "by the pass rate", STATUS[summary["status"]]),
        Card("Acceptable", format_value(metrics["acceptable_rate"], "percent"), "pass or partial"),
        Card("Cost", dollars(summary["cost"]["total_cost_usd"]), "of all replies"),
        Card("Median time", format_value(summary["latency"]["total"]["p50"], "seconds"), "a question"),
        *(gate_card(gate) for gate in summary["gates"]),
    ]
    rates = [(name.removesuffix("_rate"), metrics[name]) for name in RATES if name != "acceptable_rate"]
    columns = (Column("verdict"), Column("share", "percent"), Column("interval"))
    rows = [Row((name, value, spread(intervals[f"{name}_rate"], "percent")), TONES[name]) for name, value in rates]
    whole = tuple(Series(name, (Point("answers", value),), TONES[name]) for name, value in rates)
    return (Cards(tuple(cards)), Chart("stack", whole, "Verdicts", form="percent"), Table(columns, tuple(rows)))


def dollars(value: float | None) -> str:
    return "unknown" if value is None else format_value(value, "dollars")


def abstention_table(summary: Summary) -> Table:
    counts = summary["abstention"]
    names = ("answered", "refused", "unjudged")
    heads = (Column("answered", "integer"), Column("refused", "integer"), Column("not judged", "integer"))
    rows = [
        Row((kind, *(counts[f"{kind}_{name}"] for name in names), _wrong(counts[rate])))
        for kind, rate in (("answerable", "false_refusal_rate"), ("unanswerable", "false_answer_rate"))
        if any(counts[f"{kind}_{name}"] for name in names)
    ]
    caption = "Wrong: answerable questions refused, unanswerable ones answered."
    return filled(Table((Column("question"), *heads, Column("wrong")), tuple(rows), caption))


def _wrong(interval: Mapping[str, Any]) -> str | None:
    if interval["mean"] is None:
        return None
    return f"{format_value(interval['mean'], 'percent')} ({spread(interval, 'percent')})"


def measures_blocks(summary: Summary) -> tuple[Block, ...]:
    """Those that any question has a value of; the others are named."""
    columns = (Column("measure"), Column("mean", "score"), Column("interval"))
    known = {name: interval for name, interval in summary["intervals"].items() if interval["mean"] is not None}
    rows = tuple(Row((name, i["mean"], spread(i, "score"))) for name, i in known.items())
    without = [name for name in summary["intervals"] if name not in known]
    note = Note(f"No question has a value of: {', '.join(without)}.")
    return (Table(columns, rows), *([note] if without else []))
