"""The gates of a gold set for a pipeline: as checks, and as the summary of a step."""

from __future__ import annotations

from msgspec.structs import replace

from assay.gold.gates.protocol import Outcome
from assay.gold.verify import Verification
from assay.report.blocks import Items, Report
from assay.report.checks import GATES, Check, State
from assay.report.github import LIMIT, WORST, fitting
from assay.report.gold import shown
from assay.report.text import counted

NAMED = 3
"""Questions that are named in a line."""


def verification_checks(verification: Verification) -> list[Check]:
    """One for each gate, by the same rule as the exit code."""
    return [_check(outcome) for outcome in verification.outcomes]


def verification_summary(report: Report, room: int = LIMIT) -> str:
    """Verdict, gates, what failed for the set as a whole, and the first questions that failed one."""
    lists = [block for section in report.sections for block in section.blocks if isinstance(block, Items)]
    items = [item for block in lists for item in block.items]
    sections = [
        replace(section, blocks=tuple(block for block in section.blocks if not isinstance(block, Items)))
        for section in report.sections
        if not section.detail
    ]
    return fitting(replace(report, sections=tuple(sections)), items[:WORST], room)


def _check(outcome: Outcome) -> Check:
    blocking = outcome.severity == "blocking"
    states: dict[str, State] = {
        "passed": "passed",
        "undefined": "skipped",
        "failed": "failed" if blocking else "warning",
    }
    name = f"{outcome.gate} {outcome.rule}" + ("" if blocking else " (warning)")
    return Check(group=GATES, name=name, state=states[outcome.status], told=_told(outcome))


def _told(outcome: Outcome) -> str:
    said = [] if outcome.value is None else [f"measured {shown(outcome.value)}"]
    said += [outcome.note] if outcome.note else []
    ids = list(dict.fromkeys(failure.question for failure in outcome.failures if failure.question))
    if ids:
        more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
        said.append(f"{counted(len(ids), 'question')} failed: {', '.join(ids[:NAMED])}{more}")
    said += [failure.what for failure in outcome.failures if failure.question is None][:NAMED]
    return "; ".join(said)
