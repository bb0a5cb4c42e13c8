"""The questions of a run, a page at a time."""

from __future__ import annotations

from assay.report.html import Link
from assay.report.markup import element, join
from assay.report.numbers import MISSING, format_value
from assay.report.text import clip
from assay.runs.folder import RESULTS, SUMMARY
from assay.viewer.choice import TAG, Choice, part_of
from assay.viewer.parts import NOTHING, Column, Filter, chip, controls, link, nothing, pager, table
from assay.viewer.question_list import LABELLED, ORDERS, Questions, called, filters_of, listed
from assay.viewer.visit import Content, Data, View, Visit, run_address

TITLE = 160
"""Characters of a question in a list."""
MOST = 40
"""Values a tag may have to be a filter in the page; the address takes any."""


def data(visit: Visit) -> Data:
    run = visit.run
    questions = Questions.of(visit, run)
    choice = Choice.of(visit.query, tuple(ORDERS))
    part = part_of(questions.chosen(choice), len(questions.entries), choice)
    files = (run.path / RESULTS, run.path / SUMMARY)
    return {
        "view": "questions",
        "run": visit.desk.catalogue.listing(run).as_data(),
        **part.as_data(),
        "spoiled": questions.spoiled,
        "choices": visit.desk.made.get(("choices", run.name), files, questions.choices),
        "questions": listed(part.items, questions),
    }


def show(data: Data, visit: Visit) -> Content:
    run = data["run"]
    choices = data["choices"]
    several, one = len(choices["variant"]) > 1, called(run["kind"])
    columns = (
        Column(one, "id", wide=True),
        *([Column("variant")] if several else []),
        Column("outcome", "outcome"),
        Column("why", wide=True),
        Column("score", "score", number=True),
        Column("time", "seconds", number=True),
        *([Column("your label")] if run["kind"] == "rag" else []),
    )
    rows = [_row(each, visit, run, several=several) for each in data["questions"]]
    filters = [Filter(name, name.removeprefix(TAG), values) for name, values in choices.items() if len(values) <= MOST]
    if run["kind"] == "rag":
        filters.append(Filter("label", "your label", dict.fromkeys(LABELLED, 0)))
    shown = f"{data['found']:,} of {data['total']:,}"
    spoiled = nothing(f"{data['spoiled']} lines of results.jsonl cannot be read.") if data["spoiled"] else NOTHING
    empty = f"No {one} fits." if data["total"] else "No result yet."
    body = join([controls(visit, filters, shown), spoiled, table(columns, rows, visit, empty), pager(data, visit)])
    trail = (Link("Runs", "/runs"), Link(run["system"] or run["name"], run_address(run["name"])))
    live = run_address(run["name"], "progress.json") if run["status"] != "complete" else ""
    return Content(title=f"{one.capitalize()}s", subtitle=run["name"], body=body, trail=trail, live=live)


def _row(each: Data, visit: Visit, run: Data, *, several: bool) -> list[str]:
    query = {"id": each["id"], "of": each["variant"], **filters_of(visit.query)}
    title = link(clip(each["question"], TITLE), run_address(run["name"], "question", query))
    label = [chip(each["label"]) if each["label"] else MISSING] if run["kind"] == "rag" else []
    return [
        title if each["id"] == each["question"] else join([title, element("code", clip(each["id"], 80))]),
        *([each["variant"]] if several else []),
        chip(each["outcome"]),
        ", ".join(each["reasons"]) or MISSING,
        format_value(each["score"], "share"),
        format_value(each["seconds"], "seconds"),
        *label,
    ]


VIEW = View("/runs/{run}/questions", data, show)
