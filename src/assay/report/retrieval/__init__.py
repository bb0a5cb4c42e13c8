"""A retrieval run as a report."""

from assay.report.retrieval.questions import Cases, cases_of
from assay.report.retrieval.view import retrieval_report

__all__ = ["Cases", "cases_of", "retrieval_report"]
