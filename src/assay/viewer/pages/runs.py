"""All runs: what each was, how it went, whether it still goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.report.blocks import Tone
from assay.report.listing import MEASURES
from assay.report.markup import Markup, element, join
from assay.report.numbers import MISSING, format_value
from assay.viewer.catalogue import Listing
from assay.viewer.choice import Choice, counted, ordered, part_of
from assay.viewer.parts import Column, Filter, chip, controls, link, pager, table
from assay.viewer.visit import Content, Data, View, Visit, run_address

ORDERS: dict[str, Callable[[Listing], Any]] = {
    "created": lambda run: (run.created, run.name),
    "name": lambda run: run.name,
    "kind": lambda run: run.kind,
    "corpus": lambda run: run.corpus,
    "questions": lambda run: run.questions,
    "status": lambda run: run.status,
    "verdict": lambda run: run.verdict,
}
FILTERS = ("kind", "status", "verdict", "corpus", "client")
VERDICTS: dict[str, Tone] = {"passed": "good", "warned": "warn", "failed": "bad", "errors": "bad", "no gate": "plain"}
STATUSES: dict[str, Tone] = {"complete": "plain", "running": "warn", "incomplete": "bad"}
SHOWN = 3
"""Headline measures in a line."""


def data(visit: Visit) -> Data:
    query = dict(visit.query)
    query.setdefault("sort", "-created")
    choice = Choice.of(query, tuple(ORDERS))
    runs = visit.desk.catalogue.listings()
    found = [run for run in runs if _fits(run, choice)]
    part = part_of(ordered(found, ORDERS[choice.sort], descending=choice.descending), len(runs), choice)
    progress = [
        visit.desk.catalogue.progress(visit.desk.places.run(r.name)) for r in part.items if r.status == "running"
    ]
    return {
        "view": "runs",
        **part.as_data(),
        "choices": {name: counted(str(v) for r in runs if (v := getattr(r, name)) is not None) for name in FILTERS},
        "runs": [run.as_data() for run in part.items],
        "done": {each.name: each.done for each in progress},
    }


def _fits(run: Listing, choice: Choice) -> bool:
    if any(getattr(run, name) != choice.filters[name] for name in FILTERS if name in choice.filters):
        return False
    text = f"{run.name} {run.kind} {run.system} {run.corpus} {run.client}".lower()
    return all(word in text for word in choice.words)


def show(data: Data, visit: Visit) -> Content:
    columns = (
        Column("run", "name"),
        Column("kind", "kind"),
        Column("made", "created"),
        Column("of", "corpus"),
        Column("questions", "questions", number=True),
        Column("measures", wide=True),
        Column("gates", "verdict"),
        Column("status", "status"),
    )
    rows = [_row(run, data["done"]) for run in data["runs"]]
    filters = [Filter(name, name, data["choices"][name]) for name in FILTERS]
    shown = f"{data['found']:,} of {data['total']:,} runs"
    empty = "No run is here yet: assay retrieval, assay run, assay extract and assay lanes make some."
    body = join([controls(visit, filters, shown), table(columns, rows, visit, empty), pager(data, visit)])
    return Content(title="Runs", subtitle=str(visit.desk.places.runs), body=body, live="/progress.json")


def _row(run: Data, done: dict[str, int]) -> list[str]:
    questions = run["questions"] if run["questions"] is not None else done.get(run["name"])
    return [
        _name(run),
        run["kind"],
        when(run["created"]),
        run["corpus"] or MISSING,
        format_value(questions, "integer"),
        measures(run["measures"]),
        chip(run["verdict"], VERDICTS.get(run["verdict"], "plain")) if run["verdict"] else MISSING,
        status_chip(run["status"]),
    ]


def _name(run: Data) -> Markup:
    """The system, with the end of the id, which tells apart two runs of it."""
    partial = [element("small", f" partial: {run['partial']}")] if run["partial"] else []
    end = element("code", run["name"].rpartition("__")[2])
    return join([link(run["system"] or run["name"], run_address(run["name"])), Markup(" "), end, *partial])


def status_chip(status: str) -> Markup:
    return chip(status, STATUSES.get(status, "plain"))


def when(created: str) -> str:
    return created[:16].replace("T", " ")


def measures(means: dict[str, float | None]) -> str:
    """The first few headline means."""
    names = [name for name in MEASURES if name in means][:SHOWN]
    return " · ".join(f"{name} {format_value(means[name], 'share')}" for name in names) or MISSING


VIEW = View("/runs", data, show)
