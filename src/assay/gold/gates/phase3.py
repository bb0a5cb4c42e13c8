"""Phase 3: is every answer really in its chunk, and nothing invented?"""

from __future__ import annotations

from collections.abc import Iterator

from assay.gold.evidence import Evidence, absent
from assay.gold.gates.protocol import Checked, Failure, Limits, gate
from assay.gold.schema import Question
from assay.gold.wording import other_language


@gate(
    "G3-1",
    "blocking",
    "every answer is verbatim in its chunk, or coverage ≥ {coverage}, or similarity ≥ {similarity}",
    coverage=0.80,
    similarity=0.90,
)
def validated(evidence: Evidence, limits: Limits) -> Checked:
    """Coverage and similarity only with every number and negation right; an answer without content words never."""
    if not evidence.answerable:
        return Checked(undefined="no answerable question")
    rule = f"verbatim, coverage ≥ {limits['coverage']:g} or similarity ≥ {limits['similarity']:g}"
    failures = []
    for question in evidence.answerable:
        support = evidence.supports.get(question.id)
        if support is None:
            failures.append(Failure(question=question.id, what=absent(question), limit=rule))
        elif support.method(limits["coverage"], limits["similarity"]) is None:
            failures.append(Failure(question=question.id, what=support.reason, value=support.coverage, limit=rule))
    return Checked(value=1 - len(failures) / len(evidence.answerable), failures=tuple(failures))


@gate("G3-2", "blocking", "no hallucinated question: < {foreign} of an answer is foreign to its chunk", foreign=0.50)
def invented(evidence: Evidence, limits: Limits) -> Checked:
    """Hallucinated: from no chunk, refused before, with numbers nobody gave, or mostly of words the chunk lacks."""
    failures = tuple(failure for q in evidence.questions for failure in _invented(q, evidence, limits))
    return Checked(value=len(failures), failures=failures)


def _invented(question: Question, evidence: Evidence, limits: Limits) -> Iterator[Failure]:
    if evidence.chunk(question) is None:
        yield Failure(question=question.id, what="made from no chunk of this index", limit="a chunk")
        return
    if question.validation.status == "REJECTED":
        yield Failure(
            question=question.id, what="was rejected and is still here", value="REJECTED", limit="not rejected"
        )
    support = evidence.supports.get(question.id)
    if support is None or support.coverage is None or support.verbatim:
        return
    if support.numbers:
        value = ", ".join(support.numbers)
        yield Failure(question=question.id, what="numbers that its chunk does not give", value=value, limit="none")
    if 1 - support.coverage >= limits["foreign"]:
        what = f"words its chunk does not have: {', '.join(support.missing[:8])}"
        limit = f"< {limits['foreign']:g}"
        yield Failure(question=question.id, what=what, value=1 - support.coverage, limit=limit)


@gate("G3-3", "warning", "question and answer are in the language of their chunk")
def language(evidence: Evidence, limits: Limits) -> Checked:  # noqa: ARG001
    """Told only where the text is long enough to be sure; switch it off for questions across languages.

    The question by itself too: an answer that quotes the chunk is in its language whatever the question is in.
    """
    failures = []
    for question in evidence.questions:
        chunk = evidence.chunk(question)
        if chunk is None:
            continue
        wanted = evidence.language(chunk)
        asked, answer = question.content.question, question.content.expected_answer or ""
        if found := other_language(f"{asked} {answer}", wanted) or other_language(asked, wanted):
            failures.append(Failure(question=question.id, what="in another language", value=found, limit=wanted))
    return Checked(value=len(failures), failures=tuple(failures))
