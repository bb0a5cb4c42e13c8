"""A report as GitHub-flavoured Markdown. Text of the data stays text: it makes no link, image, mention or HTML."""

from __future__ import annotations

import re
from html import escape as escape_html

from assay.report.blocks import Block, Cards, Chart, Field, Item, Items, Note, Report, Section, Table, Tone, Verdict
from assay.report.brief import brief
from assay.report.numbers import MISSING
from assay.report.repeats import Place, Repeats
from assay.report.tables import cell_texts, table_of, told_elsewhere
from assay.report.text import MARKS, are, counted, one_line, visible

_ACTIVE = re.compile(r"[\\`*\[\]<>|~$#]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
"""Characters that mean something inside a line; an underscore within a word means nothing."""
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_LEADING = re.compile(r"^(?:[-+=]|\d{1,9}(?=[.)]))")
"""What would begin a list, a rule or a heading."""
_LINKED = re.compile(
    r"(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\bmailto:)|(?<=\bxmpp:)"  # addresses
    r"|(?<=(?<!\w)@)(?=\w)|(?<=@)(?=[\w.-]*\.\w)"  # mentions and mail; recall@5 is neither
    r"|(?<=#)(?=\d)|(?<=\bgh-)(?=\d)",  # issues
    re.IGNORECASE,
)
"""Where GitHub makes links and mentions of plain text, escaped or not: an invisible space keeps them text."""
_SPACE = "\u200b"
_ALERTS: dict[Tone, str] = {"good": "TIP", "warn": "WARNING", "bad": "CAUTION"}


def to_markdown(report: Report) -> str:
    """The whole report; every line of it can be read as it stands, too."""
    parts = [f"# {inline(report.title)}", paragraph(report.subtitle)]
    parts += _verdict(report.verdict) if report.verdict else []
    for section in report.sections:
        parts += [f"## {inline(section.title)}", paragraph(section.intro)]
        parts += [_block(block, section) for block in section.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdict(verdict: Verdict) -> list[str]:
    word = f"{_marked(_bold(verdict.word), verdict.tone)}: {inline(verdict.why)}"
    return [word, _cards(Cards(verdict.cards)), _note(Note(verdict.change, verdict.change_tone))]


def inline(text: str) -> str:
    """One line of text without any power."""
    escaped = _ACTIVE.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), one_line(text))
    return _LINKED.sub(_SPACE, escaped)


def paragraph(text: str) -> str:
    """Text with its line breaks; no line can begin a list, a heading or a block of code."""
    lines = [inline(line) for line in visible(text).strip().split("\n")]
    return "<br>\n".join(_LEADING.sub(_without_power, line) for line in lines)


def _without_power(match: re.Match[str]) -> str:
    return f"{match[0]}\\" if match[0][0].isdigit() else f"\\{match[0]}"


def _bold(text: str) -> str:
    return f"**{inline(text)}**" if one_line(text) else MISSING


def _block(block: Block, section: Section) -> str:
    match block:
        case Note():
            return _note(block)
        case Cards():
            return _cards(block)
        case Table():
            return _table(block)
        case Chart():
            return "" if told_elsewhere(block, section.blocks) else _table(table_of(block))
        case Items():
            return _items(block)


def _note(note: Note) -> str:
    """A note with a tone is one of GitHub's alerts."""
    if note.tone == "plain":
        return paragraph(note.text)
    return f"> [!{_ALERTS[note.tone]}]\n{_quoted(note.text)}"


def _cards(cards: Cards) -> str:
    rows = [[inline(card.label), _marked(_bold(card.value), card.tone), inline(card.note)] for card in cards.cards]
    return _grid(["", "", ""], rows, numeric=[False] * 3) if rows else ""


def _marked(text: str, tone: Tone) -> str:
    return f"{MARKS[tone]} {text}" if MARKS[tone] else text


def _table(table: Table) -> str:
    if not table.columns:
        return ""
    rows = [[inline(text) for text in cell_texts(table, row)] for row in table.rows]
    for cells, row in zip(rows, table.rows, strict=True):
        cells[0] = _marked(cells[0], row.tone)
    rows = rows or [[MISSING] * len(table.columns)]
    grid = _grid([inline(column.name) for column in table.columns], rows, [c.form != "text" for c in table.columns])
    return f"{_bold(table.caption)}\n\n{grid}" if table.caption else grid


def _grid(head: list[str], rows: list[list[str]], numeric: list[bool]) -> str:
    """Padded, so that it is a table in plain text as well."""
    widths = [max(3, *(len(row[column]) for row in (head, *rows))) for column in range(len(head))]
    rule = ["-" * (width - 1) + (":" if right else "-") for width, right in zip(widths, numeric, strict=True)]

    def line(cells: list[str]) -> str:
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    return "\n".join([line(head), line(rule), *(line(row) for row in rows)])


def _items(items: Items) -> str:
    told, others = brief(items)
    repeats = Repeats(told)
    parts: list[str] = []
    for n, item in enumerate(told.items):
        if item.group and (not n or item.group != told.items[n - 1].group):
            parts.append(_bold(item.group))
        parts.append(_item(n, item, repeats))
    if others:
        parts.append(paragraph(f"{counted(others, 'other')} {are(others)} in the HTML report."))
    return "\n\n".join(parts) or paragraph(items.empty)


def _item(number: int, item: Item, repeats: Repeats) -> str:
    """Closed until clicked. The summary is HTML and escaped as such; what is inside is Markdown again."""
    name = _LINKED.sub(_SPACE, escape_html(one_line(f"{_marked(item.id, item.tone)} · {item.title}"), quote=False))
    tags = paragraph(" · ".join(one_line(f"{name}: {value}") for name, value in item.tags.items()))
    fields = [_field(field, Place(number, index), repeats) for index, field in enumerate(item.fields)]
    parts = [f"<details>\n<summary>{name}</summary>", tags, *fields, "</details>"]
    return "\n\n".join(part for part in parts if part)


def _field(field: Field, place: Place, repeats: Repeats) -> str:
    label, text = _bold(field.label), visible(field.text)
    first = repeats.first(field.text)
    if first and first != place:
        return f"{label}: the same as in {inline(repeats.name(first))}"
    is_line = "\n" not in text.strip()
    if not field.mono:
        return f"{label}: {inline(text) or MISSING}" if is_line else f"{label}\n\n{_quoted(text)}"
    if is_line and text.strip() and "`" not in text:
        return f"{label}: `{text.strip()}`"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{label}\n\n{fence}text\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in paragraph(text).split("\n"))
