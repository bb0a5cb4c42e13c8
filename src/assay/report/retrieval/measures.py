"""The measures of a retrieval run, by variant, as tables and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.metrics.ranking.measures import MEASURES
from assay.report.blocks import Chart, Column, Note, Point, Row, Section, Series, Table
from assay.report.comparison import HEADLINES
from assay.report.intervals import confidence_of, denominators, point_of, with_bounds
from assay.report.numbers import format_value
from assay.report.verdict import Number

Summary = Mapping[str, Any]
FAMILIES = ("recall", "page_recall", "hit", "mrr", "ndcg", "map", "p", "p_max")


def of_family(summary: Summary, families: Sequence[str]) -> list[str]:
    """The run's measures of these families, in that order, cut-offs ascending as given."""
    return [name for family in families for name in summary["measures"] if name.partition("@")[0] == family]


def ordered(summary: Summary) -> list[str]:
    usual = of_family(summary, FAMILIES)
    return usual + [name for name in summary["measures"] if name not in usual]


def measured(summary: Summary) -> list[str]:
    """Those that some question has a value of; all of them, if nothing could be measured."""
    names = ordered(summary)
    return [name for name in names if _has_value(summary, name)] or names


def _has_value(summary: Summary, name: str) -> bool:
    return any(summary["metrics"][variant][name]["mean"] is not None for variant in summary["variants"])


def left_out(summary: Summary) -> list[Note]:
    """One line about the measures that no question has a value of: the families, by their reason."""
    known = measured(summary)
    families = dict.fromkeys(name.partition("@")[0] for name in ordered(summary) if name not in known)
    by_reason: dict[str, list[str]] = {}
    for family in families:
        by_reason.setdefault(MEASURES.get(family).undefined, []).append(family)
    told = [f"{', '.join(those)} ({reason})" for reason, those in by_reason.items()]
    return [Note(f"Left out of every table: {'; '.join(told)}.")] if told else []


def headline_numbers(summary: Summary) -> list[Number]:
    """The measure the decision is taken on, page recall at the same place, the last cut-off of mrr (or ndcg)."""
    best, measure = summary["decision"]["variant"], summary["decision"]["measure"]
    if not best:
        return []
    last = [names[-1] for family in ("mrr", "ndcg") if (names := of_family(summary, (family,)))]
    known = measured(summary)
    wanted = dict.fromkeys([measure, f"page_recall@{measure.partition('@')[2]}", *last])
    names = [name for name in wanted if name in known][:3]
    return [Number(name, f"{name}, {best}", summary["metrics"][best][name], variant=best) for name in names]


def headlines_section(summary: Summary) -> Section:
    """The measures people ask for, one column for each variant."""
    variants, cut = summary["variants"], max(summary["config"]["retrieval"]["k"])
    names = [name for name in measured(summary) if is_headline(name, cut)]
    found = {name: [summary["metrics"][variant][name] for variant in variants] for name in names}
    scored = {denominators(intervals) for intervals in found.values()}
    columns = [Column("measure"), *(Column(variant, "share") for variant in variants)]
    rows = [[name, *map(with_bounds, intervals)] for name, intervals in found.items()]
    intro = f"Mean [{confidence_of(summary)} interval]"
    if len(scored) == 1:
        intro += f", n scored / cases: {scored.pop()}"
    else:
        columns.append(Column("n scored / cases"))
        rows = [[*row, denominators(found[str(row[0])])] for row in rows]
    table = Table(tuple(columns), tuple(Row(tuple(row)) for row in rows))
    return Section("Measures", (table, *left_out(summary)), f"{intro}.{_pages(summary, names)}")


def _pages(summary: Summary, names: Sequence[str]) -> str:
    """What a page may be off by, where pages are measured."""
    measured_by_page = any(name.startswith("page_recall") for name in names)
    tolerance = summary["config"]["retrieval"]["tolerance"] if measured_by_page else 0
    return f" Pages count within ±{tolerance}." if tolerance else ""


def is_headline(name: str, cut: int) -> bool:
    """recall and page recall at every k; mrr and ndcg at the last; what was asked for besides."""
    family, _, k = name.partition("@")
    return family in HEADLINES and (family.endswith("recall") or k in ("", str(cut)))


def measures_table(summary: Summary) -> Table:
    variants = summary["variants"]
    columns = [Column("measure")]
    for variant in variants:
        columns += [Column(variant, "share"), Column(f"{confidence_of(summary)} interval")]
    columns.append(Column("n scored / cases"))
    rows = []
    for name in measured(summary):
        intervals = [summary["metrics"][variant][name] for variant in variants]
        cells: list[str | float | None] = [name]
        for interval in intervals:
            cells += [interval["mean"], _bounds(interval)]
        rows.append(Row((*cells, denominators(intervals))))
    return Table(
        tuple(columns), tuple(rows), "p_max is the precision a perfect retriever would reach: compare p with it."
    )


def _bounds(interval: Mapping[str, Any]) -> str | None:
    if interval["low"] is None:
        return None
    return f"{format_value(interval['low'], 'share')}, {format_value(interval['high'], 'share')}"


def recall_charts(summary: Summary) -> tuple[Chart, ...]:
    """Chunks and pages, each with the limit its gate sets."""
    limits = {gate["measure"].partition("@")[0]: gate["at_least"] for gate in summary["gates"]}
    charts = []
    for family, label in (("recall", "chunks"), ("page_recall", "pages")):
        names = of_family(summary, (family,))
        series = tuple(
            Series(v, tuple(point_of(name.partition("@")[2], summary["metrics"][v][name]) for name in names))
            for v in summary["variants"]
        )
        if any(point.y is not None for line in series for point in line.points):
            charts.append(Chart("lines", series, f"Recall of {label}", "k", "recall", reference=limits.get(family)))
    return tuple(charts)


def ranks_chart(summary: Summary) -> Chart:
    series = tuple(
        Series(variant, tuple(Point(name, float(count)) for name, count in bins.items()))
        for variant, bins in summary["ranks"].items()
    )
    return Chart("columns", series, "Rank of the first expected chunk", "rank", "questions", y_max=None)
