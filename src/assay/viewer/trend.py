"""Headline means over time, a chart for each thing that was measured again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.report.blocks import Chart, Point, Series
from assay.report.listing import MEASURES

LINES = 4
LAST = 30
"""Moments in a chart; all of them are in the table."""


class Moment(NamedTuple):
    """What was measured once."""

    group: str
    when: str
    metrics: dict[str, float | None]


def trends(moments: Sequence[Moment], x_label: str) -> tuple[Chart, ...]:
    """Of groups with at least two moments; measures from 0 to 1 only, which share an axis."""
    groups: dict[str, list[Moment]] = {}
    for moment in moments:
        groups.setdefault(moment.group, []).append(moment)
    charts = [_chart(name, found[-LAST:], x_label) for name, found in groups.items() if len(found) > 1]
    return tuple(chart for chart in charts if chart.series)


def _chart(name: str, moments: Sequence[Moment], x_label: str) -> Chart:
    known = [each for each in MEASURES if each != "overall_score_avg"]
    names = [each for each in known if any(moment.metrics.get(each) is not None for moment in moments)][:LINES]
    labels = _labels(moments)
    series = tuple(
        Series(
            each, tuple(Point(label, moment.metrics.get(each)) for label, moment in zip(labels, moments, strict=True))
        )
        for each in names
    )
    return Chart("lines", series, name, x_label)


def _labels(moments: Sequence[Moment]) -> list[str]:
    """Two at the same time stay two points."""
    seen: dict[str, int] = {}
    labels = []
    for moment in moments:
        seen[moment.when] = seen.get(moment.when, 0) + 1
        labels.append(moment.when if seen[moment.when] == 1 else f"{moment.when} ({seen[moment.when]})")
    return labels
