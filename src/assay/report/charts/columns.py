"""Upright columns side by side, as in a histogram of several series."""

from __future__ import annotations

from msgspec import Struct

from assay.report.blocks import Chart, Point
from assay.report.charts.categories import Names, axis_names, axis_title, fitted
from assay.report.charts.frame import (
    WIDTH,
    Box,
    colour,
    horizontal_grid,
    label,
    legend,
    picture,
    reference_across,
    short,
    tick_room,
    told,
    whisker,
)
from assay.report.charts.scale import Axis, text_width, value_axis
from assay.report.markup import Markup, element, void
from assay.report.numbers import format_value
from assay.report.tables import form_of, placed, places

HEIGHT = 180.0
FIGURE = 10.0
"""Size of the values above the columns."""


class Layout(Struct, frozen=True):
    """Where everything stands."""

    box: Box
    axis: Axis
    slot: float
    """The room of one category."""
    width: float
    """Of one column."""
    numbered: bool
    """Whether each column has room for its value above it."""
    names: Names


def columns(chart: Chart, key: str) -> Markup:
    names, height = legend(chart, 0.0)
    layout = _layout(chart, height)
    box = layout.box
    points = [placed(series) for series in chart.series]
    where = places(chart)
    middles = [box.left + (index + 0.5) * layout.slot for index in range(len(where))]
    parts = [names, horizontal_grid(layout.axis, box, chart.reference)]
    if chart.y_label:
        parts.append(label(short(chart.y_label, 60), 0, height + 12, class_="name"))
    for place, middle in zip(where, middles, strict=True):
        first = middle - layout.width * len(points) / 2
        for number, at in enumerate(points):
            if place in at:
                parts.append(_column(chart, number, at[place], first + (number + 0.5) * layout.width, layout))
    parts.append(reference_across(layout.axis, box, chart.reference))
    parts.append(axis_names(layout.names, middles, box))
    below = box.bottom + layout.names.below()
    parts.append(axis_title(chart.x_label, box, below + 16))
    return picture(chart, key, below + (22 if chart.x_label else 4), parts)


def _layout(chart: Chart, legend_height: float) -> Layout:
    top = legend_height + (28.0 if chart.y_label else 14.0)
    axis = value_axis(chart, top + HEIGHT, top)
    groups = max(len(places(chart)), 1)
    left = tick_room(axis, chart.reference)
    left = max(left, fitted(chart, (WIDTH - left) / groups, slanting=True).reach())
    box = Box(left, WIDTH - 2, top, top + HEIGHT)
    slot = (box.right - box.left) / groups
    width = min(slot * 0.88 / max(len(chart.series), 1), 46.0)
    form = form_of(chart)
    texts = [format_value(point.y, form) for series in chart.series for point in series.points]
    numbered = all(text_width(text, FIGURE) <= width for text in texts)
    return Layout(box, axis, slot, width, numbered, fitted(chart, slot, slanting=True))


def _column(chart: Chart, number: int, point: Point, middle: float, layout: Layout) -> Markup:
    """One column; a value that is missing has a dash and no column."""
    axis, half = layout.axis, layout.width / 2 - 1
    parts = [told(chart, chart.series[number].name, point)]
    top = axis.at(0.0)
    if point.y is not None:
        end = axis.at(point.y)
        upper, height = min(top, end), abs(top - end)
        parts.append(void("rect", class_="bar", x=middle - half, y=upper, width=2 * half, height=height))
        parts.append(void("path", class_="tip", d=f"M{middle - half:.1f} {end:.1f}h{2 * half:.1f}"))
        parts.append(whisker(axis, point, middle, upright=True, half=min(3.5, half)))
        top = min(upper, upper if point.high is None else axis.at(point.high))
    if layout.numbered or point.y is None:
        text = format_value(point.y, form_of(chart))
        parts.append(label(text, middle, top - 5, class_="tiny", text_anchor="middle"))
    return element("g", *parts, class_=colour(number))
