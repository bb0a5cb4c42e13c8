"""A report in a terminal: the numbers, compact. Text of the data is printed as it is, never as markup or control."""

from __future__ import annotations

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from assay.report.blocks import Cards, Chart, Items, Note, Report, Section, Table, Tone, Verdict
from assay.report.numbers import MISSING
from assay.report.tables import cell_texts, table_of, told_elsewhere
from assay.report.text import MARKS, clip, clip_middle, one_line, visible

Shown = Note | Cards | Table | Items
STYLES: dict[Tone, str] = {"plain": "", "good": "green", "warn": "yellow", "bad": "red"}
FIRST = 5
"""Items that are listed; the rest is counted."""
ID_ROOM = 32
GAP = 2
"""Between two columns."""
NAME_ROOM = 28
"""Width kept for the first column when a table has to be split."""


class Terminal(Console):
    """A console that tells when nobody reads any more (`assay ... | head`), where rich would end the program with 1: to
    a pipeline that means a regression."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def print_report(report: Report, console: Console) -> None:
    """All but details, pictures and the insides of items. A chart is a small table, unless one beside it says it."""
    _line(console, one_line(report.title), "bold")
    if report.subtitle:
        _line(console, visible(report.subtitle), "dim")
    if report.verdict:
        _print_verdict(report.verdict, console)
    for section in report.sections:
        if not section.detail:
            _print_section(section, console, above=report.title)


def _print_verdict(verdict: Verdict, console: Console) -> None:
    console.print()
    said = Text(_marked(one_line(verdict.word), verdict.tone), style=f"bold {STYLES[verdict.tone]}")
    console.print(said.append(f": {one_line(verdict.why)}", style="not bold default"))
    if verdict.cards:
        _print_cards(Cards(verdict.cards), console)
    if verdict.change:
        _line(console, _marked(visible(verdict.change), verdict.change_tone), STYLES[verdict.change_tone])


def _print_section(section: Section, console: Console, above: str) -> None:
    """A title that stands above already is not said again."""
    console.print()
    if section.title != above:
        _line(console, one_line(section.title), "bold underline")
    if section.intro:
        _line(console, visible(section.intro), "dim")
    for number, block in enumerate(_shown(section)):
        if number and not isinstance(block, Note):
            console.print()
        _print_block(block, console)


def _shown(section: Section) -> list[Shown]:
    """The blocks, with tables for charts."""
    told = [
        block for block in section.blocks if not isinstance(block, Chart) or not told_elsewhere(block, section.blocks)
    ]
    tables = [table_of(block) if isinstance(block, Chart) else block for block in told]
    return [
        replace(block, caption="") if isinstance(block, Table) and block.caption == section.title else block
        for block in tables
    ]


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style))


def _print_block(block: Shown, console: Console) -> None:
    match block:
        case Note():
            _line(console, _marked(visible(block.text), block.tone), STYLES[block.tone])
        case Cards():
            _print_cards(block, console)
        case Table():
            _print_table(block, console)
        case Items():
            _print_items(block, console)


def _marked(text: str, tone: Tone) -> str:
    return f"{MARKS[tone]} {text}" if MARKS[tone] else text


def _print_cards(cards: Cards, console: Console) -> None:
    grid = RichTable.grid(padding=(0, 2))
    for card in cards.cards:
        value = Text(_marked(one_line(card.value), card.tone), style=f"bold {STYLES[card.tone]}")
        grid.add_row(Text(one_line(card.label)), value, Text(one_line(card.note), style="dim"))
    console.print(grid)


def _print_table(table: Table, console: Console) -> None:
    """A table too wide for the terminal is printed in parts that fit: a number is never cut."""
    if table.caption:
        _line(console, one_line(table.caption), "bold")
    rows = [[one_line(text) for text in cell_texts(table, row)] for row in table.rows]
    rows = rows or [[MISSING] * len(table.columns)]
    for cells, row in zip(rows, table.rows, strict=False):
        cells[:1] = [_marked(cell, row.tone) for cell in cells[:1]]
    tones = [row.tone for row in table.rows] or ["plain"]
    for number, part in enumerate(_parts(table, rows, console.width)):
        if number:
            console.print()
        console.print(_part(table, rows, tones, part))


def _parts(table: Table, rows: list[list[str]], width: int) -> list[list[int]]:
    """Columns that fit beside the first one; each part begins with the first column."""
    if not table.columns:
        return []
    room = [
        max(cell_len(one_line(column.name)), *(cell_len(row[index]) for row in rows)) + GAP
        for index, column in enumerate(table.columns)
    ]
    room = [min(need, NAME_ROOM) if table.columns[i].form == "text" else need for i, need in enumerate(room)]
    parts, used = [[0]], room[0]
    for index in range(1, len(room)):
        if used + room[index] - GAP > width and parts[-1] != [0]:
            parts.append([0])
            used = room[0]
        parts[-1].append(index)
        used += room[index]
    return parts


def _part(table: Table, rows: list[list[str]], tones: list[Tone], part: list[int]) -> RichTable:
    shown = RichTable(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="dim")
    for index in part:
        column = table.columns[index]
        numeric = column.form != "text"
        name = Text(one_line(column.name))
        shown.add_column(name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
    for row, tone in zip(rows, tones, strict=True):
        shown.add_row(*(Text(row[index]) for index in part), style=STYLES[tone])
    return shown


def _print_items(items: Items, console: Console) -> None:
    if not items.items:
        _line(console, visible(items.empty))
        return
    told = [item for item in items.items if not item.routine]
    if not told:
        _line(console, "None that needs a look; all are in the report.", "dim")
    for item in told[:FIRST]:
        words = (clip_middle(one_line(item.id), ID_ROOM), *map(one_line, (*list(item.tags.values())[:1], item.title)))
        text = _marked("  ".join(words), item.tone)
        _line(console, clip(text, max(console.width - 1, 20)), STYLES[item.tone])
    if len(told) > FIRST:
        _line(console, f"… and {len(told) - FIRST:,} more", "dim")
