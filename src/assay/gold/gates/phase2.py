"""Phase 2: are the unanswerable questions really that, and of several kinds?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.gold.evidence import Evidence, is_adversarial
from assay.gold.gates.protocol import Checked, Failure, Limits, gate
from assay.gold.gates.shares import all_present, share_of, within
from assay.gold.leaves import PUBLISHED, UNANSWERABLE
from assay.gold.schema import Question
from assay.gold.support import COVERAGE, Claim, examine

FALSE_PREMISE = "FALSE_PREMISE"


def category(question: Question) -> str | None:
    """One of the six; a published name stands for its nearest."""
    name = question.classification.hard_type
    return PUBLISHED.get(name, name) if name else None


@gate("G2-1", "blocking", "every question of phase 2 is_impossible, and is marked as such throughout")
def impossible(evidence: Evidence, limits: Limits) -> Checked:  # noqa: ARG001
    failures = tuple(
        Failure(question=question.id, what=what, value=value, limit=limit)
        for question in evidence.questions
        for what, value, limit in _contradictions(question)
    )
    return Checked(value=len(failures), failures=failures)


def _contradictions(question: Question) -> Iterator[tuple[str, str | None, str]]:
    kind = question.classification
    if not question.content.is_impossible:
        if is_adversarial(question):
            value = kind.hard_type if kind.hard_type != "ANSWERABLE" else kind.answer_type
            yield "labelled unanswerable, but is_impossible is false", value, "is_impossible"
        return
    if category(question) not in UNANSWERABLE:
        yield "is_impossible, but its category is none of the six", kind.hard_type, " or ".join(UNANSWERABLE)
    if kind.answer_type != "unanswerable":
        yield "is_impossible, but has an answer type", kind.answer_type, "unanswerable"
    if (question.content.expected_answer or "").strip():
        yield "is_impossible, but has an answer", question.content.expected_answer, "empty"


@gate("G2-2", "warning", "unanswerable {at_least} – {at_most} of all", at_least=0.25, at_most=0.33)
def share(evidence: Evidence, limits: Limits) -> Checked:
    found = share_of(len(evidence.impossible), evidence.questions)
    return within("unanswerable questions", found, limits, "no question")


@gate("G2-3", "warning", "≥ {categories} categories of unanswerable questions", categories=4)
def categories(evidence: Evidence, limits: Limits) -> Checked:
    if not evidence.impossible:
        return Checked(undefined="no unanswerable question")
    found = {name for question in evidence.impossible if (name := category(question))}
    return all_present("categories", found, UNANSWERABLE, int(limits["categories"]))


@gate(
    "G2-4",
    "warning",
    "no unanswerable question is answered anywhere: < {words} of its words in one place, < {twin} like one that is",
    blocks_by_model=True,
    words=0.95,
    twin=0.90,
)
def absent(evidence: Evidence, limits: Limits) -> Checked:
    """Blocking where a model read the passages; a rule knows only answers that are worded like the question."""
    if not evidence.impossible:
        return Checked(undefined="no unanswerable question")
    failures = [*_answered(evidence, limits), *_twins(evidence, limits), *_premises(evidence)]
    by_model = any(absence.by == "model" for absence in evidence.absences.values())
    return Checked(value=len(failures), failures=tuple(failures), by_model=by_model)


def _answered(evidence: Evidence, limits: Limits) -> Iterator[Failure]:
    for question in evidence.impossible:
        found = evidence.absences.get(question.id)
        if found is None or found.fault:
            fault = found.fault if found else "it was not searched for"
            yield Failure(question=question.id, what=f"not proved: {fault}", limit="searched in the whole corpus")
        elif found.share >= limits["words"]:
            what = f"answered in '{found.chunk_id}': {found.quote[:300]}"
            yield Failure(question=question.id, what=what, value=found.share, limit=f"< {limits['words']:g}")


def _twins(evidence: Evidence, limits: Limits) -> Iterator[Failure]:
    """Two questions that ask the same cannot be answerable and not."""
    rows = [n for n, question in enumerate(evidence.questions) if not question.content.is_impossible]
    if not rows:
        return
    answerable = evidence.vectors[rows]
    for row, question in enumerate(evidence.questions):
        if question.content.is_impossible:
            cosines = answerable @ evidence.vectors[row]
            at = int(np.argmax(cosines))
            value = round(float(cosines[at]), 6)
            if value >= limits["twin"]:
                what = f"asks the same as the answerable '{evidence.questions[rows[at]].id}'"
                yield Failure(question=question.id, what=what, value=value, limit=f"< {limits['twin']:g}")


def _premises(evidence: Evidence) -> Iterator[Failure]:
    """A false premise must carry what contradicts it: a quote, or words that stand in its chunk."""
    for question, raw in zip(evidence.questions, _raws(evidence), strict=True):
        if not question.content.is_impossible or category(question) != FALSE_PREMISE:
            continue
        chunk = evidence.chunk(question)
        quote = raw or question.provenance.answer_explanation or ""
        if not quote.strip():
            what = "nothing contradicts its premise"
            yield Failure(question=question.id, what=what, limit="a quote or corpus truth")
        elif chunk and raw and not examine(Claim(answer=raw), chunk.text, evidence.language(chunk)).method(COVERAGE):
            what = "what should contradict its premise does not stand in its chunk"
            yield Failure(question=question.id, what=what, value=quote[:200], limit="a quote of the chunk")


def _raws(evidence: Evidence) -> list[str]:
    """The contradicting quotes, which schema v2 has no leaf for and files keep beside its own."""
    holders = (raw.get("provenance") if isinstance(raw, dict) else None for raw in evidence.raws)
    quotes = (holder.get("contradiction") if isinstance(holder, dict) else None for holder in holders)
    return [quote if isinstance(quote, str) else "" for quote in quotes]
