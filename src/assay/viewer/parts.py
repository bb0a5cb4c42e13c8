"""Pieces of pages: tables with links, filters, a pager, chips. All text is escaped by `element`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from assay.report.blocks import Tone
from assay.report.html_blocks import mark, toned
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import MISSING
from assay.viewer.outcome import TONES
from assay.viewer.visit import Visit, address

NOTHING = Markup("")


class Column(Struct, frozen=True):
    """Of a table; one with a `sort` can be clicked."""

    name: str
    sort: str = ""
    number: bool = False
    wide: bool = False
    """May be broken into lines."""


def link(text: str, href: str, class_: str | None = None) -> Markup:
    return element("a", text, href=href, class_=class_)


def chip(outcome: str | None, tone: Tone | None = None) -> Markup:
    """An outcome in its colour, with the sign for those who do not see it."""
    if outcome is None:
        return Markup(MISSING)
    found: Tone = tone or TONES.get(outcome, "plain")
    return element("span", mark(found), outcome, class_=toned("chip", found))


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], visit: Visit, empty: str = "None.") -> Markup:
    """Cells are text or markup; the first is the row's name."""
    if not rows:
        return element("p", empty, class_="note")
    head = element("tr", *(_head(column, visit) for column in columns))
    lines = [
        element("tr", *(_cell(c, text, i) for i, (c, text) in enumerate(zip(columns, row, strict=True))))
        for row in rows
    ]
    inner = element("table", element("thead", head), element("tbody", *lines), class_="listing")
    return element("div", inner, class_="scroll", tabindex=0, role="region", aria_label="Table")


def _head(column: Column, visit: Visit) -> Markup:
    side = "r" if column.number else None
    if not column.sort:
        return element("th", column.name, scope="col", class_=side)
    now = visit.query.get("sort", "")
    is_sorted = now.lstrip("-") == column.sort
    turned = f"-{column.sort}" if now == column.sort else column.sort
    order = None if not is_sorted else "descending" if now.startswith("-") else "ascending"
    return element(
        "th",
        link(column.name, visit.with_query(sort=turned, page=None)),
        scope="col",
        class_=side,
        aria_sort=order,
    )


def _cell(column: Column, text: str, index: int) -> Markup:
    class_ = "r" if column.number else "w" if column.wide else "k"
    return element("th" if index == 0 else "td", text, class_=class_, scope="row" if index == 0 else None)


class Filter(Struct, frozen=True):
    """A choice among values, each with how many there are."""

    name: str
    label: str
    values: Mapping[str, int]


def controls(visit: Visit, filters: Sequence[Filter], shown: str, *, keep: Mapping[str, str] | None = None) -> Markup:
    """A form that works without a script; with one it is sent as soon as something is chosen.

    `keep`: what the page is about, which no filter changes.
    """
    about = keep or {}
    box = void(
        "input",
        type="search",
        name="q",
        value=visit.query.get("q", ""),
        placeholder="Search",
        aria_label="Search",
        autocomplete="off",
    )
    kept = [
        void("input", type="hidden", name=name, value=value)
        for name, value in visit.query.items()
        if name in {"sort", "size", *about} and value
    ]
    selects = [_select(each, visit.query.get(each.name, "")) for each in filters if len(each.values) > 1]
    clear = NOTHING
    if set(visit.query) - {"sort", "size", "page", *about}:
        clear = link("Clear", address(visit.path, about), "clear")
    return element(
        "form",
        *kept,
        box,
        *selects,
        element("button", "Filter", type="submit"),
        clear,
        element("output", shown),
        class_="controls asked",
        method="get",
        action=visit.path,
    )


def _select(asked: Filter, chosen: str) -> Markup:
    every = element("option", "all", value="")
    values = asked.values if not chosen or chosen in asked.values else {chosen: 0, **asked.values}
    options = [
        element(
            "option", f"{value} ({count:,})" if count else value, value=value, selected="" if value == chosen else None
        )
        for value, count in values.items()
    ]
    return element("label", f"{asked.label} ", element("select", every, *options, name=asked.name))


def pager(part: Mapping[str, int], visit: Visit) -> Markup:
    """First, previous, where one is, next, last: from the `page` and `pages` of a list."""
    page, pages = part["page"], part["pages"]
    if pages == 1:
        return NOTHING
    back = [("First", 1), ("Previous", page - 1)] if page > 1 else []
    on = [("Next", page + 1), ("Last", pages)] if page < pages else []
    return element(
        "div",
        *(link(text, visit.with_query(page=number), text.lower()) for text, number in back),
        element("span", f"Page {page:,} of {pages:,}"),
        *(link(text, visit.with_query(page=number), text.lower()) for text, number in on),
        class_="pager",
        role="navigation",
        aria_label="Pages of the list",
    )


def fields(pairs: Sequence[tuple[str, str | None]], class_: str = "fields") -> Markup:
    """Labels and texts; those without a text are left out."""
    shown = [join([element("dt", label), element("dd", text)]) for label, text in pairs if text]
    return element("dl", *shown, class_=class_)


def folded(summary: str, body: Markup, *, is_open: bool = False, class_: str = "fold") -> Markup:
    return element("details", element("summary", summary), body, class_=class_, open="" if is_open else None)


def section(title: str, *parts: Markup, id_: str | None = None) -> Markup:
    return element("section", element("h2", title), *parts, id=id_)


def nothing(text: str) -> Markup:
    return element("p", text, class_="note")
