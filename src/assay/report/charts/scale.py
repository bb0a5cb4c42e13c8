"""Where a value stands on an axis, which ticks the axis has, and how much room a text needs."""

from __future__ import annotations

import math
import unicodedata

from msgspec import Struct

from assay.report.blocks import Chart, Form
from assay.report.numbers import fixed
from assay.report.tables import form_of

_NARROW = frozenset("iljtfrI.,:;'|!()[]/ -–·")
_BROAD = frozenset("ABCDEGHKNOPQRSUVXYZ+−=<>~")
_BROADEST = frozenset("mwMW%@…→—")


class Axis(Struct, frozen=True):
    """Values from `low` to `high` along the way from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    form: Form

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def label(self, tick: float) -> str:
        """A tick's text, with as many decimals as its neighbours need."""
        return self._text(tick, self._decimals())

    def exact(self, value: float) -> str:
        """A value between the ticks: with as many decimals as it has itself, three at most."""
        scaled = value * self._scale()
        decimals = next((d for d in range(self._decimals(), 3) if abs(round(scaled, d) - scaled) < 1e-9), 3)
        return self._text(value, decimals)

    def _text(self, value: float, decimals: int) -> str:
        unit = {"percent": "\N{NO-BREAK SPACE}%", "seconds": "\N{NO-BREAK SPACE}s"}.get(self.form, "")
        return f"{fixed(value, decimals, self._scale())}{unit}"

    def _decimals(self) -> int:
        step = (self.ticks[1] - self.ticks[0]) * self._scale()
        return max(0, -math.floor(math.log10(step) + 1e-9))

    def _scale(self) -> int:
        return 100 if self.form == "percent" else 1


def value_axis(chart: Chart, start: float, end: float) -> Axis:
    """From zero, or below if the data are, to the chart's maximum, or above if the data are: nothing is cut off."""
    points = [point for series in chart.series for point in series.points if point.y is not None]
    values = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    values += [value for value in (chart.reference,) if value is not None]
    form = form_of(chart)
    low = min([0.0, *values])
    high = max([low, chart.y_max or 0.0, *values])
    step = _step(high - low, whole=form == "integer")
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = tuple(index * step for index in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], start, end, ticks, form)


def _step(span: float, *, whole: bool) -> float:
    """The round number that gives about five ticks."""
    if span < 1e-300:  # nothing to show, or too little to divide
        return 1.0
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    return max(step, 1.0) if whole else step


def text_width(text: str, size: float) -> float:
    """A generous guess: the reader's font is not known, and labels must not touch."""
    return size * sum(_share_of_em(character) for character in text)


def _share_of_em(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or character in _BROADEST:
        return 1.0
    return 0.4 if character in _NARROW else 0.8 if character in _BROAD else 0.63


def apart(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """The wanted places moved as little as a simple sweep can, so that neighbours keep the gap and stay in bounds."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    placed = list(wanted)
    floor = low
    for index in order:
        placed[index] = max(placed[index], floor)
        floor = placed[index] + gap
    ceiling = high
    for index in reversed(order):
        placed[index] = min(placed[index], ceiling)
        ceiling = placed[index] - gap
    return placed
