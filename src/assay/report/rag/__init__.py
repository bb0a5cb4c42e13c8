"""A RAG run as a report."""

from assay.report.rag.questions import Pages, pages_of
from assay.report.rag.view import rag_report

__all__ = ["Pages", "pages_of", "rag_report"]
