"""The rules a run is held against: its gates and its decision, with measures that are known to exist."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from assay.config import Decision, Gate, RetrievalOptions
from assay.errors import AssayError
from assay.metrics import Measure


class Rules(Struct, frozen=True):
    """Gates and decision, their measures spelled as results spell them."""

    gates: tuple[Gate, ...]
    decision: Decision

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Those that must be computed, whatever the cut-offs asked for."""
        named = [self.decision.measure, *(gate.measure for gate in self.gates)]
        return tuple(dict.fromkeys(map(Measure.parse, named)))


def rules_of(options: RetrievalOptions, *, pages_only: bool = False) -> Rules:
    """Where only pages are known, rules on chunks are read as rules on pages. An unknown measure is an error now."""

    def spelled(measure: str, setting: str) -> str:
        try:
            known = str(Measure.parse(measure))
        except AssayError as fault:
            where = f"retrieval.{setting}.measure"
            raise AssayError(fault.what, where=where, expected=fault.expected, hint=fault.hint) from None
        return _on_pages(known) if pages_only else known

    gates = tuple(
        replace(gate, measure=spelled(gate.measure, f"gates[{number}]")) for number, gate in enumerate(options.gates)
    )
    return Rules(gates, replace(options.decision, measure=spelled(options.decision.measure, "decision")))


def _on_pages(measure: str) -> str:
    family, at, cut = measure.partition("@")
    return f"page_recall{at}{cut}" if at and family in {"recall", "hit"} else measure
