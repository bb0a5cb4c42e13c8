"""Answered or refused × answerable or not: the two ways of being wrong about what one knows."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from assay.judges.judgment import Answer
from assay.judges.verdict import VerdictRule, withholds
from assay.metrics.answers import Behaviour
from assay.records import Interval
from assay.stats import Resampling, intervals_of


class Outcomes(Struct, frozen=True, kw_only=True):
    """The 2 × 2, and how many of each kind were not judged."""

    answerable_answered: int = 0
    answerable_refused: int = 0
    unanswerable_answered: int = 0
    unanswerable_refused: int = 0
    answerable_unjudged: int = 0
    unanswerable_unjudged: int = 0

    def false_answers(self, plan: Resampling) -> Interval:
        """The share of unanswerable questions that were answered."""
        return _rate(self.unanswerable_answered, self.unanswerable_refused, self.unanswerable_unjudged, plan)

    def false_refusals(self, plan: Resampling) -> Interval:
        """The share of answerable questions that were refused."""
        return _rate(self.answerable_refused, self.answerable_answered, self.answerable_unjudged, plan)


def outcomes(judged: Iterable[tuple[Answer, Behaviour | None]], rule: VerdictRule) -> Outcomes:
    """Counted over all questions; None is a question that was not judged."""
    counts = dict.fromkeys(Outcomes.__struct_fields__, 0)
    for answer, behaviour in judged:
        kind = "answerable" if answer.answerable else "unanswerable"
        counts[f"{kind}_{_done(answer, behaviour, rule)}"] += 1
    return Outcomes(**counts)


def _done(answer: Answer, behaviour: Behaviour | None, rule: VerdictRule) -> str:
    if behaviour is None:
        return "unjudged"
    return "refused" if withholds(answer, behaviour, rule) else "answered"


def _rate(wrong: int, right: int, unjudged: int, plan: Resampling) -> Interval:
    """Wilson's interval; `n_scored` is the denominator, `n_cases` counts those not judged too."""
    column = [[1.0]] * wrong + [[0.0]] * right + [[None]] * unjudged
    return intervals_of(column, plan)[0] if column else Interval(None, None, None, 0, 0)
