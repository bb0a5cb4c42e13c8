"""A judgment, what it is about, and what every judge is."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from assay.llm.protocol import ChatReply, RetryInfo, Usage
from assay.metrics.answers import Behaviour

Verdict = Literal["pass", "partial", "fail"]
JudgmentStatus = Literal["ok", "unparsed", "error"]

DIMENSIONS = ("correctness", "completeness", "faithfulness", "relevance", "clarity")
LOWEST, HIGHEST = 1.0, 5.0


class Grades(Struct, frozen=True, kw_only=True):
    """Five dimensions and an overall score, from 1 to 5. A dimension that could not be graded is None."""

    correctness: float | None
    completeness: float | None
    faithfulness: float | None
    relevance: float | None
    clarity: float | None
    overall_score: float

    def __post_init__(self) -> None:
        for name in (*DIMENSIONS, "overall_score"):
            grade = getattr(self, name)
            if grade is not None and not LOWEST <= grade <= HIGHEST:
                raise ValueError(f"{name} is {grade}; a grade lies from 1 to 5")


class Answer(Struct, frozen=True, kw_only=True):
    """What is judged: an answer, with everything a judge needs to know about its question."""

    case_id: str
    question: str
    text: str
    references: tuple[str, ...] = ()
    """What a right answer says; of an unanswerable question, what the corpus does say."""
    context: str | None = None
    """What the generator saw. None: not known."""
    answerable: bool = True
    category: str | None = None
    """Of an unanswerable question: FALSE_PREMISE, AMBIGUOUS, ..."""


class Judgment(Struct, frozen=True, kw_only=True):
    """What a judge said of one answer, and the verdict the rule makes of it. Without grades `reason` says why."""

    correctness: float | None = None
    completeness: float | None = None
    faithfulness: float | None = None
    relevance: float | None = None
    clarity: float | None = None
    overall_score: float | None = None
    verdict: Verdict | None = None
    reason: str
    behaviour: Behaviour | None = None
    status: JudgmentStatus = "ok"
    judge: str
    fingerprint: str
    rule: str
    """Fingerprint of the verdict rule, which is no part of the judge's."""

    def __post_init__(self) -> None:
        complete = self.overall_score is not None and self.verdict is not None and self.behaviour is not None
        if complete != (self.status == "ok"):
            raise ValueError(f"a judgment has grades, or a status that says why not: {self.status}")

    @property
    def grades(self) -> Grades | None:
        if self.overall_score is None:
            return None
        return Grades(overall_score=self.overall_score, **{name: getattr(self, name) for name in DIMENSIONS})


class Judged(Struct, frozen=True, kw_only=True):
    """A judgment with what it took. `reply` is None where no model was asked, or none replied."""

    judgment: Judgment
    reply: ChatReply | None = None
    retry: RetryInfo = RetryInfo()

    @property
    def usage(self) -> Usage:
        """All tokens paid for, those of unreadable replies among them."""
        last = self.reply.usage if self.reply and self.reply.usage else Usage()
        return last + self.retry.discarded


class Judge(Protocol):
    """Grades answers. Equal fingerprints mean that the same answer is graded in the same way."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    async def judge(self, answer: Answer, repeat: int = 0) -> Judged:
        """`repeat` above 0 asks once more on purpose, to see how steady the judge is."""
        ...
