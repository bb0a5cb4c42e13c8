"""Charts as inline SVG."""

from assay.report.charts.svg import svg

__all__ = ["svg"]
