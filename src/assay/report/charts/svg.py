"""The door to the charts."""

from __future__ import annotations

from assay.report.blocks import Chart
from assay.report.charts.bars import bars
from assay.report.charts.calibration import calibration
from assay.report.charts.columns import columns
from assay.report.charts.diverging import diverging
from assay.report.charts.heat import heat
from assay.report.charts.lines import lines
from assay.report.charts.stack import stack
from assay.report.charts.waterfall import waterfall
from assay.report.markup import Markup

_KINDS = {
    "lines": lines,
    "bars": bars,
    "columns": columns,
    "heat": heat,
    "stack": stack,
    "waterfall": waterfall,
    "diverging": diverging,
    "calibration": calibration,
}


def svg(chart: Chart, key: str) -> Markup:
    """A chart as an `<svg>` element. `key` begins the ids in it and must be unique in the page.

    Colours come from the style sheet by class, so that one picture serves a light and a dark page.
    """
    return _KINDS[chart.kind](chart, key)
