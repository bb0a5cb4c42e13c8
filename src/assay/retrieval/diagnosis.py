"""Why a question failed: one diagnosis for each whose expected chunk is not among the first five."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.corpus.documents import same_document
from assay.records import Case, Chunk

CUT = 5
NEAR = 20
SHOWN = 3
MEANING = {
    "missing_from_index": "the expected chunk is not in the index: an ingestion problem",
    "vocabulary_gap": "question and expected chunk have no content word in common",
    "sibling_chunk": "a chunk of the same parent or page came back instead",
    "ranked_low": f"the expected chunk stands just below the cut, at rank {CUT + 1} to {NEAR}",
    "same_document_wrong_page": "the right document came back, at another place",
    "wrong_document": "only other documents came back",
}
"""In the order in which they are tried: the first that holds is the diagnosis."""


class Evidence(Struct, frozen=True, kw_only=True):
    """What is known about one failed question."""

    case: Case
    retrieved_ids: Sequence[str]
    """The first few, best first."""
    retrieved: Sequence[Chunk]
    """Those of them that are in the index."""
    expected: Sequence[Chunk]
    """Those of the expected chunks that are in the index."""
    rank: int | None
    """Best rank of an expected chunk in a deep search; None: not found there."""
    shared_words: frozenset[str]
    similarity: float | None


def is_failure(scores: Mapping[str, float | None]) -> bool:
    """No expected chunk in the first five."""
    return scores.get(f"hit@{CUT}") == 0


def is_missed(scores: Mapping[str, float | None]) -> bool | None:
    """Nothing expected in the first five: no chunk or, where no chunk is known, no page; None: neither is known."""
    found = scores.get(f"hit@{CUT}")
    found = scores.get(f"page_recall@{CUT}") if found is None else found
    return None if found is None else found == 0


def diagnose(evidence: Evidence) -> str:
    """The first meaning that holds."""
    if not evidence.expected:
        return "missing_from_index"
    if not evidence.shared_words:
        return "vocabulary_gap"
    top = evidence.retrieved[:CUT]
    if any(_siblings(found, wanted) for found in top for wanted in evidence.expected):
        return "sibling_chunk"
    if evidence.rank is not None and evidence.rank <= NEAR:
        return "ranked_low"
    if any(same_document(found.source, wanted.source) for found in top for wanted in evidence.expected):
        return "same_document_wrong_page"
    return "wrong_document"


def explain(evidence: Evidence, diagnosis: str) -> str:
    """What the diagnosis means for this question."""
    if diagnosis == "wrong_document" and not evidence.retrieved:
        return "what came back is not in the index" if evidence.retrieved_ids else "nothing came back at all"
    return MEANING[diagnosis]


def _siblings(a: Chunk, b: Chunk) -> bool:
    if not same_document(a.source, b.source):
        return False
    parent = a.metadata.get("parent")
    return (parent is not None and parent == b.metadata.get("parent")) or (a.page is not None and a.page == b.page)


def record(evidence: Evidence, variant: str, scores: Sequence[float], scale: str) -> dict[str, Any]:
    """The line of `failures.jsonl`."""
    diagnosis = diagnose(evidence)
    known = {chunk.id: chunk for chunk in evidence.retrieved}
    return {
        "variant": variant,
        "case_id": evidence.case.id,
        "question": evidence.case.question,
        "answer": evidence.case.answer,
        "tags": evidence.case.tags,
        "diagnosis": diagnosis,
        "explanation": explain(evidence, diagnosis),
        "rank": evidence.rank,
        "similarity": evidence.similarity,
        "shared_words": sorted(evidence.shared_words),
        "expected_ids": list(evidence.case.expected_ids),
        "expected": [_shown(chunk) for chunk in evidence.expected],
        "scale": scale,
        "retrieved": [
            (_shown(known[id_]) if id_ in known else _unknown(id_)) | {"rank": rank, "score": score}
            for rank, (id_, score) in enumerate(zip(evidence.retrieved_ids[:SHOWN], scores, strict=False), 1)
        ],
    }


def _shown(chunk: Chunk) -> dict[str, Any]:
    return {"id": chunk.id, "in_index": True, "source": chunk.source, "page": chunk.page, "text": chunk.text}


def _unknown(id_: str) -> dict[str, Any]:
    return {"id": id_, "in_index": False, "source": None, "page": None, "text": ""}
