"""The category axis under lines and columns."""

from __future__ import annotations

import math

from assay.report.blocks import Chart
from assay.report.charts.frame import SIZE, WIDTH, Box, label, short
from assay.report.charts.scale import text_width
from assay.report.markup import Markup, join
from assay.report.tables import places

SLOPE = math.radians(35)


def names_of(chart: Chart, length: int) -> list[str]:
    return [short(x, length) for x, _ in places(chart)]


def thinned(names: list[str], slot: float) -> list[str]:
    """Every name if all have room, else every second, third, ... counted from the last."""
    room = max(text_width(name, SIZE) for name in names) + 8
    stride = max(1, math.ceil(room / slot))
    return [name if (len(names) - 1 - index) % stride == 0 else "" for index, name in enumerate(names)]


def room_below(names: list[str], slot: float) -> float:
    """How much height the names need: one line, or more when they stand aslant."""
    if not _aslant(names, slot):
        return 20.0
    return 16 + math.sin(SLOPE) * max(text_width(name, SIZE) for name in names)


def room_left(names: list[str], slot: float) -> float:
    """How far the first names reach to the left of the axes' corner when they stand aslant."""
    if not _aslant(names, slot):
        return 0.0
    reach = [math.cos(SLOPE) * text_width(name, SIZE) - slot * (index + 0.5) for index, name in enumerate(names)]
    return max(0.0, *reach)


def axis_names(names: list[str], at: list[float], box: Box, slot: float) -> Markup:
    """The names under their places."""
    if not _aslant(names, slot):
        return join(
            [
                label(name, x, box.bottom + 17, class_="tick", text_anchor="middle")
                for name, x in zip(names, at, strict=True)
                if name
            ]
        )
    return join(
        [
            label(
                name,
                x + 4,
                box.bottom + 15,
                class_="tick",
                text_anchor="end",
                transform=f"rotate(-35 {x + 4:.1f} {box.bottom + 15:.1f})",
            )
            for name, x in zip(names, at, strict=True)
        ]
    )


def axis_title(text: str, box: Box, y: float) -> Markup:
    """What the categories are, under the middle of the axis."""
    if not text:
        return Markup("")
    return label(
        short(text, 60), min((box.left + box.right) / 2, WIDTH / 2 + 20), y, class_="name", text_anchor="middle"
    )


def _aslant(names: list[str], slot: float) -> bool:
    return any(text_width(name, SIZE) > slot - 4 for name in names if name) and all(names)
