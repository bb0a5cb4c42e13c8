"""Events from conversations by rules: the floor that every model should beat."""

from assay.extraction.rules.events import Planned, find_events

__all__ = ["Planned", "find_events"]
