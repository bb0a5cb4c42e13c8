"""Source files cut into the units people look for: functions, methods, types, constants, modules."""

from assay.corpus.code.files import language_of, unit_files
from assay.corpus.code.unit import Unit
from assay.corpus.code.walker import Extraction, extract, units_of

__all__ = ["Extraction", "Unit", "extract", "language_of", "unit_files", "units_of"]
