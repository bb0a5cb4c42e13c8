"""What charts have in common: the outer element, grid and labels of an axis, the legend, whiskers and markers."""

from __future__ import annotations

import math

from msgspec import Struct

from assay.report.blocks import Chart, Kind, Point
from assay.report.charts.scale import Axis, text_width
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import format_value
from assay.report.tables import form_of
from assay.report.text import clip_middle, one_line

WIDTH = 440.0
"""Narrow, so that text stays readable when a phone scales the picture down."""
SIZE = 12.0
SMALL = 11.0
COLOURS = 6
LABEL_LENGTH = 26
KINDS: dict[Kind, str] = {
    "lines": "Line chart",
    "bars": "Bar chart",
    "columns": "Column chart",
    "heat": "Heat map",
    "stack": "Stacked bars",
    "waterfall": "Waterfall",
    "diverging": "Bars to both sides",
    "calibration": "Reliability diagram",
}


class Box(Struct, frozen=True):
    """The room inside the axes."""

    left: float
    right: float
    top: float
    bottom: float


def picture(chart: Chart, key: str, height: float, parts: list[Markup]) -> Markup:
    """The outer element, with a title and a description for those who do not see it."""
    names = ", ".join(series.name for series in chart.series if series.name)
    axes = " by ".join(label for label in (chart.y_label, chart.x_label) if label)
    description = ". ".join(part for part in (KINDS[chart.kind], axes, names) if part)
    return element(
        "svg",
        element("title", one_line(chart.title), id=f"{key}t"),
        element("desc", one_line(description), id=f"{key}d"),
        *parts,
        class_=f"chart {chart.kind}",
        role="img",
        aria_labelledby=f"{key}t {key}d",
        viewBox=f"0 0 {WIDTH:.0f} {math.ceil(height)}",
        font_size=SIZE,
    )


def label(text: str, x: float, y: float, **attributes: str | float | None) -> Markup:
    return element("text", one_line(text), x=x, y=y, **attributes)


def short(text: str, length: int = LABEL_LENGTH) -> str:
    return clip_middle(one_line(text), length)


def colour(series: int) -> str:
    return f"c{series % COLOURS}"


def told(chart: Chart, name: str, point: Point) -> Markup:
    """A point in words, shown by the browser when the pointer rests on it."""
    form = form_of(chart)
    text = f"{name} · {point.x}: " if name else f"{point.x}: "
    text += format_value(point.y, form)
    if point.low is not None and point.high is not None:
        text += f" [{format_value(point.low, form)}, {format_value(point.high, form)}]"
    text += f", n={point.n:,}" if point.n is not None else ""
    return element("title", one_line(text))


def horizontal_grid(axis: Axis, box: Box, reference: float | None) -> Markup:
    """Lines across at each tick with its label, but for a label that the reference's would touch."""
    parts = []
    for tick in axis.ticks:
        y = axis.at(tick)
        parts.append(void("path", class_="axis" if tick == 0 else "grid", d=f"M{box.left:.1f} {y:.1f}H{box.right:.1f}"))
        if reference is None or abs(axis.at(reference) - y) >= SIZE:
            parts.append(label(axis.label(tick), box.left - 6, y + 4, class_="tick", text_anchor="end"))
    return join(parts)


def reference_across(axis: Axis, box: Box, reference: float | None) -> Markup:
    """The line to compare with, its value among the ticks."""
    if reference is None:
        return Markup("")
    y = axis.at(reference)
    line = void("path", class_="reference", d=f"M{box.left:.1f} {y:.1f}H{box.right:.1f}")
    return join([line, label(axis.exact(reference), box.left - 6, y + 4, class_="limit", text_anchor="end")])


def tick_room(axis: Axis, reference: float | None) -> float:
    """How wide the labels of a value axis are."""
    texts = [axis.label(tick) for tick in axis.ticks]
    texts += [] if reference is None else [axis.exact(reference)]
    return max(text_width(text, SIZE) for text in texts) + 8


def whisker(axis: Axis, point: Point, across: float, *, upright: bool, half: float = 3.5) -> Markup:
    """The interval of a point: a line with a cap at each end."""
    if point.low is None or point.high is None:
        return Markup("")
    low, high = axis.at(point.low), axis.at(point.high)
    if upright:
        caps = "".join(f"M{across - half:.1f} {y:.1f}h{2 * half:.1f}" for y in (low, high))
        return void("path", class_="whisker", d=f"M{across:.1f} {low:.1f}V{high:.1f}{caps}")
    caps = "".join(f"M{x:.1f} {across - half:.1f}v{2 * half:.1f}" for x in (low, high))
    return void("path", class_="whisker", d=f"M{low:.1f} {across:.1f}H{high:.1f}{caps}")


def marker(series: int, x: float, y: float, *, crowded: bool = False) -> Markup:
    """A shape for each series, so that colour is not the only difference; a dot where there is no room for shapes."""
    if crowded:
        return void("path", class_="mark", d=f"M{x:.1f} {y:.1f}m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0z")
    shapes = (
        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        "m-3.5-3.5h7v7h-7z",
        "m0-4.6l4.6 8h-9.2z",
        "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
        "m0 4.6l4.6-8h-9.2z",
        "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    )
    return void("path", class_="mark", d=f"M{x:.1f} {y:.1f}{shapes[series % len(shapes)]}")


def legend(chart: Chart, top: float) -> tuple[Markup, float]:
    """Swatches with names in rows, and how high they are. One series needs none: the title says what it is."""
    if len(chart.series) < 2:
        return Markup(""), 0.0
    parts, x, y = [], 0.0, top
    for number, series in enumerate(chart.series):
        name = short(series.name)
        room = text_width(name, SIZE) + 30
        if x and x + room > WIDTH:
            x, y = 0.0, y + 18
        parts.append(void("rect", class_=f"bar {colour(number)}", x=x, y=y, width=11, height=11, rx=2))
        parts.append(label(name, x + 16, y + 10))
        x += room
    return join(parts), y + 24 - top
