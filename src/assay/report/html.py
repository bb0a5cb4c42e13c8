"""A report as one HTML file: style, script and pictures inside, nothing asked of any network, everything escaped."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import groupby

from msgspec.structs import replace

from assay import __version__
from assay.report.blocks import Block, Cards, Chart, Column, Items, Note, Report, Row, Section, Table, Tone
from assay.report.charts import svg
from assay.report.html_items import items_list
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import MISSING
from assay.report.tables import cell_texts, table_of, told_elsewhere
from assay.report.text import MARKS

SHORT = 14
"""A longer value of a card is a sentence and is set as one."""


def to_html(report: Report) -> str:
    """The whole file. It works from a disk, without a network and without scripts, in the dark and on paper."""
    head = element("head", _policy(), *_head(report))
    body = element("body", *_body(report))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


@cache
def asset(name: str) -> Markup:
    """A packaged style sheet or script. Line ends are made those the browser will hash."""
    return Markup(files("assay.report").joinpath("assets", name).read_text("utf-8").replace("\r\n", "\n"))


def _policy() -> Markup:
    """Only our own style and script, known by their hashes; no request, no frame, no form, not even an image."""
    style, script = (b64encode(sha256(asset(name).encode()).digest()).decode() for name in ("report.css", "report.js"))
    rules = (
        "default-src 'none'",
        f"style-src 'sha256-{style}'",
        f"script-src 'sha256-{script}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return void("meta", http_equiv="Content-Security-Policy", content="; ".join(rules))


def _head(report: Report) -> list[Markup]:
    return [
        void("meta", charset="utf-8"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        # An icon of nothing: a browser that is given none asks the server for one.
        void("link", rel="icon", href="data:,"),
        element("title", report.title),
        element("style", asset("report.css")),
        element("script", asset("report.js")),
    ]


def _body(report: Report) -> list[Markup]:
    links = [
        element("li", element("a", section.title, href=f"#s{number}"))
        for number, section in enumerate(report.sections, 1)
    ]
    sections = [_section(section, number) for number, section in enumerate(report.sections, 1)]
    header = element(
        "header",
        element("h1", report.title),
        element("p", report.subtitle, class_="subtitle"),
        element("button", "Dark", id="theme", type="button", hidden=""),
    )
    nav = element("nav", element("ol", *links), aria_label="Sections") if len(links) > 1 else Markup("")
    return [
        element("a", "Skip to the report", class_="skip", href="#report"),
        header,
        element("div", nav, element("main", *sections, id="report", tabindex="-1"), class_="page"),
        element("footer", f"Assay {__version__}"),
    ]


def _section(section: Section, number: int) -> Markup:
    intro = [element("p", section.intro, class_="intro")] if section.intro else []
    parts: list[Markup] = []
    for is_chart, run in groupby(enumerate(section.blocks), key=lambda pair: isinstance(pair[1], Chart)):
        drawn = [_block(block, section, f"b{number}-{index}") for index, block in run]
        parts += [element("div", *drawn, class_="charts")] if is_chart else drawn
    return element("section", element("h2", section.title), *intro, *parts, id=f"s{number}")


def _block(block: Block, section: Section, key: str) -> Markup:
    match block:
        case Note():
            return _note(block)
        case Cards():
            return _cards(block)
        case Table():
            return _table(block, key)
        case Chart():
            return _chart(block, section, key)
        case Items():
            return items_list(block, key)


def mark(tone: Tone) -> Markup:
    """The sign of a tone, for those who do not see its colour."""
    return element("b", MARKS[tone], class_="mark") if MARKS[tone] else Markup("")


def toned(name: str, tone: Tone) -> str:
    return name if tone == "plain" else f"{name} {tone}".lstrip()


def _note(note: Note) -> Markup:
    return element("p", mark(note.tone), note.text, class_=toned("note", note.tone))


def _cards(cards: Cards) -> Markup:
    return element(
        "dl",
        *(
            element(
                "div",
                element("dt", card.label),
                element("dd", mark(card.tone), card.value, class_="value"),
                *([element("dd", card.note)] if card.note else []),
                class_=toned("card long" if len(card.value) > SHORT else "card", card.tone),
            )
            for card in cards.cards
        ),
        class_="cards",
    )


def _table(table: Table, key: str) -> Markup:
    """The caption stands outside of what scrolls, so that a phone shows all of it."""
    head = element("tr", *(element("th", column.name, scope="col", class_=_side(column)) for column in table.columns))
    rows = [_row(table, row) for row in table.rows]
    if not rows:
        rows = [element("tr", element("td", MISSING, colspan=max(len(table.columns), 1), class_="empty"))]
    inner = element("table", element("thead", head), element("tbody", *rows))
    if not table.caption:
        return element("div", inner, class_="scroll", tabindex=0, role="region", aria_label="Table")
    caption = element("p", table.caption, class_="caption", id=key)
    return join([caption, element("div", inner, class_="scroll", tabindex=0, role="region", aria_labelledby=key)])


def _row(table: Table, row: Row) -> Markup:
    """The first cell is the row's name and carries the sign of its tone."""
    texts = cell_texts(table, row)
    sides = [_side(column) or _kept(text) for column, text in zip(table.columns, texts, strict=True)]
    cells = [element("td", text, class_=side) for text, side in zip(texts[1:], sides[1:], strict=True)]
    if texts:
        cells.insert(0, element("th", mark(row.tone), texts[0], scope="row", class_=sides[0]))
    return element("tr", *cells, class_=toned("", row.tone) or None)


def _side(column: Column) -> str | None:
    """Numbers stand to the right, so that their digits are under each other."""
    return None if column.form == "text" else "r"


def _kept(text: str) -> str | None:
    """Short text is kept on one line: a table rather scrolls than breaks every word."""
    return "k" if len(text) <= 24 else None


def _chart(chart: Chart, section: Section, key: str) -> Markup:
    """A picture under its title, with its numbers to open where no table beside it has them."""
    numbers = []
    if not told_elsewhere(chart, section.blocks):
        table = _table(replace(table_of(chart), caption=""), key)
        numbers = [element("details", element("summary", "Numbers"), table, class_="numbers")]
    caption = [element("figcaption", chart.title)] if chart.title != section.title else []
    return element("figure", *caption, svg(chart, key), *numbers)
