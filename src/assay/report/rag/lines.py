"""What the report needs of every question, however many there are: a line of a few bytes each."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from assay.judges import DIMENSIONS

GRADES = ("overall_score", *DIMENSIONS)


class Line(Struct, frozen=True, kw_only=True, gc=False):
    """A question in short."""

    question_type: str
    difficulty: str
    status: str
    mrr: float | None
    time: float | None
    grades: tuple[float | None, ...]
    """In the order of `GRADES`."""
    error: str | None


Lines = Sequence[Line]


def line_of(row: Mapping[str, Any]) -> Line:
    judgment = row["judgment"] or {}
    return Line(
        question_type=sys.intern(row["question_type"]),
        difficulty=sys.intern(row["difficulty"]),
        status=sys.intern(row["status"]),
        mrr=row["mrr"],
        time=row["time"],
        grades=_shared(tuple(judgment.get(name) for name in GRADES)),
        error=row["error"]["message"][:200] if row["error"] else None,
    )


@lru_cache(maxsize=1024)
def _shared(grades: tuple[float | None, ...]) -> tuple[float | None, ...]:
    """Many answers are graded alike: one tuple for all of them."""
    return grades
