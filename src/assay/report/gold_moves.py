"""What became of the questions of a gold set after re-chunking, and what a conversion left out, as reports."""

from __future__ import annotations

from collections.abc import Mapping

from assay.gold.convert import Converted
from assay.gold.relocate import Relocation
from assay.gold.schema import Question
from assay.report.blocks import Block, Card, Cards, Column, Field, Item, Items, Note, Report, Row, Section, Table
from assay.report.text import counted

FIRST = 50


def relocation_report(found: Relocation, questions: Mapping[str, Question], name: str) -> Report:
    cards = (
        Card("In place", str(len(found.present))),
        Card("Moved", str(len(found.moved))),
        Card("Lost", str(len(found.lost)), "", "bad" if found.lost else "good"),
    )
    ways: dict[str, int] = {}
    for id_ in found.moved:
        way = found.how[id_].partition(", in ")[0]
        ways[way] = ways.get(way, 0) + 1
    rows = tuple(Row((way, count)) for way, count in sorted(ways.items()))
    sections = [Section("Summary", (Cards(cards),))]
    if rows:
        sections.append(Section("Followed by", (Table((Column("by"), Column("questions", "integer")), rows),)))
    items = tuple(_item(id_, found.how[id_], questions[id_]) for id_ in found.lost)
    lost: list[Block] = [Items(items, empty="Every question has a chunk.")]
    if found.lost and not found.by_text:
        lost.append(
            Note("With --old-index, the index it was made from, questions are followed by the text of their chunk.")
        )
    sections.append(Section("Lost", tuple(lost)))
    return Report(f"Relocation: {name}", counted(len(questions), "question"), tuple(sections))


def _item(id_: str, why: str, question: Question) -> Item:
    fields = (
        Field("why", why),
        Field("answer", question.content.expected_answer or "–"),
        Field("old chunk", question.provenance.chunk_id or "–", mono=True),
    )
    return Item(id_, question.content.question, {"why": why}, fields, "bad")


def conversion_report(done: Converted) -> Report:
    lost = done.lost
    said = Note(f"{counted(done.questions, 'question')} written to {done.path}.", "good" if not lost else "warn")
    rows = tuple(Row((id_, why)) for id_, why in list(lost.items())[:FIRST])
    blocks: tuple[Block, ...] = (said, *map(Note, done.notes))
    table = (Table((Column("left out"), Column("why")), rows),) if rows else ()
    more = (Note(f"… and {len(lost) - FIRST} more"),) if len(lost) > FIRST else ()
    return Report("Conversion", f"{len(lost)} left out", (Section("Result", (*blocks, *table, *more)),))
