"""A heat map: a row for each category, a column for each series, in each cell its value and how many it rests on."""

from __future__ import annotations

from msgspec import Struct

from assay.report.blocks import Chart, Point
from assay.report.charts.frame import SIZE, SMALL, WIDTH, label, picture, short, told
from assay.report.charts.scale import text_width
from assay.report.markup import Markup, element, void
from assay.report.numbers import MISSING, format_value
from assay.report.tables import form_of, placed, places

ROW = 38.0
GAP = 2.0
FAINTEST, STRONGEST = 0.06, 0.56
"""Of the colour of a cell: at the strongest its text can still be read, in the light and in the dark."""
LONGEST = 22


class Layout(Struct, frozen=True):
    """Where the cells stand."""

    left: float
    top: float
    width: float
    """Of one column."""


def heat(chart: Chart, key: str) -> Markup:
    layout = _layout(chart)
    parts = [_head(chart, number, layout) for number in range(len(chart.series))]
    points = [placed(series) for series in chart.series]
    for row, place in enumerate(places(chart)):
        middle = layout.top + (row + 0.5) * ROW
        parts.append(label(short(place[0], LONGEST), layout.left - 8, middle + 4, text_anchor="end"))
        parts += [_cell(chart, at.get(place), (row, number), layout) for number, at in enumerate(points)]
    return picture(chart, key, layout.top + ROW * len(places(chart)) + 4, parts)


def _layout(chart: Chart) -> Layout:
    left = max([text_width(short(x, LONGEST), SIZE) for x, _ in places(chart)] + [0.0]) + 10
    return Layout(left, 24.0, (WIDTH - left) / max(len(chart.series), 1))


def _head(chart: Chart, number: int, layout: Layout) -> Markup:
    room = max(int(layout.width / (SMALL * 0.6)), 3)
    x = layout.left + (number + 0.5) * layout.width
    return label(short(chart.series[number].name, room), x, 15, class_="tick small", text_anchor="middle")


def _cell(chart: Chart, point: Point | None, at: tuple[int, int], layout: Layout) -> Markup:
    """A cell without a value is empty but for a dash: not measured is not nothing."""
    row, column = at
    x, y = layout.left + column * layout.width, layout.top + row * ROW
    middle = x + layout.width / 2
    if point is None or point.y is None:
        return label(MISSING, middle, y + ROW / 2 + 4, class_="tick", text_anchor="middle")
    strength = _strength(chart, point.y)
    size = {"x": x, "y": y, "width": layout.width - GAP, "height": ROW - GAP}
    parts = [
        told(chart, chart.series[column].name, point),
        void("rect", class_="cell", rx=3, fill_opacity=strength, **size),
        label(format_value(point.y, form_of(chart)), middle, y + ROW / 2 - 1, text_anchor="middle", class_="small"),
    ]
    if point.n is not None:
        parts.append(label(f"n {point.n:,}", middle, y + ROW / 2 + 12, text_anchor="middle", class_="tiny"))
    return element("g", *parts, class_="value")


def _strength(chart: Chart, value: float) -> float:
    """How strong the colour is: by the value's share of the scale."""
    values = [point.y for series in chart.series for point in series.points if point.y is not None]
    top = max([chart.y_max or 0.0, *values]) or 1.0
    return FAINTEST + (STRONGEST - FAINTEST) * min(max(value / top, 0.0), 1.0)
