"""Bars to both sides of a middle: the first series to the left, the second to the right."""

from __future__ import annotations

from assay.report.blocks import Chart, Point
from assay.report.charts.frame import SIZE, SMALL, WIDTH, label, picture, short, told
from assay.report.charts.scale import text_width
from assay.report.markup import Markup, element, void
from assay.report.numbers import format_value
from assay.report.tables import form_of, placed, places

ROW, BAR, TOP = 24.0, 15.0, 22.0
LONGEST = 26
SIDES = ("lost", "won")


def diverging(chart: Chart, key: str) -> Markup:
    """Further series are not drawn: there are two sides."""
    series = chart.series[:2]
    where = places(chart)
    values = [point.y or 0.0 for each in series for point in each.points]
    left = max([text_width(short(x, LONGEST), SIZE) for x, _ in where] + [0.0]) + 8
    room = max([text_width(format_value(value, form_of(chart)), SMALL) for value in values] + [0.0]) + 6
    middle = (left + WIDTH) / 2
    reach = (WIDTH - left) / 2 - room
    scale = reach / (max([0.0, *values]) or 1.0)
    points = [placed(each) for each in series]
    parts = [_side(each.name, number, middle) for number, each in enumerate(series)]
    parts.append(void("path", class_="axis", d=f"M{middle:.1f} {TOP - 4:.1f}v{ROW * len(where) + 4:.1f}"))
    for row, place in enumerate(where):
        y = TOP + row * ROW
        parts.append(label(short(place[0], LONGEST), left - 8, y + BAR - 3, text_anchor="end"))
        parts += [
            _bar(chart, number, at[place], (middle, y, (at[place].y or 0.0) * scale))
            for number, at in enumerate(points)
            if place in at
        ]
    return picture(chart, key, TOP + ROW * len(where), parts)


def _side(name: str, number: int, middle: float) -> Markup:
    text = short(name, 22)
    shown = f"← {text}" if number == 0 else f"{text} →"
    x, anchor = (middle - 8, "end") if number == 0 else (middle + 8, "start")
    return element("g", label(shown, x, 12, class_="small", text_anchor=anchor), class_=SIDES[number])


def _bar(chart: Chart, number: int, point: Point, where: tuple[float, float, float]) -> Markup:
    middle, top, width = where
    start = middle - width if number == 0 else middle
    x, anchor = (start - 4, "end") if number == 0 else (middle + width + 4, "start")
    text = format_value(point.y, form_of(chart))
    parts = [
        told(chart, chart.series[number].name, point),
        void("rect", class_="part", x=start, y=top, width=width, height=BAR),
        label(text, x, top + BAR - 3, class_="small", text_anchor=anchor),
    ]
    return element("g", *parts, class_=SIDES[number])
