"""The words of Assay as records: passed forward, never changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

Lane = Literal["document", "memory", "code"]
Status = Literal["ok", "undefined", "unparsed", "error"]


class Chunk(Struct, frozen=True, kw_only=True):
    """A unit of a corpus."""

    id: str
    text: str
    source: str
    page: int | None = None
    tokens: int = 0
    lane: Lane = "document"
    metadata: dict[str, Any] = {}


class PageRef(Struct, frozen=True, order=True):
    """A page of a document."""

    document: str
    page: int


class Case(Struct, frozen=True, kw_only=True):
    """One thing to evaluate: a question and its truth."""

    id: str
    question: str
    expected: dict[str, int] = {}
    """Relevant chunk id → grade; grade 0 is judged and not relevant."""
    pages: tuple[PageRef, ...] = ()
    answer: str | None = None
    accepted: tuple[str, ...] = ()
    """Other answers that are right too."""
    answerable: bool = True
    category: str | None = None
    """Of an unanswerable question: FALSE_PREMISE, AMBIGUOUS, ..."""
    truth: str | None = None
    """Of an unanswerable question: what the corpus really says."""
    sources: tuple[str, ...] = ()
    """Documents that must be found, where chunks are not known."""
    tags: dict[str, str] = {}
    """What segments are made of: reasoning_class, difficulty, session, source, ..."""
    lane: Lane | None = None

    @property
    def references(self) -> tuple[str, ...]:
        """What a right answer says; of an unanswerable question, what the corpus does say."""
        told = (self.answer, *self.accepted) if self.answerable else (self.truth,)
        return tuple(text for text in told if text)

    @property
    def expected_ids(self) -> tuple[str, ...]:
        return tuple([id_ for id_, grade in self.expected.items() if grade > 0])


class Ranking(Struct, frozen=True):
    """What a retriever gave for one query, best first. Ties stand by score, then id, both descending."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    scale: str
    """What the score column measures: bm25, cosine, rrf, ... Two scales never share a column."""


class Fault(Struct, frozen=True):
    """What went wrong with one case, in place of its output: the others go on."""

    phase: str
    """What was being done: retrieve, rerank, ..."""
    message: str


class Score(Struct, frozen=True):
    """A measure of an output. Undefined is None with a reason: never NaN, never a silent 0."""

    value: float | None
    status: Status = "ok"
    reason: str | None = None

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"a score must be finite or None, not {self.value}")
        if (self.value is None) == (self.status == "ok"):
            raise ValueError(f"a score is a value or a reason: value={self.value}, status={self.status}")


class Interval(Struct, frozen=True):
    """A mean with its confidence interval and its denominators. `None`: nothing could be scored."""

    mean: float | None
    low: float | None
    high: float | None
    n_scored: int
    n_cases: int


class Step(Struct, frozen=True):
    """How far something is that takes a while."""

    what: str
    done: int
    total: int
    spent: float | None = None
    """US dollars so far; None: nothing here is paid for."""
    errors: int = 0
    last: dict[str, Any] | None = None
    """The newest row of the results, where there are any."""


Progress = Callable[[Step], None]
"""Told of each step; whether and how it is shown is not known below."""
