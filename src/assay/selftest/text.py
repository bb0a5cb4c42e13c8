"""Outcomes for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from assay.report.plain import aligned
from assay.selftest.checks import TOLERANCE, Outcome


def outcome_lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A table, and the sum of it."""
    yield from aligned([("check", "compared", "worst difference", "result", "against"), *map(_row, outcomes)])
    wrong = sum(not outcome.ok for outcome in outcomes)
    yield ""
    yield f"{len(outcomes) - wrong} of {len(outcomes)} within {TOLERANCE:g}" + (f", {wrong} not" if wrong else "")


def outcome_records(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    return [to_builtins(outcome) | {"ok": outcome.ok} for outcome in outcomes]


def _row(outcome: Outcome) -> tuple[str, ...]:
    worst = "undefined differs" if outcome.worst is None else f"{outcome.worst:.1e}" if outcome.worst else "0"
    return outcome.name, str(outcome.compared), worst, "ok" if outcome.ok else "WRONG", outcome.reference
