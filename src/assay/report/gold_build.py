"""A build of a gold set as a report: what it will cost, and what came of it."""

from __future__ import annotations

from collections import Counter

from assay.gold.build import Built
from assay.gold.estimate import BuildEstimate
from assay.gold.stratify import Strata
from assay.report.blocks import Block, Card, Cards, Column, Note, Report, Row, Section, Table
from assay.report.gold import tone_of
from assay.report.numbers import format_value
from assay.report.text import counted


def estimate_report(estimate: BuildEstimate | None, strata: Strata) -> Report:
    used = sum(each.quota > 0 for each in strata.strata)
    blocks: list[Block] = [Note(f"{counted(strata.target, 'question')} from {counted(used, 'stratum', 'strata')}.")]
    blocks += [Note(remark, "warn") for remark in strata.remarks]
    if estimate is None:
        blocks.append(Note("No model is set: questions come from the file exchange."))
        return Report("Gold build", "", (Section("What is to be asked", tuple(blocks)),))
    columns = (
        Column("phase"),
        Column("calls", "integer"),
        Column("prompt tokens", "integer"),
        Column("reply tokens", "integer"),
        Column("cost"),
    )
    rows = tuple(
        Row((f.phase, f.calls, f.prompt_tokens, f.completion_tokens, dollars(f.cost))) for f in estimate.forecasts
    )
    blocks.append(Table(columns, rows))
    blocks.append(Note(f"Estimated cost: {dollars(estimate.cost)} at most, before any reply that is already known."))
    if (again := estimate.again) is not None:
        blocks.append(
            Note(
                "When too few questions pass, what is missing is asked for once more: "
                f"at most {counted(again.calls, 'call')} and {dollars(again.cost)} beside these."
            )
        )
    blocks += [Note(warning, "warn") for warning in estimate.warnings]
    return Report("Gold build", estimate.model, (Section("What is to be asked", tuple(blocks)),))


def dollars(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.4f}"


def build_report(built: Built) -> Report:
    sections = [
        Section("What became of the questions", (_funnel(built), *_refusals(built))),
        Section("Strata", (_strata(built),), detail=built.gold is not None),
    ]
    if built.choice is not None:
        sections.insert(1, Section("Targets", _targets(built)))
    if built.verification is not None:
        sections.insert(0, Section("Summary", (_cards(built), *_failed_gates(built))))
    return Report("Gold build", str(built.gold or built.folder), tuple(sections))


def _cards(built: Built) -> Cards:
    found = built.verification
    assert found is not None
    blocked, warned = len(found.blocked), len(found.warned)
    return Cards(
        (
            Card("Questions", str(found.questions), f"{found.unanswerable} unanswerable"),
            Card("Verdict", "refused" if blocked else "accepted", "", "bad" if blocked else "good"),
            Card("Blocking gates", str(blocked), "failed", "bad" if blocked else "good"),
            Card("Warnings", str(warned), "failed", "warn" if warned else "good"),
        )
    )


def _failed_gates(built: Built) -> list[Block]:
    assert built.verification is not None
    failed = [outcome for outcome in built.verification.outcomes if outcome.status == "failed"]
    if not failed:
        return []
    rows = tuple(Row((each.gate, each.severity, each.rule, len(each.failures)), tone_of(each)) for each in failed)
    return [Table((Column("gate"), Column("severity"), Column("rule"), Column("failures", "integer")), rows)]


def _funnel(built: Built) -> Table:
    lines = [line for line in built.log if line.event == "candidate"]
    kept = len({line.key for line in lines if line.accepted})
    rows = [
        ("written", len(lines), ""),
        ("refused on reading", len(lines) - kept, "not as asked, over a quota, or twice"),
        ("refused by a gate", len(built.rejected), "rejected_questions.json"),
    ]
    if built.choice is not None:
        same = len(built.choice.repeats)
        rows.append(("ask the same as another", same, "selection.json"))
        rows.append(("left out for the mix", len(built.choice.left) - same, "selection.json"))
        rows.append(("in the set", len(built.choice.chosen), built.gold.name if built.gold else ""))
    columns = (Column("questions"), Column("number", "integer"), Column("where"))
    return Table(columns, tuple(Row(row) for row in rows))


def _refusals(built: Built) -> list[Block]:
    counts = Counter((each["gate"], each["reason"]) for each in built.rejected)
    if not counts:
        return []
    by_gate = Counter(str(gate) for gate, _ in counts.elements())
    example = {str(each["gate"]): f"{each['reason']}: {each['candidate']['question']}" for each in built.rejected[::-1]}
    rows = tuple(Row((gate, count, example[gate])) for gate, count in sorted(by_gate.items()))
    return [Table((Column("gate"), Column("refused", "integer"), Column("for example")), rows, "Refused by a gate")]


def _targets(built: Built) -> tuple[Block, ...]:
    assert built.choice is not None
    rows = tuple(
        Row(
            (each.name, each.wanted, _number(each.got, each.wanted), each.reason or ""),
            "good" if each.reached else "warn",
        )
        for each in built.choice.targets
    )
    columns = (Column("target"), Column("wanted"), Column("reached"), Column("why not"))
    return (Table(columns, rows), *(Note(remark, "warn") for remark in built.remarks))


def _number(value: float, wanted: str) -> str:
    return format_value(value, "percent") if "%" in wanted else f"{value:g}"


def _strata(built: Built) -> Table:
    columns = (
        Column("stratum"),
        *(Column(n, "integer") for n in ("documents", "chunks", "fit", "quota", "unanswerable")),
    )
    rows = tuple(
        Row((each.name, len(each.documents), each.chunks, each.fit, each.quota, each.unanswerable))
        for each in built.strata.strata
    )
    return Table(columns, rows)
