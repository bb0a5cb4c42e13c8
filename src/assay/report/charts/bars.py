"""Horizontal bars: names on the left, intervals as whiskers, value and n in columns on the right."""

from __future__ import annotations

from msgspec import Struct

from assay.report.blocks import Chart, Point
from assay.report.charts.frame import (
    SIZE,
    SMALL,
    WIDTH,
    Box,
    colour,
    label,
    legend,
    picture,
    short,
    told,
    whisker,
)
from assay.report.charts.scale import Axis, text_width, value_axis
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import format_value
from assay.report.tables import Place, form_of, placed, places

LONGEST = 26


class Layout(Struct, frozen=True):
    """Where everything stands."""

    box: Box
    axis: Axis
    value_right: float
    n_right: float
    pitch: float
    """From one bar to the next of the same category."""
    group: float
    """From one category to the next."""


def bars(chart: Chart, key: str) -> Markup:
    names, height = legend(chart, 0.0)
    layout = _layout(chart, height)
    parts = [names, _grid(chart, layout)]
    points = [placed(series) for series in chart.series]
    for row, place in enumerate(places(chart)):
        top = layout.box.top + row * layout.group
        parts.append(_name(place, top + layout.group / 2, layout))
        for number, at in enumerate(points):
            if place in at:
                parts.append(_bar(chart, number, at[place], top + 4 + (number + 0.5) * layout.pitch, layout))
    parts.append(_reference(chart, layout))
    return picture(chart, key, layout.box.bottom + (38 if chart.y_label else 22), parts)


def _layout(chart: Chart, legend_height: float) -> Layout:
    form = form_of(chart)
    points = [point for series in chart.series for point in series.points]
    left = max([text_width(short(x, LONGEST), SIZE) for x, _ in places(chart)] + [0.0]) + 8
    counts = [text_width(f"{point.n:,}", SMALL) for point in points if point.n is not None]
    n_room = max(*counts, text_width("n", SMALL)) + 10 if counts else 0.0
    value_room = max([text_width(format_value(point.y, form), SMALL) for point in points] + [0.0]) + 10
    pitch = 18.0 if len(chart.series) == 1 else 14.0
    group = pitch * max(len(chart.series), 1) + 8
    top = legend_height + (16 if counts or chart.reference is not None else 4)
    box = Box(left, WIDTH - n_room - value_room, top, top + group * len(places(chart)))
    return Layout(box, value_axis(chart, box.left, box.right), WIDTH - n_room, WIDTH, pitch, group)


def _grid(chart: Chart, layout: Layout) -> Markup:
    """Upright lines at the ticks; labels that would touch, or stand out on the right, are left out."""
    box, axis = layout.box, layout.axis
    parts, free = [], 0.0
    for tick in axis.ticks:
        x = axis.at(tick)
        parts.append(void("path", class_="axis" if tick == 0 else "grid", d=f"M{x:.1f} {box.top:.1f}V{box.bottom:.1f}"))
        half = text_width(axis.label(tick), SMALL) / 2
        if x - half >= free:
            parts.append(label(axis.label(tick), x, box.bottom + 15, class_="tick small", text_anchor="middle"))
            free = x + half + 6
    if layout.value_right < layout.n_right:
        parts.append(label("n", layout.n_right, box.top - 5, class_="tick small", text_anchor="end"))
    if chart.y_label:
        middle = (box.left + box.right) / 2
        parts.append(label(short(chart.y_label, 60), middle, box.bottom + 32, class_="name", text_anchor="middle"))
    return join(parts)


def _reference(chart: Chart, layout: Layout) -> Markup:
    if chart.reference is None:
        return Markup("")
    x = layout.axis.at(chart.reference)
    line = void("path", class_="reference", d=f"M{x:.1f} {layout.box.top - 2:.1f}V{layout.box.bottom:.1f}")
    text = layout.axis.exact(chart.reference)
    return join([line, label(text, x, layout.box.top - 5, class_="limit small", text_anchor="middle")])


def _name(place: Place, y: float, layout: Layout) -> Markup:
    return label(short(place[0], LONGEST), layout.box.left - 8, y + 4, text_anchor="end")


def _bar(chart: Chart, number: int, point: Point, y: float, layout: Layout) -> Markup:
    """One bar with its whisker and its figures; a value that is missing has a dash and no bar."""
    axis = layout.axis
    half = layout.pitch / 2 - 2
    parts = [told(chart, chart.series[number].name, point)]
    if point.y is not None:
        zero, end = axis.at(0.0), axis.at(point.y)
        left, width = min(zero, end), abs(end - zero)
        parts.append(void("rect", class_="bar", x=left, y=y - half, width=width, height=2 * half))
        parts.append(void("path", class_="tip", d=f"M{end:.1f} {y - half:.1f}v{2 * half:.1f}"))
        parts.append(whisker(axis, point, y, upright=False))
    text = format_value(point.y, form_of(chart))
    parts.append(label(text, layout.value_right, y + 4, class_="figure small", text_anchor="end"))
    if point.n is not None:
        parts.append(label(f"{point.n:,}", layout.n_right, y + 4, class_="tick small", text_anchor="end"))
    return element("g", *parts, class_=colour(number))
