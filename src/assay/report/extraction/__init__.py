"""An extraction run as a report."""

from assay.report.extraction.samples import samples_of
from assay.report.extraction.view import extraction_report

__all__ = ["extraction_report", "samples_of"]
