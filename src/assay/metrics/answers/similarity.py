"""Answer similarity: the cosine of two vectors, whoever made them."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.answers.overlap import NO_REFERENCE
from assay.records import Score


def cosine(first: ArrayLike, second: ArrayLike) -> float | None:
    """a·b / (|a|·|b|), from −1 to 1; None if either has no length."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    lengths = sqrt(a @ a) * sqrt(b @ b)
    return max(-1.0, min(1.0, float(a @ b) / lengths)) if lengths else None


def answer_similarity(answer: ArrayLike, references: Sequence[ArrayLike]) -> Score:
    """The highest cosine of the answer's vector with a reference's; undefined without a reference.

    >>> answer_similarity([3.0, 4.0], [[4.0, 3.0], [0.0, 1.0]]).value
    0.96
    """
    if not len(references):
        return Score(None, "undefined", NO_REFERENCE)
    found = [value for value in (cosine(answer, reference) for reference in references) if value is not None]
    return Score(max(found)) if found else Score(None, "undefined", "a text without a vector")
