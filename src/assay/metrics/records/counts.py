"""Right, wrong and missed records, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from assay.metrics.records.matching import Matching


class Counts(Struct, frozen=True):
    """Of one sample or of many. A pair outside tolerance is one false positive and one false negative."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0

    @classmethod
    def of(cls, found: Matching) -> Counts:
        right = sum([pair.matched for pair in found.pairs])
        wrong = len(found.pairs) - right
        return cls(right, wrong + len(found.extra), wrong + len(found.missed))

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
        )

    @property
    def precision(self) -> float:
        """TP / (TP + FP); 1 where nothing was predicted: nothing of it is wrong."""
        predicted = self.true_positives + self.false_positives
        return self.true_positives / predicted if predicted else 1.0

    @property
    def recall(self) -> float:
        """TP / (TP + FN); 1 where nothing is expected: nothing is missed."""
        expected = self.true_positives + self.false_negatives
        return self.true_positives / expected if expected else 1.0

    @property
    def f1(self) -> float:
        """2·P·R / (P + R); 0 where both are 0.

        >>> Counts(2, 1, 1).f1, Counts().f1, Counts(0, 0, 3).f1, Counts(0, 2, 0).f1
        (0.6666666666666666, 1.0, 0.0, 0.0)
        """
        precision, recall = self.precision, self.recall
        total = precision + recall
        return 2 * precision * recall / total if total else 0.0


def micro(counts: Iterable[Counts]) -> Counts:
    """All samples as one."""
    return sum(counts, start=Counts())
