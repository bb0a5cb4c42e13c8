"""Formats a gold set comes in and goes out as, one file each."""

from assay.gold.formats.protocol import FORMATS, Bundle, Format

__all__ = ["FORMATS", "Bundle", "Format"]
