"""Curves with their intervals, each labelled at its end."""

from __future__ import annotations

from assay.report.blocks import Chart, Point, Series
from assay.report.charts.categories import axis_names, axis_title, fitted
from assay.report.charts.frame import (
    SIZE,
    WIDTH,
    Box,
    colour,
    horizontal_grid,
    label,
    marker,
    picture,
    reference_across,
    short,
    tick_room,
    told,
    whisker,
)
from assay.report.charts.scale import Axis, apart, text_width, value_axis
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import MISSING
from assay.report.tables import Place, placed, places

HEIGHT = 210.0
GAP = 15.0
CROWDED = 8
"""With more points than this, intervals are bands: whiskers would hide the curves."""

Spot = tuple[float, float, Point]
"""Where a point stands."""


def lines(chart: Chart, key: str) -> Markup:
    top = (28.0 if chart.y_label else 10.0) + (14.0 if chart.marks else 0.0)
    axis = value_axis(chart, top + max(HEIGHT, GAP * len(chart.series)), top)
    box = Box(tick_room(axis, chart.reference), WIDTH - _label_room(chart), top, axis.start)
    across = _across(chart, box)
    parts = [horizontal_grid(axis, box, chart.reference), reference_across(axis, box, chart.reference)]
    if chart.y_label:
        parts.append(label(short(chart.y_label, 60), 0, 12, class_="name"))
    parts.append(_marks(chart, across, box))
    spots = [_spots(series, number, chart, across, axis) for number, series in enumerate(chart.series)]
    banded = len(chart.series) == 1 or len(across) > CROWDED
    if banded:
        parts += [_band(number, series, axis) for number, series in enumerate(spots)]
    parts += [_curve(chart, number, series, axis, banded=banded) for number, series in enumerate(spots)]
    parts.append(_end_labels(chart, spots, box))
    parts.append(_names(chart, across, box))
    parts.append(axis_title(chart.x_label, box, box.bottom + 36))
    return picture(chart, key, box.bottom + (42 if chart.x_label else 24), parts)


def _marks(chart: Chart, across: dict[Place, float], box: Box) -> Markup:
    """An upright line at each place that something is said of."""
    parts = []
    for mark in chart.marks:
        if (mark.x, 0) in across:
            x = across[mark.x, 0]
            parts.append(void("path", class_="event", d=f"M{x:.1f} {box.top - 3:.1f}V{box.bottom:.1f}"))
            parts.append(label(short(mark.text, 12), x, box.top - 7, class_="tick small", text_anchor="middle"))
    return join(parts)


def _label_room(chart: Chart) -> float:
    return max([text_width(_end_name(series), SIZE) for series in chart.series] + [0.0]) + 22


def _end_name(series: Series) -> str:
    """The name at the end of a curve; a series without any value says so."""
    unmeasured = all(point.y is None for point in series.points)
    return f"{short(series.name, 20)} {MISSING}" if unmeasured else short(series.name, 20)


def _across(chart: Chart, box: Box) -> dict[Place, float]:
    """The horizontal place of each category, with room for whiskers at both ends."""
    where = places(chart)
    left, right = box.left + 14, box.right - 14
    if len(where) == 1:
        return {where[0]: (left + right) / 2}
    return {place: left + (right - left) * index / (len(where) - 1) for index, place in enumerate(where)}


def _names(chart: Chart, across: dict[Place, float], box: Box) -> Markup:
    at = list(across.values())
    slot = at[1] - at[0] if len(at) > 1 else box.right - box.left
    return axis_names(fitted(chart, slot, slanting=False), at, box)


def _spots(series: Series, number: int, chart: Chart, across: dict[Place, float], axis: Axis) -> list[Spot | None]:
    """A series' points where they stand; None is a gap. Series with whiskers step aside from each other."""
    whiskers = len(across) <= CROWDED and any(point.low is not None for line in chart.series for point in line.points)
    aside = (number - (len(chart.series) - 1) / 2) * min(7.0, 30 / len(chart.series)) if whiskers else 0.0
    found = placed(series)
    spots: list[Spot | None] = []
    for place, x in across.items():
        point = found.get(place)
        spots.append(None if point is None or point.y is None else (x + aside, axis.at(point.y), point))
    return spots


def _stretches(spots: list[Spot | None]) -> list[list[Spot]]:
    """The points between gaps: what was not measured is not drawn."""
    stretches: list[list[Spot]] = [[]]
    for spot in spots:
        if spot is None:
            stretches.append([])
        else:
            stretches[-1].append(spot)
    return [stretch for stretch in stretches if stretch]


def _band(number: int, spots: list[Spot | None], axis: Axis) -> Markup:
    known = [spot if spot and spot[2].low is not None and spot[2].high is not None else None for spot in spots]
    bands = []
    for stretch in _stretches(known):
        upper = [f"{x:.1f} {axis.at(point.high):.1f}" for x, _, point in stretch if point.high is not None]
        lower = [f"{x:.1f} {axis.at(point.low):.1f}" for x, _, point in reversed(stretch) if point.low is not None]
        bands.append(void("path", class_=f"band {colour(number)}", d=f"M{'L'.join(upper + lower)}Z"))
    return join(bands)


def _curve(chart: Chart, number: int, spots: list[Spot | None], axis: Axis, *, banded: bool) -> Markup:
    name = chart.series[number].name
    parts = []
    for stretch in _stretches(spots):
        parts.append(void("path", class_="line", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in stretch)))
        for x, y, point in stretch:
            interval = Markup("") if banded else whisker(axis, point, x, upright=True)
            dot = marker(number, x, y, crowded=len(spots) > CROWDED)
            parts.append(element("g", told(chart, name, point), interval, dot))
    return element("g", *parts, class_=colour(number))


def _end_labels(chart: Chart, spots: list[list[Spot | None]], box: Box) -> Markup:
    """Names at the ends of the curves, kept apart, tied to their ends by a thin line where they had to move."""
    ends = [next((spot for spot in reversed(series) if spot), None) for series in spots]
    wanted = [end[1] if end else box.bottom for end in ends]
    parts = []
    for number, y in enumerate(apart(wanted, GAP, box.top, box.bottom)):
        end, name = ends[number], _end_name(chart.series[number])
        if end and name and (abs(y - end[1]) > 3 or box.right - end[0] > 30):
            tie = f"M{end[0] + 6:.1f} {end[1]:.1f}L{box.right + 3:.1f} {y:.1f}"
            parts.append(void("path", class_=f"tie {colour(number)}", d=tie))
        parts.append(label(name, box.right + 6, y + 4, class_=f"end {colour(number)}"))
    return join(parts)
