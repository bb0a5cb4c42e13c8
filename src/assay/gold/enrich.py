"""Phase 4: a validated candidate as a question of schema v2, all 46 leaves, none of them made up.

What was measured is written as measured, what the writer said of the question as its word, what nobody knows as null.
The chunk was the input, so the link to it is true by construction.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from assay.gold.candidate import PERSON, Candidate
from assay.records import Chunk

BY_DESIGN = "by_design_input"
"""The chunk was shown and the question made from it: the match is not an estimate."""


class Checked(Struct, frozen=True):
    """What phase 3 found: by which method, and the value it measured, if it measures one."""

    method: str
    value: float | None


class Stamp(Struct, frozen=True, kw_only=True):
    """What all questions of a build share."""

    corpus: str
    date: str
    ordinals: Mapping[str, int]
    """The place of each chunk among those of its source, from 1."""


def ordinals(ids: tuple[str, ...], sources: tuple[str, ...]) -> dict[str, int]:
    """Of every chunk of an index: its place in its own document. It changes only when the document does."""
    seen: Counter[str] = Counter()
    places = {}
    for id_, source in zip(ids, sources, strict=True):
        seen[source] += 1
        places[id_] = seen[source]
    return places


def question_id(candidate: Candidate, chunk: Chunk, stamp: Stamp) -> str:
    """`{corpus}:{source}:{category}:{seq}:{hash}`: of chunk and question alone, whatever else is in the set.

    `seq` is the place of the chunk in its document, so that ids sort as the document reads.
    """
    source = _part(chunk.source.rsplit("/", 1)[-1].rsplit(".", 1)[0] or chunk.source)
    return ":".join(
        (
            _part(stamp.corpus),
            source,
            category_of(candidate),
            f"{stamp.ordinals[chunk.id]:03d}",
            hashlib.sha256(f"{chunk.id}\0{candidate.question}".encode("utf-8", "backslashreplace")).hexdigest()[:8],
        )
    )


def category_of(candidate: Candidate) -> str:
    """The stratum, without the suffix of a file name."""
    return _part(re.sub(r"\.\w{1,5}$", "", candidate.stratum.rsplit("/", 1)[-1]))


def _part(text: str) -> str:
    """Nothing in a part may look like the mark between two."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-") or "none"


def enrich(candidate: Candidate, chunk: Chunk, checked: Checked, stamp: Stamp) -> dict[str, Any]:
    """The question as it stands in the file."""
    absent = candidate.is_impossible
    return {
        "id": question_id(candidate, chunk, stamp),
        "legacy_id": None,
        "content": {
            "question": candidate.question,
            "expected_answer": "" if absent else candidate.answer,
            "is_impossible": absent,
        },
        "mcq": dict.fromkeys(("original_question", "choices", "mcq_answer", "correct_answer", "original_answer")),
        "provenance": _provenance(candidate, chunk),
        "classification": {
            "category": category_of(candidate),
            "keywords": list(candidate.keywords),
            "difficulty": candidate.difficulty,
            "question_type": candidate.question_type,
            "cognitive_level": candidate.cognitive_level,
            "reasoning_type": candidate.reasoning_type,
            "reasoning_class": candidate.reasoning_class,
            "answer_type": candidate.answer_type,
            "hard_type": candidate.hard_type,
        },
        "validation": {
            "status": "VALIDATED",
            "method": checked.method,
            "reviewer": None,
            "answer_current": None if absent else True,
            "verified_date": stamp.date,
            "pages_verified": True if pages_of(chunk) else None,
            "batch": candidate.batch,
        },
        "processing": {
            "chunk_match_score": 100,
            "chunk_match_method": BY_DESIGN,
            "reasoning_class_method": "rule" if absent else "author" if candidate.model == PERSON else "model",
            "triplet_ready": not absent,
            "extraction_flags": [],
            "answer_source": None if absent else "chunk",
            "quality_score": None if absent or checked.value is None else round(checked.value, 4),
        },
        "audit": {
            "history": [{"written_by": candidate.model, "prompt": candidate.prompt}],
            "qat_revalidation": None,
            "requires_inference": candidate.reasoning_class in {"reasoning", "arithmetic"},
        },
    }


def _provenance(candidate: Candidate, chunk: Chunk) -> dict[str, Any]:
    """A false premise also keeps the quote that contradicts it."""
    found: dict[str, Any] = {
        "chunk_id": chunk.id,
        "docs": [chunk.source],
        "pages": pages_of(chunk),
        "article_reference": candidate.article_reference,
        "answer_explanation": candidate.corpus_truth if candidate.is_impossible else candidate.explanation,
        "annales_source": dict.fromkeys(("session", "uv", "question_num", "success_rate")),
    }
    return found | ({"contradiction": candidate.contradiction} if candidate.contradiction else {})


def pages_of(chunk: Chunk) -> list[int]:
    """The pages the chunk stands on, by its own record; none where its document has no pages."""
    if chunk.page is None:
        return []
    span = chunk.metadata.get("pages")
    whole = isinstance(span, list) and len(span) == 2 and all(isinstance(page, int) for page in span)
    return list(range(span[0], span[1] + 1)) if isinstance(span, list) and whole else [chunk.page]
