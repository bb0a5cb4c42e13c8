"""A waterfall: from level to level by steps, each where the one before it ended."""

from __future__ import annotations

from msgspec import Struct

from assay.report.blocks import Chart, Point
from assay.report.charts.frame import SIZE, SMALL, WIDTH, label, picture, short, told
from assay.report.charts.scale import text_width
from assay.report.markup import Markup, element, join, void
from assay.report.numbers import format_value
from assay.report.tables import form_of

ROW, BAR = 26.0, 16.0
LONGEST = 26


class Step(Struct, frozen=True):
    """A point with where its bar begins and ends."""

    point: Point
    start: float
    end: float


def waterfall(chart: Chart, key: str) -> Markup:
    """Of one series; a step without a value has a dash and moves nothing."""
    points = [point for series in chart.series for point in series.points]
    steps = walk(points)
    left = max([text_width(short(point.x, LONGEST), SIZE) for point in points] + [0.0]) + 8
    texts = [format_value(point.y, form_of(chart)) for point in points]
    right = WIDTH - max([text_width(text, SMALL) for text in texts] + [0.0]) - 10
    ends = [end for step in steps for end in (step.start, step.end)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    scale = (right - left) / ((high - low) or 1.0)
    parts = []
    for row, step in enumerate(steps):
        begin, end = (left + (value - low) * scale for value in (step.start, step.end))
        parts.append(_row(chart, step, (min(begin, end), abs(end - begin), row * ROW + 4), left))
        if row + 1 < len(steps):
            parts.append(void("path", class_="tick-line", d=f"M{end:.1f} {row * ROW + 4:.1f}v{ROW + BAR:.1f}"))
    return picture(chart, key, ROW * len(steps) + 4, parts)


def walk(points: list[Point]) -> list[Step]:
    """A level begins at nothing, a step where the one before it ended."""
    steps, at = [], 0.0
    for point in points:
        value = point.y or 0.0
        steps.append(Step(point, 0.0 if point.level else at, value if point.level else at + value))
        at = at if point.y is None else steps[-1].end
    return steps


def _row(chart: Chart, step: Step, where: tuple[float, float, float], left: float) -> Markup:
    x, width, top = where
    point = step.point
    parts = [told(chart, "", point), label(short(point.x, LONGEST), left - 8, top + BAR - 4, text_anchor="end")]
    if point.y is not None:
        parts.append(void("rect", class_="part", x=x, y=top, width=max(width, 1.0), height=BAR))
    parts.append(label(format_value(point.y, form_of(chart)), WIDTH, top + BAR - 4, class_="small", text_anchor="end"))
    kind = "level" if point.level else "less" if (point.y or 0) < 0 else "more"
    return element("g", join(parts), class_=kind)
