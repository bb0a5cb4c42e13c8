"""The category axis under lines and columns."""

from __future__ import annotations

import math

from msgspec import Struct

from assay.report.blocks import Chart
from assay.report.charts.frame import SIZE, WIDTH, Box, label, short
from assay.report.charts.scale import text_width
from assay.report.markup import Markup, join
from assay.report.tables import places

SLOPE = 35
NARROWEST = 16.0
"""Names that stand aslant in less room would touch."""


class Names(Struct, frozen=True):
    """The names under the axis, as they are shown; an empty one had no room."""

    texts: list[str]
    slot: float
    """The room of one category."""
    aslant: bool = False

    def below(self) -> float:
        """The height they need."""
        widest = max((text_width(text, SIZE) for text in self.texts), default=0.0)
        return 16 + math.sin(math.radians(SLOPE)) * widest if self.aslant else 20.0

    def reach(self) -> float:
        """How far the first ones stand out to the left of the axis' begin."""
        cosine = math.cos(math.radians(SLOPE)) * self.aslant
        return max(
            [cosine * text_width(text, SIZE) - self.slot * (i + 0.5) for i, text in enumerate(self.texts)] + [0.0]
        )


def fitted(chart: Chart, slot: float, *, slanting: bool) -> Names:
    """Every name upright if all have room, else aslant if that is wanted, else every second, third, ... of them."""
    texts = [short(x, 26 if slanting else 18) for x, _ in places(chart)]
    room = max((text_width(text, SIZE) for text in texts), default=0.0) + 6
    if room <= slot:
        return Names(texts, slot)
    if slanting and slot >= NARROWEST:
        return Names(texts, slot, aslant=True)
    stride = math.ceil(room / slot)
    return Names([text if (len(texts) - 1 - i) % stride == 0 else "" for i, text in enumerate(texts)], slot)


def axis_names(names: Names, at: list[float], box: Box) -> Markup:
    """The names under their places."""
    shown = [(text, x) for text, x in zip(names.texts, at, strict=True) if text]
    if not names.aslant:
        return join([label(text, x, box.bottom + 17, class_="tick", text_anchor="middle") for text, x in shown])
    return join([_aslant(text, x + 4, box.bottom + 15) for text, x in shown])


def _aslant(text: str, x: float, y: float) -> Markup:
    turn = f"rotate(-{SLOPE} {x:.1f} {y:.1f})"
    return label(text, x, y, class_="tick", text_anchor="end", transform=turn)


def axis_title(text: str, box: Box, y: float) -> Markup:
    """What the categories are, under the middle of the axis."""
    if not text:
        return Markup("")
    middle = min((box.left + box.right) / 2, WIDTH / 2 + 20)
    return label(short(text, 60), middle, y, class_="name", text_anchor="middle")
