"""Is a confidence worth anything? Accuracy by level for words; reliability, ECE, Brier and AUROC for numbers.

Undefined is None: no score is made up from nothing, and a level with too few records says so.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

ORDER = ("high", "medium", "low")


class Level(Struct, frozen=True, kw_only=True):
    """The records an extractor was so sure of."""

    name: str
    n: int
    right: int
    minimum: int

    @property
    def enough(self) -> bool:
        return self.n >= self.minimum

    @property
    def accuracy(self) -> float | None:
        return self.right / self.n if self.n else None


class Bin(Struct, frozen=True, kw_only=True):
    """One piece of the reliability curve; empty ones have no means."""

    low: float
    high: float
    n: int
    confidence: float | None
    accuracy: float | None


class Numbers(Struct, frozen=True, kw_only=True):
    """What confidences from 0 to 1 are worth."""

    n: int
    accuracy: float | None
    mean_confidence: float | None
    ece: float | None
    brier: float | None
    auroc: float | None
    """None where all records are right, or all wrong: then nothing can be told apart."""
    curve: tuple[Bin, ...]
    enough: bool


def levels(words: Sequence[tuple[str, bool]], minimum: int = 10) -> tuple[Level, ...]:
    """High before medium before low, then any other word by name.

    >>> [(each.name, each.n, each.accuracy) for each in levels([("low", False), ("high", True), ("high", False)])]
    [('high', 2, 0.5), ('low', 1, 0.0)]
    """
    names = {name for name, _ in words}
    ordered = [*(name for name in ORDER if name in names), *sorted(names - set(ORDER))]
    return tuple(
        Level(
            name=name,
            n=sum(1 for word, _ in words if word == name),
            right=sum(1 for word, right in words if word == name and right),
            minimum=minimum,
        )
        for name in ordered
    )


def numbers(confidences: Sequence[float], right: Sequence[bool], *, bins: int = 10, minimum: int = 10) -> Numbers:
    """All measures of the same records."""
    curve = reliability(confidences, right, bins)
    n = len(confidences)
    return Numbers(
        n=n,
        accuracy=sum(right) / n if n else None,
        mean_confidence=math.fsum(confidences) / n if n else None,
        ece=ece(curve),
        brier=brier(confidences, right),
        auroc=auroc(confidences, right),
        curve=curve,
        enough=n >= minimum,
    )


def reliability(confidences: Sequence[float], right: Sequence[bool], bins: int = 10) -> tuple[Bin, ...]:
    """Mean confidence and accuracy in bins of equal width, closed above as in scikit-learn's `calibration_curve`."""
    step = 1.0 / bins
    edges = [number * step for number in range(1, bins)]
    members: list[list[int]] = [[] for _ in range(bins)]
    for place, confidence in enumerate(confidences):
        members[bisect_left(edges, confidence)].append(place)
    return tuple(
        Bin(
            low=number / bins,
            high=(number + 1) / bins,
            n=len(places),
            confidence=math.fsum(confidences[place] for place in places) / len(places) if places else None,
            accuracy=sum(right[place] for place in places) / len(places) if places else None,
        )
        for number, places in enumerate(members)
    )


def ece(curve: Sequence[Bin]) -> float | None:
    """Expected calibration error: Σ n_b / n · |accuracy_b − confidence_b| (Naeini et al. 2015)."""
    total = sum(each.n for each in curve)
    if not total:
        return None
    return (
        math.fsum(
            each.n * abs(each.accuracy - each.confidence)
            for each in curve
            if each.accuracy is not None and each.confidence is not None
        )
        / total
    )


def brier(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """Mean of (confidence − right)² (Brier 1950): 0 is perfect, 0.25 is a coin that says 0.5."""
    if not confidences:
        return None
    return math.fsum((c - r) ** 2 for c, r in zip(confidences, right, strict=True)) / len(confidences)


def auroc(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """The chance that a right record has more confidence than a wrong one, ties counting half (Hanley & McNeil 1982).

    >>> auroc([0.9, 0.4, 0.4, 0.1], [True, True, False, False])
    0.875
    """
    good, bad = sum(right), len(right) - sum(right)
    if not good or not bad:
        return None
    order = sorted(range(len(confidences)), key=lambda place: confidences[place])
    total, start = 0.0, 0
    while start < len(order):
        stop = start
        while stop < len(order) and confidences[order[stop]] == confidences[order[start]]:
            stop += 1
        rank = (start + 1 + stop) / 2
        total += rank * sum(right[place] for place in order[start:stop])
        start = stop
    return (total - good * (good + 1) / 2) / (good * bad)
