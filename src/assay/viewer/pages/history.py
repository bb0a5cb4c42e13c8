"""The finished runs in the order in which they were made, and what became of their means."""

from __future__ import annotations

from assay.report.html_blocks import blocks_html
from assay.report.markup import join
from assay.report.numbers import MISSING, format_value
from assay.runs.history import FILE_NAME, read
from assay.viewer.choice import Choice, counted, ordered, part_of
from assay.viewer.pages.runs import VERDICTS, measures, when
from assay.viewer.parts import Column, Filter, chip, controls, link, pager, table
from assay.viewer.trend import Moment, trends
from assay.viewer.visit import Content, Data, View, Visit, run_address

FILTERS = ("kind", "corpus", "client")


def data(visit: Visit) -> Data:
    """Newest first."""
    root = visit.desk.places.runs
    path = root / FILE_NAME
    entries = visit.desk.made.get("history", (path,), lambda: read(root)) if path.is_file() else []
    choice = Choice.of(visit.query, ("timestamp",))
    found = [entry for entry in entries if _fits(entry, choice)]
    part = part_of(ordered(found, None, descending=not choice.descending), len(entries), choice)
    known = {run.name: run.verdict for run in visit.desk.catalogue.listings()}
    return {
        "view": "history",
        **part.as_data(),
        "choices": {name: counted(str(entry.get(name)) for entry in entries) for name in FILTERS},
        "entries": [
            entry | {"is_here": entry["run"] in known, "verdict": known.get(entry["run"]) or _verdict(entry)}
            for entry in part.items
        ],
        "trend": [{"group": _group(e), "when": e["timestamp"], "metrics": e["metrics"]} for e in found],
    }


def _fits(entry: Data, choice: Choice) -> bool:
    if any(str(entry.get(name)) != choice.filters[name] for name in FILTERS if name in choice.filters):
        return False
    return all(word in str(entry["run"]).lower() for word in choice.words)


def _verdict(entry: Data) -> str:
    """Of a run that is gone: its line does not say whether there were gates."""
    return "passed" if entry.get("passed") else "failed"


def _group(entry: Data) -> str:
    return f"{entry['kind']} of {entry['corpus']}"


def show(data: Data, visit: Visit) -> Content:
    columns = (
        Column("run"),
        Column("kind"),
        Column("finished"),
        Column("corpus"),
        Column("questions", number=True),
        Column("measures", wide=True),
        Column("gates"),
        Column("took", number=True),
        Column("cost", number=True),
    )
    rows = [_row(entry) for entry in data["entries"]]
    charts = trends(
        [Moment(each["group"], when(each["when"])[5:], each["metrics"]) for each in data["trend"]], "finished"
    )
    filters = [Filter(name, name, data["choices"][name]) for name in FILTERS]
    shown = f"{data['found']:,} of {data['total']:,}"
    body = join(
        [
            controls(visit, filters, shown),
            blocks_html(charts),
            table(columns, rows, visit, "No run is finished yet."),
            pager(data, visit),
        ]
    )
    return Content(title="History", subtitle="", body=body)


def _row(entry: Data) -> list[str]:
    name = f"{entry.get('best') or ''} {entry['run'][-8:]}"
    cost = entry.get("cost_usd")
    return [
        link(name, run_address(entry["run"])) if entry["is_here"] else name,
        entry["kind"],
        when(entry["timestamp"]),
        str(entry.get("corpus")),
        format_value(entry.get("questions"), "integer"),
        measures(entry["metrics"]),
        chip(entry["verdict"], VERDICTS.get(entry["verdict"], "plain")),
        format_value(entry.get("duration"), "seconds"),
        MISSING if cost is None else f"${cost:.4f}",
    ]


VIEW = View("/history", data, show)
