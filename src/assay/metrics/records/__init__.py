"""Records against records: comparators, one-to-one matching, precision, recall and F1."""

from assay.metrics.records.assignment import assign
from assay.metrics.records.comparator import COMPARATORS, Comparator, Unreadable
from assay.metrics.records.counts import Counts, micro
from assay.metrics.records.matching import Failure, Matching, Pair, match
from assay.metrics.records.scheme import Field, Scheme

__all__ = [
    "COMPARATORS",
    "Comparator",
    "Counts",
    "Failure",
    "Field",
    "Matching",
    "Pair",
    "Scheme",
    "Unreadable",
    "assign",
    "match",
    "micro",
]
