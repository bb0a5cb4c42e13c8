"""What is wrong with the way a judge spreads its grades, and how often it contradicts itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from msgspec import Struct

from assay.metrics.agreement.estimate import Estimate, share
from assay.stats.intervals import Resampling

GRADES = (1, 2, 3, 4, 5)
CROWDED = 0.8
"""Share of the top grade from which on a judge hardly tells answers apart."""


class Distribution(Struct, frozen=True, kw_only=True):
    """How often each grade was given (to the nearest whole one, halves up), and what is wrong with that."""

    n: int
    counts: dict[str, int]
    mean: float | None
    top_share: float | None
    unused: tuple[int, ...]
    is_constant: bool
    findings: tuple[str, ...]


def distribution(scores: Sequence[float]) -> Distribution:
    """Share of the top grade, grades never given, a judge that always says the same.

    >>> distribution([5, 5, 5, 5, 4.6]).findings
    ('the top grade was given in 5 of 5 cases', 'grades never given: 1, 2, 3, 4')
    """
    n = len(scores)
    found = Counter(math.floor(score + 0.5) for score in scores)
    counts = {str(grade): found[grade] for grade in GRADES}
    unused = tuple(grade for grade in GRADES if not found[grade]) if n else ()
    top = found[GRADES[-1]]
    is_constant = n > 1 and len(set(scores)) == 1
    findings = [f"every case got {scores[0]:g}"] if is_constant else []
    if n > 1 and top >= CROWDED * n:
        findings.append(f"the top grade was given in {top} of {n} cases")
    if unused and not is_constant:
        findings.append(f"grades never given: {', '.join(map(str, unused))}")
    return Distribution(
        n=n,
        counts=counts,
        mean=math.fsum(scores) / n if n else None,
        top_share=top / n if n else None,
        unused=unused,
        is_constant=is_constant,
        findings=tuple(findings),
    )


class Consistency(Struct, frozen=True, kw_only=True):
    """How steady a judge is when it sees the same answer again."""

    flip_rate: Estimate
    """Share of the cases judged more than once that did not get the same verdict each time."""
    disagreement: Estimate
    """Mean over these cases of the share of unequal pairs of verdicts: what two judgments differ by."""


def consistency(repeats: Sequence[Sequence[str | None]], plan: Resampling) -> Consistency:
    """`repeats` has one row a case: its verdicts, None where there is none.

    >>> consistency([["pass", "pass"], ["pass", "fail"]], Resampling(seed=0)).flip_rate.value
    0.5
    """
    judged = [[verdict for verdict in row if verdict is not None] for row in repeats]
    again = [row for row in judged if len(row) > 1]
    return Consistency(
        flip_rate=_or_never(share([len(set(row)) > 1 for row in again], plan)),
        disagreement=_or_never(share([_unequal(row) for row in again], plan)),
    )


def _unequal(row: Sequence[str]) -> float:
    pairs = list(combinations(row, 2))
    return sum(a != b for a, b in pairs) / len(pairs)


def _or_never(found: Estimate) -> Estimate:
    return found if found.n else Estimate(value=None, n=0, reason="no case was judged more than once")
