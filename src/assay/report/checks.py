"""What can pass or fail about a run besides its cases: one list for JUnit, annotations and tests.

Every state follows from what sets the exit code, so that no reader of the list sees another result than the pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from assay.compare import Comparison, Figure, Row
from assay.rag.trust import JUDGED
from assay.report.comparison import measured
from assay.report.numbers import format_value
from assay.report.publish import Published
from assay.report.text import counted

State = Literal["passed", "warning", "failed", "error", "skipped"]
RUN, GATES, LIMITS, REGRESSIONS = "run", "gates", "limits", "regressions"


class Check(Struct, frozen=True, kw_only=True):
    """A rule and how it went. The name stays the same from run to run; what was measured is in `told`."""

    group: str
    name: str
    state: State
    told: str = ""


def checks_of(published: Published) -> list[Check]:
    """Whether every case has a result, then gates, limits and the measures that may be a regression."""
    summary = published.summary
    trust = summary.get("trust")
    distrusted = frozenset(JUDGED if trust is not None and not trust["may_gate"] else ())
    checks = [_complete(summary), *(_gate(gate) for gate in summary["gates"])]
    checks += [_limit(figure) for figure in published.limits]
    if published.comparison:
        checks += _regressions(published.comparison, distrusted)
    elif published.not_compared:
        checks.append(
            Check(group=REGRESSIONS, name="against the baseline", state="skipped", told=published.not_compared)
        )
    return checks


def comparison_checks(comparison: Comparison) -> list[Check]:
    """Of two runs side by side, where there is nothing but their difference."""
    limits = [_limit(figure) for figure in comparison.figures if figure.limit is not None]
    return [*limits, *_regressions(comparison, frozenset())]


def _complete(summary: Mapping[str, Any]) -> Check:
    errors = summary["errors"]
    name = "every case has a result"
    if not errors["total"]:
        return Check(group=RUN, name=name, state="passed")
    phases = ", ".join(f"{count} in {phase}" for phase, count in errors["by_phase"].items())
    told = f"{counted(errors['total'], 'case')} failed" + (f": {phases}" if phases else "")
    return Check(group=RUN, name=name, state="error", told=told)


def _gate(gate: Mapping[str, Any]) -> Check:
    blocking = gate["severity"] == "blocking"
    state: State = "passed" if gate["passed"] else "failed" if blocking else "warning"
    name = f"{gate['measure']} ≥ {gate['at_least']:g}" + ("" if blocking else " (warning)")
    return Check(group=GATES, name=name, state=state, told=_measured(gate))


def _measured(gate: Mapping[str, Any]) -> str:
    who = f" of {gate['variant']}" if gate["variant"] else ""
    if gate["value"] is None:
        return f"{gate['measure']}{who} is undefined: nothing could be scored"
    return f"{gate['measure']}{who} is {with_bounds(gate['value'], gate['low'], gate['high'])}"


def with_bounds(value: float | None, low: float | None, high: float | None) -> str:
    """`0.812 [0.761, 0.854]`; a grade above 1 as a score. The bounds are written as the value is."""
    form: Literal["score", "share"] = "score" if value is not None and abs(value) > 1 else "share"
    told = format_value(value, form)
    return told if low is None else f"{told} [{format_value(low, form)}, {format_value(high, form)}]"


def _limit(figure: Figure) -> Check:
    now, limit = (format_value(value, "score") for value in (figure.now, figure.limit))
    told = f"{figure.name} is {now}, {'above' if figure.exceeded else 'within'} the limit of {limit}"
    if figure.now is None:
        told = f"{figure.name} was not measured"
    state: State = "failed" if figure.exceeded else "skipped" if figure.now is None else "passed"
    return Check(group=LIMITS, name=f"{figure.name} ≤ {figure.limit:g}", state=state, told=told)


def _regressions(comparison: Comparison, distrusted: frozenset[str]) -> list[Check]:
    rows = [row for row in measured(comparison) if row.counts]
    several = len({row.variant for row in rows}) > 1
    return [_row(row, comparison, distrusted, several=several) for row in rows]


def _row(row: Row, comparison: Comparison, distrusted: frozenset[str], *, several: bool) -> Check:
    """A judge that people's labels do not support may warn but not gate."""
    name = f"{row.measure} ({row.variant})" if several else row.measure
    if row.delta is None:
        told = f"{row.measure} cannot be compared: only one side has it"
        return Check(group=REGRESSIONS, name=name, state="skipped", told=told)
    state: State = "passed"
    told = difference(row)
    if row.regression:
        state = "warning" if row.measure in distrusted else "failed"
    if state == "warning":
        told += "; people's labels do not support the judge, so it does not gate"
    return Check(group=REGRESSIONS, name=name, state=state, told=f"{told} (baseline {comparison.before})")


def difference(row: Row) -> str:
    """`recall@5 0.812 → 0.731, −0.081 [−0.120, −0.042], p <0.001: worse`."""
    form: Literal["score", "share"] = "score" if max(row.before or 0, row.now or 0) > 1 else "share"
    told = f"{row.measure} {format_value(row.before, form)} → {format_value(row.now, form)}"
    told += f", {format_value(row.delta, 'signed')}"
    if row.low is not None:
        told += f" [{format_value(row.low, 'signed')}, {format_value(row.high, 'signed')}]"
    return told + (f", p {format_value(row.p, 'p')}: {row.verdict}" if row.p is not None else f": {row.verdict}")
