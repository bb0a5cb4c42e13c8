"""An audit by hand as a report: what to check, and what the verdicts prove."""

from __future__ import annotations

from collections.abc import Mapping

from assay.gold.audit import Audit
from assay.gold.schema import Question
from assay.report.blocks import Block, Card, Cards, Column, Field, Item, Items, Note, Report, Row, Section, Table, Tone
from assay.report.numbers import format_value
from assay.report.text import are, counted


def audit_report(audit: Audit, questions: Mapping[str, Question], strata: Mapping[str, int]) -> Report:
    sections = [Section("Summary", _overview(audit))]
    rows = tuple(Row((kind, count)) for kind, count in strata.items())
    sections.append(Section("The sample", (Table((Column("kind"), Column("questions", "integer")), rows),)))
    if audit.bad:
        sections.append(Section("Found bad", (Items(tuple(_item(id_, audit, questions) for id_ in audit.bad)),)))
    subtitle = f"{counted(audit.questions, 'question')} · seed {audit.options.seed}"
    return Report("Audit of a gold set", subtitle, tuple(sections))


def _overview(audit: Audit) -> tuple[Block, ...]:
    options = audit.options
    tone: Tone = "good" if audit.proved else "plain" if audit.open else "bad"
    cards = [
        Card("To check by hand", str(len(audit.sample)), f"of {audit.questions}"),
        Card("Checked", str(audit.checked), f"{audit.open} open" if audit.open else "all"),
    ]
    if audit.upper is not None and audit.upper_here is not None:
        confidence = f"with {options.confidence:.0%} confidence"
        cards += [
            Card("Bad among them", str(len(audit.bad))),
            Card("Bad in this set, at most", format_value(audit.upper_here, "percent"), confidence, tone),
            Card("Bad in such sets, at most", format_value(audit.upper, "percent"), "Clopper–Pearson"),
        ]
    notes = [Note(_meaning(audit), tone)]
    if audit.outside:
        them = f"{counted(audit.outside, 'verdict')} {are(audit.outside)} on questions outside the sample"
        notes.append(Note(f"{them}: that proves nothing.", "warn"))
    return (Cards(tuple(cards)), *notes)


def _meaning(audit: Audit) -> str:
    options = audit.options
    limit = f"{options.max_bad:.1%} of the questions are bad ({options.confidence:.0%} confidence)"
    if audit.open:
        allowed = "none" if not options.allowed else f"at most {options.allowed}"
        return f"If {allowed} of the {len(audit.sample)} {are(options.allowed or 1)} bad, at most {limit}."
    return f"It is proved that at most {limit}." if audit.proved else f"It is not proved that at most {limit}."


def _item(id_: str, audit: Audit, questions: Mapping[str, Question]) -> Item:
    question = questions[id_]
    fields = (
        Field("note", audit.notes.get(id_, "–")),
        Field("question", question.content.question),
        Field("answer", question.content.expected_answer or "–"),
        Field("chunk", question.provenance.chunk_id or "–", mono=True),
    )
    why = f" ({note})" if (note := audit.notes.get(id_)) else ""
    return Item(id_, f"{question.content.question}{why}", {"verdict": "bad"}, fields, "bad")
