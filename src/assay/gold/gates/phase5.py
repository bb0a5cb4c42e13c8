"""Phase 5: no duplicates, no copies of chunks, and a mix that measures something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.corpus.quotes import fold
from assay.gold.dedupe import duplicates
from assay.gold.evidence import Copied, Evidence
from assay.gold.gates.protocol import Checked, Failure, Limits, gate
from assay.gold.gates.shares import all_present, share_of, within
from assay.gold.leaves import COGNITIVE_LEVELS, QUESTION_TYPES
from assay.gold.schema import Question


@gate("G5-1", "warning", "no two questions with similarity ≥ {similarity}", similarity=0.95)
def twice(evidence: Evidence, limits: Limits) -> Checked:
    """By their vectors, and by their words alone where these have none."""
    failures = {failure.question: failure for failure in _same_words(evidence, limits)}
    for pair in duplicates(evidence.vectors, limits["similarity"]):
        later, first = evidence.questions[pair.row].id, evidence.questions[pair.of].id
        what, limit = f"asks the same as '{first}'", f"< {limits['similarity']:g}"
        failures.setdefault(later, Failure(question=later, what=what, value=pair.cosine, limit=limit))
    return Checked(value=len(failures), failures=tuple(failures.values()))


def _same_words(evidence: Evidence, limits: Limits) -> Iterator[Failure]:
    seen: dict[str, str] = {}
    for question in evidence.questions:
        first = seen.setdefault(fold(question.content.question), question.id)
        if first != question.id:
            what, limit = f"asks the same as '{first}'", f"< {limits['similarity']:g}"
            yield Failure(question=question.id, what=what, value=1.0, limit=limit)


@gate(
    "G5-2",
    "blocking",
    "similarity of question and chunk < {below}; no run of ≥ {words} words that is ≥ {share} of the question is copied",
    below=0.90,
    words=10,
    share=0.5,
)
def independent(evidence: Evidence, limits: Limits) -> Checked:
    """A question that quotes its chunk is found by any search: it measures nothing."""
    failures = tuple(failure for id_, copy in evidence.copies.items() for failure in _copies(id_, copy, limits))
    values = [copy.similarity for copy in evidence.copies.values() if copy.similarity is not None]
    return Checked(value=max(values, default=None), failures=failures)


def _copies(id_: str, copy: Copied, limits: Limits) -> Iterator[Failure]:
    if copy.similarity is not None and copy.similarity >= limits["below"]:
        yield Failure(question=id_, what="too like its chunk", value=copy.similarity, limit=f"< {limits['below']:g}")
    if copy.words >= limits["words"] and copy.share >= limits["share"]:
        limit = f"< {limits['words']:g} words, or < {limits['share']:g} of the question"
        yield Failure(question=id_, what="quotes its chunk", value=f"{copy.words} words", limit=limit)


@gate("G5-3", "warning", "fact_single < {below} of the answerable", below=0.60)
def facts(evidence: Evidence, limits: Limits) -> Checked:
    found = sum(q.classification.reasoning_class == "fact_single" for q in evidence.answerable)
    share = share_of(found, evidence.answerable)
    return within("fact_single among the answerable", share, limits, "no answerable question")


@gate("G5-4", "warning", "hard (difficulty ≥ {difficulty}) ≥ {at_least} of all", difficulty=0.7, at_least=0.10)
def hard(evidence: Evidence, limits: Limits) -> Checked:
    return within("hard questions", _hard(evidence.questions, limits), limits, "no question")


def _hard(questions: Sequence[Question], limits: Limits) -> float | None:
    found = sum((question.difficulty or 0.0) >= limits["difficulty"] for question in questions)
    return share_of(found, questions)


@gate("G5-5", "warning", "unanswerable {at_least} – {at_most} of all", at_least=0.25, at_most=0.33)
def unanswerable(evidence: Evidence, limits: Limits) -> Checked:
    found = share_of(len(evidence.impossible), evidence.questions)
    return within("unanswerable questions", found, limits, "no question")


@gate("G5-6", "warning", "all {levels} cognitive levels are there", levels=4)
def levels(evidence: Evidence, limits: Limits) -> Checked:
    found = {str(question.classification.cognitive_level) for question in evidence.questions}
    return all_present("cognitive levels", found, COGNITIVE_LEVELS, int(limits["levels"]))


@gate("G5-7", "warning", "all {types} question types are there", types=4)
def types(evidence: Evidence, limits: Limits) -> Checked:
    found = {str(question.classification.question_type) for question in evidence.questions}
    return all_present("question types", found, QUESTION_TYPES, int(limits["types"]))


@gate(
    "G5-8", "warning", "hard (difficulty ≥ {difficulty}) ≥ {at_least} of the answerable", difficulty=0.7, at_least=0.10
)
def hard_answerable(evidence: Evidence, limits: Limits) -> Checked:
    """A set whose hard questions are all unanswerable is not hard."""
    share = _hard(evidence.answerable, limits)
    return within("hard questions among the answerable", share, limits, "no answerable question")
