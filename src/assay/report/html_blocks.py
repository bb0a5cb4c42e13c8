"""Blocks of a report as HTML, without the page around them."""

from __future__ import annotations

from itertools import groupby

from msgspec.structs import replace

from assay.report.blocks import Block, Cards, Chart, Column, Items, Note, Row, Section, Table, Tone, Verdict
from assay.report.charts import svg
from assay.report.html_items import items_list
from assay.report.markup import Markup, element, join
from assay.report.numbers import MISSING
from assay.report.tables import cell_texts, table_of, told_elsewhere
from assay.report.text import MARKS

SHORT = 14
"""A longer value of a card is a sentence and is set as one."""


def section_html(section: Section, number: int) -> Markup:
    """A heading and what stands under it, with the id `s{number}`."""
    intro = [element("p", section.intro, class_="intro")] if section.intro else []
    inner = blocks_html(section.blocks, f"b{number}", title=section.title)
    return element("section", element("h2", section.title), *intro, inner, id=f"s{number}")


def blocks_html(blocks: tuple[Block, ...], key: str = "b", *, title: str = "") -> Markup:
    """Blocks one after the other, charts that follow each other side by side.

    `key` begins the ids in them and must be unique in the page. `title`: what stands above, not to be said again.
    """
    parts: list[Markup] = []
    within = Section(title, blocks)
    for is_chart, run in groupby(enumerate(blocks), key=lambda pair: isinstance(pair[1], Chart)):
        drawn = [_block(block, within, f"{key}-{index}") for index, block in run]
        parts += [element("div", *drawn, class_="charts")] if is_chart else drawn
    return join(parts)


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


def verdict_html(verdict: Verdict) -> Markup:
    """The word, why, the numbers, and what changed."""
    word = element("p", mark(verdict.tone), verdict.word, class_="word")
    parts = [element("div", word, element("p", verdict.why, class_="why"))]
    parts += [_cards(Cards(verdict.cards))] if verdict.cards else []
    if verdict.change:
        change = element("p", mark(verdict.change_tone), verdict.change, class_=toned("change", verdict.change_tone))
        parts.append(change)
    return element("div", *parts, class_=toned("verdict", verdict.tone), role="region", aria_label="In short")


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
