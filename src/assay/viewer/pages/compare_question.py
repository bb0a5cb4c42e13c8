"""One question in two runs, side by side."""

from __future__ import annotations

from assay.report.html import Link
from assay.report.markup import Markup, element, join
from assay.report.text import clip
from assay.viewer.detail import extraction, rag, retrieval
from assay.viewer.pages.question import TITLE, entries_of, extras
from assay.viewer.parts import chip, link
from assay.viewer.question_list import Questions
from assay.viewer.visit import Content, Data, View, Visit, address, run_address

SIDES = ("before", "now")


def data(visit: Visit) -> Data:
    return {"view": "compare_question", "id": visit.wanted("id"), **{name: _side(visit, name) for name in SIDES}}


def _side(visit: Visit, name: str) -> Data:
    run = visit.desk.places.run(visit.wanted(name))
    questions = Questions.of(visit, run)
    entries = entries_of(questions, _id(visit, name))
    rows = visit.desk.catalogue.lines(run).rows(entries)
    return {
        "id": _id(visit, name),
        "run": visit.desk.catalogue.listing(run).as_data(),
        "outcomes": [entry.outcome for entry in entries],
        "rows": rows,
        **extras(visit, run, rows),
    }


def _id(visit: Visit, name: str) -> str:
    """A question may have had another id before."""
    return visit.query.get("was") or visit.wanted("id") if name == "before" else visit.wanted("id")


def show(data: Data, _: Visit) -> Content:
    names = {name: data[name]["run"]["name"] for name in SIDES}
    row = data["now"]["rows"][0]
    title = row.get("question") or row.get("description") or data["id"]
    sides = [element("div", _shown(name, data[name])) for name in SIDES]
    trail = (Link("Compare", address("/compare", names)),)
    body = element("div", *sides, class_="sides")
    return Content(title=clip(title, TITLE), subtitle=data["id"], body=body, trail=trail)


def _shown(name: str, side: Data) -> Markup:
    run = side["run"]
    href = run_address(run["name"], "question", {"id": side["id"]})
    head = element("h2", f"{name}: ", link(f"{run['system']} {run['name'][-8:]}", href))
    chips = element("p", *(chip(outcome) for outcome in side["outcomes"]), class_="facts")
    return join([head, chips, *_details(run["kind"], side)])


def _details(kind: str, side: Data) -> list[Markup]:
    rows = side["rows"]
    if kind == "rag":
        return [part for row in rows for part in (rag.answer(row), rag.judged(row, side["lost"]), rag.found(row, side))]
    if kind == "extraction":
        return [part for row in rows for part in (extraction.sample(row, side["cost"]), extraction.records(row))]
    failures = {failure["variant"]: failure for failure in side["failures"]}
    return [retrieval.variant(row, failures.get(row["variant"]), side["chunks"]) for row in rows]


VIEW = View("/compare/question", data, show)
