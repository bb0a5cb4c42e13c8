"""A run over lanes as a report."""

from assay.report.lanes.cases import case_items
from assay.report.lanes.view import lanes_report

__all__ = ["case_items", "lanes_report"]
