"""The verdict: a written rule on what the judge said, kept apart from it, so that it can change without a call.

| question | verdict |
|---|---|
| answerable, answered | pass: overall ≥ 4; partial: ≥ 3; fail: below; never pass when correctness ≤ 2 |
| answerable, refused or asked back | fail |
| unanswerable | pass if what the answer does is accepted for its category, else fail |
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

import msgspec
from msgspec import Meta, field

from assay.config import Settings
from assay.judges.judgment import Answer, Grades, Judgment, Verdict
from assay.metrics.answers import Behaviour

Threshold = Annotated[float, Meta(ge=1, le=5)]

ACCEPTANCE: dict[str, tuple[Behaviour, ...]] = {
    "OUT_OF_SCOPE": ("refused",),
    "INSUFFICIENT_INFO": ("refused",),
    "FALSE_PREMISE": ("refused", "corrected"),
    "TEMPORAL_MISMATCH": ("refused", "corrected"),
    "AMBIGUOUS": ("refused", "asked_back"),
    "COUNTERFACTUAL": ("refused",),
}
"""What may be done with an unanswerable question, by its category. Saying what is missing, or what the sources do say,
is a way of refusing."""

_DIGITS = 9
"""Grades are compared rounded, so that a mean of 3.9999999999 is a 4."""


class VerdictRule(Settings, frozen=True):
    """From grades to a verdict."""

    pass_at: Annotated[Threshold, Meta(description="overall score from which on an answer passes")] = 4.0
    partial_at: Annotated[Threshold, Meta(description="overall score from which on it passes in part")] = 3.0
    never_pass_at: Annotated[
        float, Meta(ge=0, le=5, description="no pass with a correctness of this or less; 0: no such rule")
    ] = 2.0
    acceptance: Annotated[
        dict[str, tuple[Behaviour, ...]],
        Meta(description="what may be done with an unanswerable question, by category"),
    ] = field(default_factory=lambda: dict(ACCEPTANCE))
    otherwise: Annotated[tuple[Behaviour, ...], Meta(description="the same for any other category, or none")] = (
        "refused",
    )

    def __post_init__(self) -> None:
        if self.partial_at > self.pass_at:
            raise ValueError("partial_at must not be more than pass_at")

    def accepted(self, category: str | None) -> tuple[Behaviour, ...]:
        return self.acceptance.get(category or "", self.otherwise)

    def of_scores(self, overall: float, correctness: float | None) -> Verdict:
        """For an answerable question that was answered."""
        overall = round(overall, _DIGITS)
        if overall < self.partial_at:
            return "fail"
        wrong = correctness is not None and round(correctness, _DIGITS) <= self.never_pass_at
        return "pass" if overall >= self.pass_at and not wrong else "partial"

    @property
    def fingerprint(self) -> str:
        return sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()


def withholds(answer: Answer, behaviour: Behaviour, rule: VerdictRule) -> bool:
    """Whether the answer counts as refused rather than answered.

    An unanswerable question is refused by whatever is accepted for it; an answerable one by refusing or asking back.
    """
    if answer.answerable:
        return behaviour in ("refused", "asked_back")
    return behaviour in rule.accepted(answer.category)


def verdict_of(answer: Answer, grades: Grades, behaviour: Behaviour, rule: VerdictRule) -> Verdict:
    """What the rule says."""
    refused = withholds(answer, behaviour, rule)
    if not answer.answerable:
        return "pass" if refused else "fail"
    return "fail" if refused else rule.of_scores(grades.overall_score, grades.correctness)


def judged_again(judgment: Judgment, answer: Answer, rule: VerdictRule) -> Judgment:
    """The same grades under another rule. What was not graded stays so."""
    grades, behaviour = judgment.grades, judgment.behaviour
    if grades is None or behaviour is None:
        return msgspec.structs.replace(judgment, rule=rule.fingerprint)
    verdict = verdict_of(answer, grades, behaviour, rule)
    return msgspec.structs.replace(judgment, verdict=verdict, rule=rule.fingerprint)
