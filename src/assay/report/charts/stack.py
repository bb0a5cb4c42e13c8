"""Stacked bars: the parts of each category's whole, every whole as long as the others; the total stands beside it."""

from __future__ import annotations

from msgspec import Struct

from assay.report.blocks import Chart, Point
from assay.report.charts.frame import SIZE, SMALL, WIDTH, colour, label, picture, short, told
from assay.report.charts.scale import text_width
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import MISSING, format_value
from assay.report.tables import Place, form_of, placed, places

ROW, BAR = 30.0, 20.0
LONGEST = 22


class Layout(Struct, frozen=True):
    """Where the bars stand."""

    left: float
    right: float
    top: float


def stack(chart: Chart, key: str) -> Markup:
    names, height = _legend(chart)
    layout = _layout(chart, height)
    points = [placed(series) for series in chart.series]
    parts = [names]
    for row, place in enumerate(places(chart)):
        parts.append(_row(chart, place, [at.get(place) for at in points], layout, layout.top + row * ROW))
    return picture(chart, key, layout.top + ROW * len(places(chart)), parts)


def _layout(chart: Chart, top: float) -> Layout:
    left = max([text_width(short(x, LONGEST), SIZE) for x, _ in places(chart)] + [0.0]) + 8
    points = [placed(series) for series in chart.series]
    totals = [_total([at.get(place) for at in points]) for place in places(chart)]
    room = max([text_width(format_value(total, form_of(chart)), SMALL) for total in totals] + [0.0]) + 10
    return Layout(left, WIDTH - room, top)


def _total(points: list[Point | None]) -> float | None:
    values = [point.y for point in points if point is not None and point.y is not None]
    return sum(values) if values else None


def _row(chart: Chart, place: Place, points: list[Point | None], layout: Layout, top: float) -> Markup:
    middle = top + BAR / 2 + 4
    total = _total(points)
    text = MISSING if total is None else format_value(total, form_of(chart))
    parts = [
        label(short(place[0], LONGEST), layout.left - 8, middle, text_anchor="end"),
        label(text, WIDTH, middle, class_="tick small", text_anchor="end"),
    ]
    x = layout.left
    for number, point in enumerate(points):
        if total and point is not None and point.y:
            width = (layout.right - layout.left) * point.y / total
            parts.append(_part(chart, number, point, (x, top, width)))
            x += width
    return join(parts)


def _part(chart: Chart, number: int, point: Point, where: tuple[float, float, float]) -> Markup:
    """Its value stands inside where there is room."""
    x, top, width = where
    text = format_value(point.y, form_of(chart))
    parts = [
        told(chart, chart.series[number].name, point),
        void("rect", class_="part", x=x, y=top, width=max(width - 1, 0.5), height=BAR),
    ]
    if text_width(text, SMALL) + 4 <= width:
        parts.append(label(text, x + width / 2, top + BAR / 2 + 4, class_="small", text_anchor="middle"))
    return element("g", *parts, class_=shade(chart, number))


def shade(chart: Chart, number: int) -> str:
    """That of its tone (stronger, where one before it has the same), a colour of its own, or a step of a scale."""
    tone = chart.series[number].tone
    if tone != "plain":
        return f"{tone} again" if any(series.tone == tone for series in chart.series[:number]) else tone
    if not chart.ordinal:
        return colour(number)
    last = max(len(chart.series) - 1, 1)
    return f"r{round(number * 5 / last)}"


def _legend(chart: Chart) -> tuple[Markup, float]:
    """Swatches with names in rows, and how high they are."""
    parts, x, y = [], 0.0, 0.0
    for number, series in enumerate(chart.series):
        name = short(series.name)
        room = text_width(name, SIZE) + 26
        if x and x + room > WIDTH:
            x, y = 0.0, y + 18
        swatch = void("rect", class_="part", x=x, y=y, width=11, height=11, rx=2)
        parts.append(element("g", swatch, class_=shade(chart, number)))
        parts.append(label(name, x + 16, y + 10))
        x += room
    return join(parts), y + 26
