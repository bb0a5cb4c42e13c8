"""Cases as a person writes them: `id`, `question`, and what is known of the truth."""

from __future__ import annotations

from pathlib import Path

from assay.gold.cases import load_cases
from assay.gold.formats.protocol import FORMATS, Bundle, Format, Order, Raw, blank, several
from assay.records import Case

NAME = "cases"


def read(path: Path, order: Order) -> Bundle:  # noqa: ARG001
    return Bundle(raws=tuple(_raw(case) for case in load_cases(path, "answers").cases))


def _raw(case: Case) -> Raw:
    """Schema v2 has one chunk for a question, and no place for grades, tags of the user's own and lanes."""
    raw = blank(case.id, case.question)
    raw["content"] |= several((case.answer or "", *case.accepted)) | {"is_impossible": not case.answerable}
    raw["provenance"] |= {
        "chunk_id": next(iter(case.expected_ids), None),
        "docs": [page.document for page in case.pages] or list(case.sources),
        "pages": [page.page for page in case.pages],
        "answer_explanation": case.truth,
    }
    if not case.answerable:
        raw["classification"]["hard_type"] = case.category
    beside = {"grades": case.expected, "tags": case.tags, "lane": case.lane}
    kept = {key: value for key, value in beside.items() if value}
    return raw | ({NAME: kept} if kept else {})


FORMATS.register(NAME)(Format(name=NAME, read=read))
