"""Means with their intervals as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.report.blocks import Card, Form, Point, Tone
from assay.report.numbers import fixed, format_value

Interval = Mapping[str, Any]
"""mean, low, high, n_scored, n_cases."""


def spread(interval: Interval, form: Form = "share") -> str:
    """`0.70 – 0.83, n = 173 / 173`; without bounds the n alone."""
    scored = f"n = {interval['n_scored']} / {interval['n_cases']}"
    if interval["low"] is None:
        return scored
    scale, digits = (100, 1) if form == "percent" else (1, 2)
    return f"{fixed(interval['low'], digits, scale)} – {fixed(interval['high'], digits, scale)}, {scored}"


def with_bounds(interval: Interval) -> str:
    """`0.769 [0.70, 0.83]`. Bounds to two digits: they are an estimate, and three variants fit into 80 columns."""
    mean = format_value(interval["mean"], "share")
    if interval["low"] is None:
        return mean
    return f"{mean} [{fixed(interval['low'], 2)}, {fixed(interval['high'], 2)}]"


def denominators(intervals: Iterable[Interval]) -> str:
    """`173 / 173`, or each where they differ."""
    return " · ".join(dict.fromkeys(f"{interval['n_scored']} / {interval['n_cases']}" for interval in intervals))


def point_of(x: str, interval: Interval) -> Point:
    return Point(x, interval["mean"], interval["low"], interval["high"], interval["n_scored"])


def mean_of(intervals: Mapping[str, Any], name: str) -> float | None:
    found = intervals.get(name)
    return found["mean"] if found else None


def number_card(label: str, interval: Interval | None, form: Form = "share") -> Card:
    """A headline number with its interval."""
    if not interval:
        return Card(label, format_value(None, form), "nothing to score")
    return Card(label, format_value(interval["mean"], form), spread(interval, form))


def confidence_of(summary: Mapping[str, Any]) -> str:
    return f"{summary['config']['statistics']['confidence']:.0%}"


def gate_card(gate: Mapping[str, Any]) -> Card:
    tone: Tone = "good" if gate["passed"] else "bad" if gate["severity"] == "blocking" else "warn"
    value = format_value(gate["value"], "share" if gate["at_least"] <= 1 else "score")
    return Card(f"Gate {gate['measure']} ≥ {gate['at_least']:g}", value, "holds" if gate["passed"] else "fails", tone)
