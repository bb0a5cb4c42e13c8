"""Two runs, or a run and a baseline: the measures with their statistics, and every question that changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.compare import Comparison, Flip, compare
from assay.errors import AssayError
from assay.report.blocks import Items, Report
from assay.report.comparison import comparison_report
from assay.report.html_blocks import section_html
from assay.report.markup import Markup, element, join
from assay.report.numbers import format_value
from assay.report.publish import rules_of
from assay.report.text import clip
from assay.runs.baselines import Baseline, all_baselines
from assay.runs.folder import RESULTS, SUMMARY
from assay.runs.scored import Scored, of_baseline, of_run
from assay.viewer.choice import Choice, counted, ordered, part_of
from assay.viewer.parts import Column, Filter, chip, controls, link, nothing, pager, section, table
from assay.viewer.visit import Content, Data, View, Visit, address

ORDERS: dict[str, Callable[[Flip], Any]] = {
    "id": lambda flip: flip.case_id,
    "change": lambda flip: flip.now - flip.before,
}


class Side(Struct, frozen=True):
    """A run or a baseline by its name."""

    name: str
    files: tuple[Path, ...]
    read: Callable[[], Scored]
    has_rows: bool


def side(visit: Visit, name: str) -> Side:
    """Baselines are known by their file names, runs by those of their folders."""
    baseline = _baselines(visit).get(name)
    if baseline is not None:
        return Side(name, (baseline.path,), lambda: of_baseline(baseline.path), has_rows=False)
    run = visit.desk.places.run(name)
    return Side(name, (run.path / SUMMARY, run.path / RESULTS), lambda: of_run(run), has_rows=True)


def _baselines(visit: Visit) -> dict[str, Baseline]:
    root = visit.desk.places.baselines
    return {each.path.name: each for each in all_baselines(root)} if root.is_dir() else {}


def data(visit: Visit) -> Data:
    choices = {
        "runs": [run.as_data() for run in visit.desk.catalogue.listings() if run.status == "complete"],
        "baselines": list(_baselines(visit)),
    }
    chosen = {name: visit.query.get(name, "") for name in ("before", "now")}
    base: Data = {"view": "compare", **chosen, **choices, "comparison": None, "why": None}
    if not all(chosen.values()):
        return base
    before, now = side(visit, chosen["before"]), side(visit, chosen["now"])
    try:
        found = compared(visit, before, now)
    except AssayError as fault:  # not of the same kind, no question in common, other judges
        return base | {"why": str(fault)}
    return base | _told(visit, found, titled=before.has_rows and now.has_rows)


def compared(visit: Visit, before: Side, now: Side) -> Comparison:
    different = visit.query.get("different_judges") == "1"
    rules = rules_of(visit.desk.places.config, different_judges=different)
    key = ("compare", before.name, now.name, different)
    return visit.desk.made.get(key, (*before.files, *now.files), lambda: compare(before.read(), now.read(), rules))


def _told(visit: Visit, found: Comparison, *, titled: bool) -> Data:
    choice = Choice.of(visit.query, tuple(ORDERS))
    flips = [flip for flip in found.flips if _fits(flip, choice)]
    part = part_of(ordered(flips, ORDERS[choice.sort], descending=choice.descending), len(found.flips), choice)
    report = comparison_report(found)
    sections = [replace(s, blocks=tuple(b for b in s.blocks if not isinstance(b, Items))) for s in report.sections]
    return {
        "comparison": msgspec.to_builtins(replace(found, flips=())) | {"regressions": len(found.regressions)},
        "report": msgspec.to_builtins(replace(report, sections=tuple(sections))),
        **part.as_data(),
        "choices": {
            "change": counted(_change(flip) for flip in found.flips),
            "variant": counted(flip.variant for flip in found.flips),
        },
        "flips": [msgspec.to_builtins(flip) | {"change": _change(flip)} for flip in part.items],
        "titled": titled,
    }


def _fits(flip: Flip, choice: Choice) -> bool:
    filters = choice.filters
    if filters.get("change", _change(flip)) != _change(flip) or filters.get("variant", flip.variant) != flip.variant:
        return False
    return all(word in flip.case_id.lower() for word in choice.words)


def _change(flip: Flip) -> str:
    return "gained" if flip.now > flip.before else "lost"


def show(data: Data, visit: Visit) -> Content:
    parts = [_picker(data)]
    title, subtitle = "Compare", ""
    if data["why"]:
        parts.append(element("p", data["why"], class_="note warn"))
        if "different judges" in data["why"]:
            parts.append(element("p", link("Compare all the same", visit.with_query(different_judges="1"))))
    if data["comparison"]:
        report = msgspec.convert(data["report"], Report)
        subtitle = report.subtitle
        sections = [section_html(each, number) for number, each in enumerate(report.sections, 1)]
        parts += [sections[0], _flips(data, visit), *sections[1:]]
    return Content(title=title, subtitle=subtitle, body=join(parts))


def _picker(data: Data) -> Markup:
    return element(
        "form",
        _select("before", data),
        _select("now", data),
        element("button", "Compare", type="submit"),
        class_="pick",
        method="get",
        action="/compare",
    )


def _select(name: str, data: Data) -> Markup:
    def option(value: str, text: str) -> Markup:
        return element("option", text, value=value, selected="" if value == data[name] else None)

    runs = [
        option(
            run["name"],
            f"{run['created'][:16].replace('T', ' ')} · {run['kind']} · {run['system']} · {run['name'][-8:]}",
        )
        for run in data["runs"]
    ]
    baselines = [option(each, each) for each in data["baselines"]]
    groups = [element("optgroup", *runs, label="Runs")]
    groups += [element("optgroup", *baselines, label="Baselines")] if baselines else []
    return element("label", name, element("select", element("option", "–", value=""), *groups, name=name))


def _flips(data: Data, visit: Visit) -> Markup:
    if not data["total"]:
        return section("Questions that changed", nothing("None."))
    filters = [Filter(name, name, values) for name, values in data["choices"].items()]
    several = len(data["choices"]["variant"]) > 1
    measure = data["comparison"]["flip_measure"]
    columns = (
        Column("question", "id"),
        *([Column("variant")] if several else []),
        Column("change", "change"),
        Column(f"{measure} before", number=True),
        Column("now", number=True),
        Column("tags", wide=True),
    )
    rows = [_row(flip, data, several=several) for flip in data["flips"]]
    kept = {name: data[name] for name in ("before", "now")}
    shown = f"{data['found']:,} of {data['total']:,}"
    form = controls(visit, filters, shown, keep=kept)
    return section("Questions that changed", form, table(columns, rows, visit), pager(data, visit))


def _row(flip: Data, data: Data, *, several: bool) -> list[str]:
    name: str = clip(flip["case_id"], 80)
    if data["titled"]:
        query = {"before": data["before"], "now": data["now"], "id": flip["case_id"]}
        query |= {"was": flip["was"]} if flip["was"] else {}
        name = link(name, address("/compare/question", query))
    return [
        name,
        *([flip["variant"]] if several else []),
        chip(flip["change"], "good" if flip["change"] == "gained" else "bad"),
        format_value(flip["before"], "share"),
        format_value(flip["now"], "share"),
        " · ".join(f"{key}: {value}" for key, value in flip["tags"].items()),
    ]


VIEW = View("/compare", data, show)
