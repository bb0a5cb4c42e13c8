"""Proof, on the user's machine, that the numbers are right."""

from assay.selftest.checks import CHECKS, Outcome, run_checks
from assay.selftest.text import outcome_lines, outcome_records

__all__ = ["CHECKS", "Outcome", "outcome_lines", "outcome_records", "run_checks"]
