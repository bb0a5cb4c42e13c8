"""Phase 4: is every leaf of the schema there, with a value that is allowed and fits the others?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.gold.evidence import Evidence
from assay.gold.gates.protocol import Checked, Failure, Limits, gate
from assay.gold.leaves import LEAVES, faults
from assay.gold.schema import Question
from assay.metrics.answers.claims import numbers

BY_DESIGN = "by_design_input"
_SHORT = re.compile(
    r"\W*(?:yes|no|oui|non|true|false|vrai|faux|may|june|july|march|april|mars|avril|mai|juin|août|lundi|mardi|jeudi)\W*",
    re.IGNORECASE,
)
"""Answers that may be shorter than six characters: yes or no, a month, a day; and whatever holds a number."""


@gate("G4-1", "blocking", "{leaves} of 46 leaves in every question", leaves=46)
def complete(evidence: Evidence, limits: Limits) -> Checked:
    """A leaf counts when its key is there and its value is allowed; one that contradicts another is not."""
    counts, failures = [], []
    for question, raw in zip(evidence.questions, evidence.raws, strict=True):
        wrong = {fault.path: fault.reason for fault in faults(raw)}
        for path, reason in _incoherent(question):
            wrong.setdefault(path, reason)
        counts.append(len(LEAVES) - len(wrong))
        if counts[-1] < limits["leaves"]:
            what = "; ".join(f"{path} {reason}" for path, reason in wrong.items())
            limit = f"{limits['leaves']:g} / 46"
            failures.append(Failure(question=question.id, what=what, value=f"{counts[-1]} / 46", limit=limit))
    return Checked(value=f"{min(counts, default=0)} / 46", failures=tuple(failures))


def _incoherent(question: Question) -> Iterator[tuple[str, str]]:
    """(leaf, what is wrong with it) where two leaves cannot both be right."""
    mcq, content = question.mcq, question.content
    if mcq and mcq.choices:
        if mcq.mcq_answer not in mcq.choices:
            yield "mcq.mcq_answer", f"is '{mcq.mcq_answer}'; expected one of {', '.join(mcq.choices)}"
        elif mcq.correct_answer != mcq.choices[mcq.mcq_answer]:
            yield "mcq.correct_answer", f"is '{mcq.correct_answer}'; expected choices.{mcq.mcq_answer}"
    answer = (content.expected_answer or "").strip()
    if not content.is_impossible and len(answer) <= 5 and not (numbers(answer) or _SHORT.fullmatch(answer)):
        yield "content.expected_answer", f"is '{answer}'; expected more than 5 characters, a number, date or yes/no"
    if not content.is_impossible and question.classification.answer_type == "unanswerable":
        yield "classification.answer_type", "is 'unanswerable' of an answerable question"


@gate("G4-2", "warning", f"every chunk_match_method is {BY_DESIGN}")
def by_design(evidence: Evidence, limits: Limits) -> Checked:  # noqa: ARG001
    """The chunk was the input: the link was never guessed afterwards."""
    failures = tuple(
        Failure(question=q.id, what="chunk_match_method", value=q.processing.chunk_match_method, limit=BY_DESIGN)
        for q in evidence.questions
        if q.processing.chunk_match_method != BY_DESIGN
    )
    return Checked(value=1 - len(failures) / max(1, len(evidence.questions)), failures=failures)
