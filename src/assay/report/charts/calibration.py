"""A reliability diagram: what is right against what was claimed; a claim that holds stands on the diagonal."""

from __future__ import annotations

import math

from assay.report.blocks import Chart, Point
from assay.report.charts.frame import WIDTH, Box, horizontal_grid, label, picture, short, told, whisker
from assay.report.charts.scale import Axis
from assay.report.markup import Markup, element, void

SIDE = 250.0
SMALLEST, LARGEST = 3.0, 11.0
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def calibration(chart: Chart, key: str) -> Markup:
    """The area of a dot is how many cases it stands for."""
    box = Box(40.0, 40.0 + SIDE, 26.0, 26.0 + SIDE)
    across = Axis(0.0, 1.0, box.left, box.right, TICKS, "share")
    up = Axis(0.0, 1.0, box.bottom, box.top, TICKS, "share")
    parts = [horizontal_grid(up, box, None), _floor(across, box), label(short(chart.y_label, 40), 0, 12, class_="name")]
    parts.append(void("path", class_="reference", d=f"M{box.left} {box.bottom}L{box.right} {box.top}"))
    parts.append(label("claim holds", box.right + 6, box.top + 4, class_="tick small"))
    points = [point for series in chart.series for point in series.points if point.y is not None]
    most = max([point.n or 1 for point in points] + [1])
    parts += [_dot(chart, point, (across, up), most) for point in points]
    note = label("below the line: claims too much", WIDTH, box.bottom - 4, class_="tick small", text_anchor="end")
    middle = (box.left + box.right) / 2
    parts += [note, label(short(chart.x_label, 60), middle, box.bottom + 34, class_="name", text_anchor="middle")]
    return picture(chart, key, box.bottom + 40, parts)


def _floor(axis: Axis, box: Box) -> Markup:
    names = [label(axis.label(t), axis.at(t), box.bottom + 16, class_="tick", text_anchor="middle") for t in TICKS]
    return element("g", *names)


def _dot(chart: Chart, point: Point, axes: tuple[Axis, Axis], most: int) -> Markup:
    across, up = axes
    x, y = across.at(float(point.x)), up.at(point.y or 0.0)
    radius = SMALLEST + (LARGEST - SMALLEST) * math.sqrt((point.n or 1) / most)
    parts = [
        told(chart, chart.series[0].name, point),
        whisker(up, point, x, upright=True),
        void("circle", class_="dot", cx=x, cy=y, r=radius),
    ]
    if point.n is not None:
        parts.append(label(f"{point.n:,}", x, y - radius - 3, class_="tiny", text_anchor="middle"))
    return element("g", *parts, class_="c0")
