"""The lines of a label file put together: one case each, people as one voice beside the judge."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median_low

from msgspec import Struct

from assay.judges.judgment import DIMENSIONS, Verdict
from assay.judges.labels import Label, Marks
from assay.judges.verdict import VerdictRule

ORDER: tuple[Verdict, ...] = ("fail", "partial", "pass")
"""Verdicts as numbers: 0, 1, 2."""


class PooledCase(Struct, frozen=True, kw_only=True):
    """All lines of one answer together."""

    human: dict[str, float]
    """By mark: verdict, correctness, ..."""
    judge: dict[str, float]
    people: tuple[float | None, ...]
    """Each person's verdict."""
    repeats: tuple[str | None, ...]
    length: int | None
    evidence_rank: int | None

    def error(self) -> float | None:
        """How much higher the judge is, in overall scores if both have them, else in verdicts."""
        for name in ("overall_score", "verdict"):
            if name in self.human and name in self.judge:
                return self.judge[name] - self.human[name]
        return None


def pooled(labels: Sequence[Label], rule: VerdictRule) -> list[PooledCase]:
    """One case for each answer, by id. A missing verdict is made from the overall score by the rule.

    Where several people labelled an answer, the middle verdict counts (of two the lower) and the mean of their grades.
    """
    by_case: dict[str, list[Label]] = {}
    for label in labels:
        by_case.setdefault(label.case_id, []).append(label)
    raters = sorted({label.rater for label in labels})
    return [_case(by_case[case_id], raters, rule) for case_id in sorted(by_case)]


def _case(lines: Sequence[Label], raters: Sequence[str], rule: VerdictRule) -> PooledCase:
    people = {line.rater: _values(line.human, rule) for line in lines}
    judge = next((_values(line.judge, rule) for line in lines if line.judge is not None), {})
    first = [judge["verdict"]] if "verdict" in judge else []
    again = [_values(marks, rule).get("verdict") for line in lines for marks in line.repeats]
    return PooledCase(
        human=_together(list(people.values())),
        judge=judge,
        people=tuple(people.get(rater, {}).get("verdict") for rater in raters),
        repeats=tuple(None if value is None else ORDER[int(value)] for value in [*first, *again]),
        length=next((line.length for line in lines if line.length is not None), None),
        evidence_rank=next((line.evidence_rank for line in lines if line.evidence_rank is not None), None),
    )


def _values(marks: Marks | None, rule: VerdictRule) -> dict[str, float]:
    """The marks there are, as numbers."""
    if marks is None:
        return {}
    verdict = marks.verdict or _by_rule(marks, rule)
    values = {name: getattr(marks, name) for name in (*DIMENSIONS, "overall_score")}
    values["verdict"] = None if verdict is None else float(ORDER.index(verdict))
    return {name: value for name, value in values.items() if value is not None}


def _by_rule(marks: Marks, rule: VerdictRule) -> Verdict | None:
    return None if marks.overall_score is None else rule.of_scores(marks.overall_score, marks.correctness)


def _together(people: Sequence[dict[str, float]]) -> dict[str, float]:
    names = {name for values in people for name in values}
    found = {name: [values[name] for values in people if name in values] for name in sorted(names)}
    return {name: median_low(given) if name == "verdict" else fmean(given) for name, given in found.items()}
