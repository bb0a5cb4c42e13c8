"""Phase 1: is each answerable question bound to its chunk, and worded well?"""

from __future__ import annotations

from collections.abc import Iterator

from assay.corpus.documents import same_document
from assay.gold.evidence import Evidence, absent
from assay.gold.gates.protocol import Checked, Failure, Limits, gate
from assay.gold.gates.shares import share_of, within
from assay.gold.schema import Question
from assay.gold.support import Support
from assay.gold.wording import pointing
from assay.records import Chunk


@gate("G1-1", "blocking", "chunk_match_score = {score} for all, measured again", score=100)
def chunk_match(evidence: Evidence, limits: Limits) -> Checked:
    """100: the chunk is in the index, it is of the named document and page, and the answer stands in it."""
    scores = {question.id: _score(question, evidence) for question in evidence.questions}
    failures = tuple(
        Failure(question=id_, what=what, value=score, limit=f"= {limits['score']:g}")
        for id_, (score, what) in scores.items()
        if score < limits["score"]
    )
    return Checked(value=min((score for score, _ in scores.values()), default=None), failures=failures)


def _score(question: Question, evidence: Evidence) -> tuple[float, str]:
    chunk = evidence.chunk(question)
    if chunk is None:
        return 0.0, absent(question)
    if wrong := next(_misplaced(question, chunk, evidence), None):
        return 0.0, wrong
    support = evidence.supports.get(question.id)
    if support is None or support.method():
        return 100.0, ""
    return round(min(99.0, 100 * (support.coverage or 0.0)), 1), support.reason


def _misplaced(question: Question, chunk: Chunk, evidence: Evidence) -> Iterator[str]:
    """What the question says of its chunk, and the chunk's own record does not."""
    docs, pages = question.provenance.docs, question.provenance.pages
    if docs and chunk.source and not same_document(docs[0], chunk.source):
        yield f"the chunk is of '{chunk.source}', not of '{docs[0]}'"
    if pages and chunk.page is not None and not set(pages) & set(_pages(chunk)):
        yield f"the chunk is on page {_span(chunk)}, not on {', '.join(map(str, pages))}"
    known = evidence.grounds.pages(docs or (chunk.source,)) if pages else None
    if known and (beyond := [page for page in pages if page not in known]):
        yield f"page {', '.join(map(str, beyond))} is not in the index, which has pages {known[0]} to {known[-1]}"


def _pages(chunk: Chunk) -> range:
    first = chunk.page or 0
    told = chunk.metadata.get("pages")
    pages = [page for page in told if isinstance(page, int)] if isinstance(told, list) else []
    return range(min([first, *pages]), max([first, *pages]) + 1)


def _span(chunk: Chunk) -> str:
    pages = _pages(chunk)
    return f"{pages[0]}–{pages[-1]}" if len(pages) > 1 else str(pages[0])


@gate("G1-2", "blocking", "the answer stands verbatim in its chunk, or similarity ≥ {similarity}", similarity=0.95)
def verbatim(evidence: Evidence, limits: Limits) -> Checked:
    """With its best window of sentences; a wrong number or a turned negation is never excused by a vector."""
    least = limits["similarity"]
    failures = tuple(
        Failure(question=id_, what=f"not verbatim: {s.reason}", value=s.similarity, limit=f"verbatim, or ≥ {least:g}")
        for id_, s in evidence.supports.items()
        if not _is_quoted(s, least)
    )
    if not evidence.supports:
        return Checked(
            undefined="no answerable question has a chunk" if evidence.answerable else "no answerable question"
        )
    return Checked(value=1 - len(failures) / len(evidence.supports), failures=failures)


def _is_quoted(support: Support, least: float) -> bool:
    return support.method(coverage=2.0, similarity=least) is not None


@gate("G1-3", "warning", "fact_single < {below} of the answerable", below=0.60)
def facts(evidence: Evidence, limits: Limits) -> Checked:
    found = sum(q.classification.reasoning_class == "fact_single" for q in evidence.answerable)
    share = share_of(found, evidence.answerable)
    return within("fact_single among the answerable", share, limits, "no answerable question")


@gate("G1-4", "warning", "every question ends with “?” and has ≥ {characters} characters", characters=10)
def question_marks(evidence: Evidence, limits: Limits) -> Checked:
    least, failures = limits["characters"], []
    for question in evidence.questions:
        text = question.content.question.strip()
        if not text.endswith(("?", "？", "؟")):
            failures.append(
                Failure(question=question.id, what="no question mark", value=text[-20:], limit="ends with ?")
            )
        if len(text) < least:
            failures.append(Failure(question=question.id, what="too short", value=len(text), limit=f"≥ {least:g}"))
    return Checked(value=len(failures), failures=tuple(failures))


@gate("G1-5", "warning", "every answerable question can be understood alone")
def self_contained(evidence: Evidence, limits: Limits) -> Checked:  # noqa: ARG001
    """No “this document”, no “the passage above”, no pronoun with nothing to point to. An ambiguous question may."""
    found = ((question.id, pointing(question.content.question)) for question in evidence.answerable)
    failures = tuple(
        Failure(question=id_, what="points to something outside the question", value=words, limit="nothing")
        for id_, words in found
        if words
    )
    return Checked(value=len(failures), failures=failures)
