"""What a report is made of: plain data, so that terminal, Markdown and HTML all show the same thing.

A view builds a `Report` from a run; a renderer turns it into text. Nothing here knows of either.
Every string may come from a corpus or a model: renderers escape all of them.
"""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

Tone = Literal["plain", "good", "warn", "bad"]
Form = Literal["text", "integer", "share", "percent", "signed", "p", "seconds", "score", "dollars"]
"""How a number is written: integer 1,857 · share 0.812 · percent 81.2 % · signed +0.031 · p 0.012 · seconds 1.23 s ·
score, of any scale, 12.34 · dollars $0.0042."""
Value = str | float | int | None
"""A cell. None is shown as an en dash: not measured is never 0."""


class Note(Struct, frozen=True, tag=True):
    """A paragraph."""

    text: str
    tone: Tone = "plain"


class Card(Struct, frozen=True):
    """One headline number."""

    label: str
    value: str
    note: str = ""
    tone: Tone = "plain"


class Cards(Struct, frozen=True, tag=True):
    """The numbers read in ten seconds."""

    cards: tuple[Card, ...]


class Column(Struct, frozen=True):
    """A column's name, and how its numbers are written."""

    name: str
    form: Form = "text"


class Row(Struct, frozen=True):
    """One row; the tone colours it."""

    cells: tuple[Value, ...]
    tone: Tone = "plain"


class Table(Struct, frozen=True, tag=True):
    """Rows and columns."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""


class Point(Struct, frozen=True):
    """One value of a chart, with its interval where there is one."""

    x: str
    """A category or a number written as text; charts place points in the given order."""
    y: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    level: bool = False
    """In a waterfall: where things stand, rather than a step from there."""

    def __post_init__(self) -> None:
        if any(value is not None and not math.isfinite(value) for value in (self.y, self.low, self.high)):
            raise ValueError(f"a point must be finite or None: {self}")


class Series(Struct, frozen=True):
    """One line or one set of bars."""

    name: str
    points: tuple[Point, ...]
    tone: Tone = "plain"
    """Where a series is good or bad in itself, such as a verdict."""


class Mark(Struct, frozen=True):
    """Something worth knowing about a place on the category axis."""

    x: str
    text: str


Kind = Literal["lines", "bars", "columns", "heat", "stack", "waterfall", "diverging", "calibration"]
"""lines: a curve for each series · bars: horizontal, with interval whiskers · columns: a histogram, grouped ·
heat: a cell for each category (row) and series (column) · stack: the parts of each category's whole, a part for each
series · waterfall: steps from level to level · diverging: two series, to the left and to the right ·
calibration: what is so (y) against what was claimed (x, a number), with the diagonal."""


class Chart(Struct, frozen=True, tag=True):
    """A picture of numbers; every renderer without pictures shows the same as a table."""

    kind: Kind
    series: tuple[Series, ...]
    title: str
    x_label: str = ""
    y_label: str = ""
    y_max: float | None = 1.0
    """Upper end of the value axis; None: from the data."""
    reference: float | None = None
    """A line to compare with, such as a gate's limit."""
    form: Form | None = None
    """How its values are written; None: integers as integers, values within 0 and 1 as shares, others as scores."""
    ordinal: bool = False
    """Whether the series are grades of one thing, worst first, rather than things of their own."""
    marks: tuple[Mark, ...] = ()
    """Of lines: what happened at some categories."""


class Field(Struct, frozen=True):
    """One labelled thing about a case; long text is shown as it is, never cut without a mark."""

    label: str
    text: str
    mono: bool = False


class Passage(Struct, frozen=True):
    """A chunk as it was found or shown; the text may not be known."""

    id: str
    text: str = ""
    where: str = ""
    score: float | None = None
    rank: int | None = None
    expected: bool = False
    seen: bool = False
    """Whether it stood in the prompt."""


class Ranking(Struct, frozen=True):
    """Passages in their order, and what their scores are."""

    title: str
    passages: tuple[Passage, ...]
    scale: str = ""
    empty: str = "nothing"


class Facts(Struct, frozen=True):
    """Short names with short values: measures, times, tokens."""

    title: str
    pairs: tuple[tuple[str, str], ...]


class Item(Struct, frozen=True):
    """One case a person can open."""

    id: str
    title: str
    tags: dict[str, str]
    """What the list can be filtered by; the first is shown in it."""
    fields: tuple[Field, ...]
    tone: Tone = "plain"
    facts: tuple[Facts, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    group: str = ""
    """What it stands under in a text, together with its neighbours of the same group."""
    routine: bool = False
    """Nothing to look into: a page lists it, texts leave it out."""
    about: str = ""
    """The id of the case it speaks of, where another list of the page has that case."""


class Items(Struct, frozen=True, tag=True):
    """A list with filters and a search box, each item opening to everything."""

    items: tuple[Item, ...]
    empty: str = "None."


Block = Note | Cards | Table | Chart | Items


class Section(Struct, frozen=True):
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    intro: str = ""
    detail: bool = False
    """For those who look into it; a terminal leaves it to the files."""


class Verdict(Struct, frozen=True):
    """What a person who has ten seconds reads."""

    word: str
    why: str
    tone: Tone = "plain"
    cards: tuple[Card, ...] = ()
    """Three numbers."""
    change: str = ""
    """What is different from the baseline, or that there is none."""
    change_tone: Tone = "plain"


class Report(Struct, frozen=True):
    """A whole report."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    verdict: Verdict | None = None
