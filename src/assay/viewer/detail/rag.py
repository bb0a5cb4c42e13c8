"""An answer: question, truth, answer, what the generator saw, what was retrieved, time and tokens; then the judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.judges.judgment import DIMENSIONS
from assay.rag.outcomes import ARCHETYPES, STAGES
from assay.report.blocks import Column, Row, Table
from assay.report.html_blocks import blocks_html
from assay.report.markup import Markup, element, join
from assay.report.numbers import call_dollars, format_value
from assay.viewer.detail.scores import scores, tags
from assay.viewer.parts import NOTHING, chip, fields, folded, section
from assay.viewer.visit import Data

FIRST = 10
"""Candidates that are shown at once."""


def answer(row: Mapping[str, Any]) -> Markup:
    """What a person needs to judge the answer, and nothing that says what the judge thought."""
    expected = row["expected_answer"]
    if not row["answerable"]:
        expected = f"None: the question cannot be answered ({row['category']}). {row['truth'] or ''}"
    error = row["error"]
    pairs = [
        ("Expected answer", expected),
        ("Right too", " · ".join(row.get("accepted_answers", ())) or None),
        ("Answer", row["answer"]),
        ("Error", f"{error['phase']}: {error['message']}" if error else None),
    ]
    return join([fields(pairs, "fields big"), tags(row)])


def found(row: Mapping[str, Any], side: Data) -> Markup:
    """Context, candidates, time, tokens and cost; `side` has the texts and the cost."""
    return join([_context(row, side["texts"]), _retrieved(row), _expense(row, side["cost"])])


def _context(row: Mapping[str, Any], texts: Mapping[str, str]) -> Markup:
    context = row["context"]
    if not context:
        return NOTHING
    expected = set(row["expected_ids"])
    shown = []
    for number, passage in enumerate(context, 1):
        page = f" p. {passage['page']}" if passage["page"] is not None else ""
        name = passage["id"] or passage["source"] or "passage"
        sign = " ✓ expected" if passage["id"] in expected else ""
        text = element("p", texts.get(passage["text"], "(the text is not in passages.jsonl)"), class_="passage")
        shown.append(folded(f"{number}. {name}{page}{sign}", text, is_open=number <= 2))
    return section("What the generator saw", *shown)


def _retrieved(row: Mapping[str, Any]) -> Markup:
    candidates = row["retrieved"]
    if not candidates:
        return NOTHING
    ranks = ", ".join("not found" if rank is None else str(rank) for rank in row["expected_ranks"])
    said = element("p", f"Rank of what is expected: {ranks or 'nothing is expected'}", class_="intro")
    rest = NOTHING
    if len(candidates) > FIRST:
        rest = folded(f"All {len(candidates)}", _candidates(row, candidates, "all"))
    return section("Retrieved", said, _candidates(row, candidates[:FIRST], "first"), rest)


def _candidates(row: Mapping[str, Any], candidates: list[Data], key: str) -> Markup:
    expected = set(row["expected_ids"])
    columns = (Column("rank"), Column("id"), Column("source"), Column("page"), Column(row["scale"] or "score", "score"))
    rows = tuple(
        Row(
            (str(c["rank"]), c["id"], c["source"], None if c["page"] is None else str(c["page"]), c["score"]),
            "good" if c["id"] in expected else "plain",
        )
        for c in candidates
    )
    return blocks_html((Table(columns, rows),), f"retrieved-{key}")


def _expense(row: Mapping[str, Any], cost: Mapping[str, float | None]) -> Markup:
    times = tuple(Row((phase, seconds)) for phase, seconds in row["timing"].items())
    kinds = ("prompt", "completion", "thinking", "cached", "total")
    used = (("answer", row["tokens"]), ("judge", row["judge_tokens"]))
    tokens = tuple(Row((who, *(told.get(kind) for kind in kinds))) for who, told in used if told)
    blocks = [Table((Column("phase"), Column("time", "seconds")), times)]
    if tokens:
        blocks.append(Table((Column("tokens"), *(Column(kind, "integer") for kind in kinds)), tokens))
    paid = tuple(Row((who, call_dollars(dollars))) for who, dollars in cost.items())
    if any(dollars != 0 for dollars in cost.values()):
        blocks.append(Table((Column("cost"), Column("US dollars")), paid))
    retry = row["retry_info"]
    tries = NOTHING
    if retry["attempts"] > 1:
        came = "and came through" if retry["recovered"] else "in vain"
        tries = element("p", f"{retry['attempts']} tries, {came}: {retry['error'] or ''}", class_="note")
    return section("Time and cost", tries, blocks_html(tuple(blocks), "expense"))


def judged(row: Mapping[str, Any], entry: Mapping[str, Any] | None) -> Markup:
    """Verdict, grades and reason, and where the question was lost."""
    judgment = row["judgment"] or {}
    grades = ", ".join(
        f"{name} {format_value(judgment[name], 'score')}" for name in DIMENSIONS if judgment.get(name) is not None
    )
    stage, archetype = (entry or {}).get("stage"), (entry or {}).get("archetype")
    verdict = join([chip(judgment.get("verdict")), Markup(" by "), element("span", judgment.get("judge") or "nobody")])
    pairs = [
        ("Verdict", verdict),
        ("Overall", format_value(judgment.get("overall_score"), "score")),
        ("Grades", grades),
        ("Reason", judgment.get("reason")),
        ("Lost", f"{stage}: {STAGES.get(stage, '')}" if stage else None),
        ("Archetype", f"{archetype}: {ARCHETYPES.get(archetype, '')}" if archetype else None),
    ]
    return join([fields(pairs), scores(row, "scores")])
