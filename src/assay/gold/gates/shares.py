"""Gates on how a set is mixed: a share of its questions, and what it must be."""

from __future__ import annotations

from collections.abc import Sequence

from assay.gold.gates.protocol import Checked, Failure, Limits
from assay.gold.schema import Question


def share_of(chosen: int, of: Sequence[Question]) -> float | None:
    return chosen / len(of) if of else None


def within(what: str, share: float | None, limits: Limits, nothing: str) -> Checked:
    """`below` is exclusive; `at_least` and `at_most` are inclusive."""
    if share is None:
        return Checked(undefined=nothing)
    limit = ""
    if "below" in limits and share >= limits["below"]:
        limit = f"< {limits['below']:g}"
    elif "at_least" in limits and share < limits["at_least"]:
        limit = f"≥ {limits['at_least']:g}"
    elif "at_most" in limits and share > limits["at_most"]:
        limit = f"≤ {limits['at_most']:g}"
    failures = (Failure(what=what, value=share, limit=limit),) if limit else ()
    return Checked(value=share, failures=failures)


def all_present(what: str, found: set[str], wanted: Sequence[str], n: int) -> Checked:
    """Every one of the wanted values occurs, or at least n of them."""
    present = [value for value in wanted if value in found]
    missing = [value for value in wanted if value not in found]
    if len(present) >= n:
        return Checked(value=len(present))
    text = f"{len(present)} {what}; missing: {', '.join(missing)}"
    return Checked(value=len(present), failures=(Failure(what=text, value=len(present), limit=f"≥ {n}"),))
