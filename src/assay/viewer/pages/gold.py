"""The gold set: every question, its kinds, and what people say of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from assay.gold.leaves import LEAVES
from assay.report.markup import Markup, element, join
from assay.report.numbers import MISSING
from assay.report.text import clip
from assay.viewer.choice import Choice, counted, ordered, part_of
from assay.viewer.gold_set import gold_of
from assay.viewer.parts import Column, Filter, chip, controls, link, nothing, pager, table
from assay.viewer.question_list import filters_of
from assay.viewer.refusal import mistaken
from assay.viewer.visit import Content, Data, View, Visit, address

TITLE = 160
FILTERS = ("category", "question_type", "difficulty", "hard_type", "reasoning_class", "status", "sample", "label")


class Entry(Struct, frozen=True, kw_only=True):
    """A line of the list."""

    id: str
    question: str
    category: str | None
    question_type: str | None
    difficulty: str | None
    hard_type: str | None
    reasoning_class: str | None
    status: str | None
    leaves: int | None
    sample: str
    """Whether `assay gold audit` asks to have it checked: yes or no."""
    label: str
    """What the one who asks said: good, bad or none."""
    text: str


ORDERS: dict[str, Callable[[Entry], Any] | None] = {
    "order": None,
    "id": lambda entry: entry.id,
    "leaves": lambda entry: entry.leaves,
    "category": lambda entry: entry.category,
}


def data(visit: Visit) -> Data:
    entries = entries_of(visit)
    choice = Choice.of(visit.query, tuple(ORDERS))
    part = part_of(chosen(entries, choice), len(entries), choice)
    shown = gold_of(visit)
    return {
        "view": "gold",
        "gold": shown.name,
        "sha256": shown.sha256,
        "form": shown.form,
        "version": shown.gold.version if shown.gold else {},
        **part.as_data(),
        "sample": len(shown.sample),
        "labels": sum(len(by_rater) for by_rater in visit.desk.gold_labels().values()),
        "choices": {name: counted(v for e in entries if (v := getattr(e, name)) is not None) for name in FILTERS},
        "questions": [
            {name: getattr(e, name) for name in Entry.__struct_fields__ if name != "text"} for e in part.items
        ],
    }


def entries_of(visit: Visit) -> list[Entry]:
    """All of them; the labels of the one who asks are looked up each time."""
    labels, gold = visit.desk.gold_labels(), gold_of(visit)
    drawn = set(gold.sample)
    found = []
    for item in gold.items:
        mine = labels.get(item.id, {}).get(visit.rater)
        found.append(
            Entry(
                id=item.id,
                question=item.question,
                category=item.category,
                question_type=item.question_type,
                difficulty=item.difficulty,
                hard_type=item.hard_type,
                reasoning_class=item.reasoning_class,
                status=item.status,
                leaves=item.leaves,
                sample="yes" if item.id in drawn else "no",
                label=str(mine.verdict) if mine else "none",
                text=f"{item.id}\n{item.question}\n{item.answer or ''}".lower(),
            )
        )
    return found


def chosen(entries: list[Entry], choice: Choice) -> list[Entry]:
    for name in choice.filters:
        if name not in {*FILTERS, "id", "queue", "then", "after"}:
            raise mistaken(f"there is no filter '{name}'")
    wanted = {name: value for name, value in choice.filters.items() if name in FILTERS}
    found = [
        entry
        for entry in entries
        if all(getattr(entry, name) == value for name, value in wanted.items())
        and all(word in entry.text for word in choice.words)
    ]
    return ordered(found, ORDERS[choice.sort], descending=choice.descending)


def show(data: Data, visit: Visit) -> Content:
    columns = (
        Column("question", "order", wide=True),
        Column("category", "category"),
        Column("type"),
        Column("difficulty"),
        Column("answerable"),
        Column("leaves", "leaves", number=True),
        Column("your label"),
    )
    rows = [_row(each, visit) for each in data["questions"]]
    filters = [Filter(name, name.replace("_", " "), data["choices"][name]) for name in FILTERS]
    shown = f"{data['found']:,} of {data['total']:,}"
    body = join(
        [
            _actions(data),
            controls(visit, filters, shown),
            table(columns, rows, visit, "No question fits."),
            pager(data, visit),
        ]
    )
    return Content(title=f"Gold set: {data['gold']}", subtitle=f"{data['total']:,} questions", body=body)


def _actions(data: Data) -> Markup:
    if data["form"] != "schema-v2":
        return nothing(
            "Plain cases: gates and audit need a gold set of schema v2; assay gold convert makes one of many formats."
        )
    return element(
        "p",
        link("Gates", "/gold/gates", "button"),
        link(f"Check the audit's sample ({data['sample']:,})", "/gold/next", "button"),
        class_="actions",
    )


def _row(each: Data, visit: Visit) -> list[str]:
    title = link(
        clip(each["question"], TITLE), address("/gold/question", {"id": each["id"], **filters_of(visit.query)})
    )
    hard = each["hard_type"]
    return [
        join([title, element("code", each["id"])]),
        each["category"] or MISSING,
        each["question_type"] or MISSING,
        each["difficulty"] or MISSING,
        "yes" if hard in (None, "ANSWERABLE") else hard,
        MISSING if each["leaves"] is None else f"{each['leaves']} / {len(LEAVES)}",
        chip(each["label"]) if each["label"] != "none" else MISSING,
    ]


VIEW = View("/gold", data, show)
