"""The baselines, version after version."""

from __future__ import annotations

from assay.report.blocks import Chart
from assay.report.html_blocks import blocks_html
from assay.report.markup import join
from assay.report.numbers import MISSING, format_value
from assay.runs.baselines import all_baselines
from assay.viewer.pages.runs import measures
from assay.viewer.parts import Column, link, table
from assay.viewer.trend import Moment, trends
from assay.viewer.visit import Content, Data, View, Visit, address, run_address


def data(visit: Visit) -> Data:
    root = visit.desk.places.baselines
    found = all_baselines(root) if root.is_dir() else []
    known = {run.name for run in visit.desk.catalogue.listings()}
    listed = []
    for baseline in found:
        source = baseline.data.get("promoted_from")
        listed.append(baseline.listing() | {"promoted_from": source, "is_here": source in known})
    return {"view": "baselines", "baselines": listed}


def show(data: Data, visit: Visit) -> Content:
    columns = (
        Column("version"),
        Column("client"),
        Column("kind"),
        Column("corpus"),
        Column("promoted"),
        Column("questions", number=True),
        Column("measures", wide=True),
        Column("from"),
    )
    rows = [_row(each) for each in reversed(data["baselines"])]
    empty = "No baseline yet: promote a run with assay baselines --promote RUN."
    body = join([blocks_html(_charts(data)), table(columns, rows, visit, empty)])
    return Content(title="Baselines", subtitle=str(visit.desk.places.baselines), body=body)


def _charts(data: Data) -> tuple[Chart, ...]:
    moments = [
        Moment(f"{each['client']}, {each['kind']} of {each['corpus']}", f"v{each['version']}", each["metrics"])
        for each in data["baselines"]
    ]
    return trends(moments, "version")


def _row(each: Data) -> list[str]:
    source = each["promoted_from"]
    known = link(source[-8:], run_address(source)) if each["is_here"] else (source or MISSING)
    version = link(f"v{each['version']}", address("/compare", {"before": each["file"]}))
    return [
        version,
        each["client"],
        each["kind"],
        each["corpus"],
        each["date"],
        format_value(each["questions"], "integer"),
        measures(each["metrics"]),
        known,
    ]


VIEW = View("/baselines", data, show)
