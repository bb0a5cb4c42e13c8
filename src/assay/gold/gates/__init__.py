"""The gates of a gold set, as data: one registry, used when a set is built and whenever one is verified."""

from assay.gold.gates.protocol import GATES, Failure, Gate, Outcome, run_gates, settle

__all__ = ["GATES", "Failure", "Gate", "Outcome", "run_gates", "settle"]
