"""Phase 4: 46 leaves, each measured, said by the writer, or null; ids that stay."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.gold.candidate import Candidate, key_of
from assay.gold.enrich import Checked, Stamp, enrich, ordinals, pages_of, question_id
from assay.gold.leaves import faults
from assay.records import Chunk

CHUNK = Chunk(id="m-2", text="The skipper signs.", source="docs/safety manual.pdf", page=3)
STAMP = Stamp(corpus="orrin", date="2026-11-15", ordinals={"m-2": 2})


def candidate(**changes: Any) -> Candidate:
    given: dict[str, Any] = {
        "key": "k",
        "chunk_id": "m-2",
        "question": "Who signs?",
        "answer": "The skipper",
        "explanation": "It says so.",
        "keywords": ("skipper",),
        "difficulty": 0.3,
        "question_type": "factual",
        "cognitive_level": "Remember",
        "reasoning_type": "single-hop",
        "reasoning_class": "fact_single",
        "answer_type": "extractive",
        "stratum": "docs/safety manual.pdf",
        "batch": "1-000-x",
        "prompt": "answerable.en v1 abc",
        "model": "openai/m",
    }
    return Candidate(**given | changes)


ABSENT = {
    "answer": "",
    "hard_type": "FALSE_PREMISE",
    "corpus_truth": "The skipper signs.",
    "contradiction": "The skipper signs.",
    "explanation": None,
    "reasoning_type": "adversarial",
    "reasoning_class": "adversarial",
    "answer_type": "unanswerable",
}


@pytest.mark.parametrize("changes", [{}, ABSENT], ids=["answerable", "unanswerable"])
@pytest.mark.parametrize("chunk", [CHUNK, msgspec.structs.replace(CHUNK, page=None)], ids=["page", "no page"])
def test_all_46_leaves(changes: dict[str, Any], chunk: Chunk) -> None:
    assert faults(enrich(candidate(**changes), chunk, Checked("verbatim", 1.0), STAMP)) == ()


def test_values_are_measured_said_or_null() -> None:
    found = enrich(candidate(), CHUNK, Checked("coverage", 0.87654), STAMP)
    assert found["id"].startswith("orrin:safety-manual:safety-manual:002:")
    assert found["validation"]["method"] == "coverage"
    assert found["processing"]["quality_score"] == 0.8765
    assert found["processing"]["chunk_match_method"] == "by_design_input"
    assert found["processing"]["reasoning_class_method"] == "model"
    assert (found["legacy_id"], found["validation"]["reviewer"]) == (None, None)
    assert found["provenance"]["annales_source"] == dict.fromkeys(("session", "uv", "question_num", "success_rate"))


def test_an_unanswerable_question_keeps_its_chunk_as_context_and_no_answer() -> None:
    found = enrich(candidate(**ABSENT), CHUNK, Checked("absent_by_rule", 0.4), STAMP)
    assert found["content"] == {"question": "Who signs?", "expected_answer": "", "is_impossible": True}
    assert found["provenance"]["chunk_id"] == "m-2"
    assert found["provenance"]["answer_explanation"] == "The skipper signs."
    assert found["provenance"]["contradiction"] == "The skipper signs."
    assert found["processing"]["quality_score"] is None
    assert found["processing"]["answer_source"] is None
    assert found["processing"]["triplet_ready"] is False
    assert found["validation"]["answer_current"] is None


def test_an_id_depends_on_chunk_and_question_alone() -> None:
    first = question_id(candidate(), CHUNK, STAMP)
    same = candidate(difficulty=0.9, answer="Another", batch="9", model="x", prompt="y")
    assert question_id(same, CHUNK, STAMP) == first
    assert question_id(candidate(question="Who reads?"), CHUNK, STAMP) != first


@pytest.mark.parametrize(
    ("source", "expected"),
    [("a:b/c d.pdf", "c-d"), ("rules.v2.md", "rules.v2"), (".pdf", "pdf"), ("::", "none"), ("é l.txt", "é-l")],
)
def test_a_part_of_an_id_never_holds_the_mark_between_parts(source: str, expected: str) -> None:
    chunk = msgspec.structs.replace(CHUNK, source=source)
    found = question_id(candidate(stratum=source), chunk, STAMP).split(":")
    assert len(found) == 5
    assert found[1].strip(".") == expected


@pytest.mark.parametrize(
    ("page", "metadata", "expected"),
    [
        (None, {}, []),
        (3, {}, [3]),
        (3, {"pages": [3, 4]}, [3, 4]),
        (3, {"pages": [3, 3]}, [3]),
        (3, {"pages": "3-4"}, [3]),
    ],
)
def test_pages_are_those_of_the_chunks_own_record(
    page: int | None, metadata: dict[str, Any], expected: list[int]
) -> None:
    assert pages_of(msgspec.structs.replace(CHUNK, page=page, metadata=metadata)) == expected


def test_places_in_a_document() -> None:
    assert ordinals(("a", "b", "c", "d"), ("x", "y", "x", "x")) == {"a": 1, "b": 1, "c": 2, "d": 3}


def test_a_key_is_of_chunk_and_words() -> None:
    assert key_of("c", "Who  signs?") == key_of("c", "Who signs?") != key_of("d", "Who signs?")
