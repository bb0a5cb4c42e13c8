"""Lanes: documents, memories and code, each with its own cases, its own statistics, its own results."""
