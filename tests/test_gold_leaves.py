"""The 46 leaves of schema v2: how many count, and why one does not."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.gold.leaves import LEAVES, PUBLISHED, UNANSWERABLE, faults, present

EXAMPLE = Path(__file__).parent.parent / "examples" / "orrin" / "gold.json"


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EXAMPLE.read_text("utf-8"))["questions"][0]
    return found


def changed(question: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    result = copy.deepcopy(question)
    *groups, key = path.split(".")
    holder = result
    for group in groups:
        holder = holder[group]
    holder[key] = value
    return result


def without(question: dict[str, Any], path: str) -> dict[str, Any]:
    result = changed(question, path, None)
    *groups, key = path.split(".")
    holder = result
    for group in groups:
        holder = holder[group]
    del holder[key]
    return result


def test_the_schema_has_46_leaves_in_8_groups_and_4_inside_the_exam() -> None:
    counts = Counter(leaf.group for leaf in LEAVES)
    groups = {"": 2, "content": 3, "mcq": 5, "provenance": 6, "provenance.annales_source": 4}
    groups |= {"classification": 9, "validation": 7, "processing": 7, "audit": 3}
    assert counts == groups
    assert len(LEAVES) == 46
    assert len({leaf.path for leaf in LEAVES}) == 46


def test_every_question_of_the_example_is_whole() -> None:
    questions = json.loads(EXAMPLE.read_text("utf-8"))["questions"]
    assert {present(question) for question in questions} == {46}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_a_leaf_that_is_missing_does_not_count(leaf: Any, whole: dict[str, Any]) -> None:
    lost = 5 if leaf.path == "provenance.annales_source" else 1
    assert present(without(whole, leaf.path)) == 46 - lost
    assert leaf.path in {fault.path for fault in faults(without(whole, leaf.path))}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_null_counts_only_where_the_schema_has_it(leaf: Any, whole: dict[str, Any]) -> None:
    found = {fault.path for fault in faults(changed(whole, leaf.path, None))}
    assert (leaf.path not in found) == leaf.nullable


def test_no_exam_at_all_is_read_and_is_not_whole(whole: dict[str, Any]) -> None:
    assert present(changed(whole, "provenance.annales_source", None)) == 42


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("id", " ", "is ' '; expected a text that is not empty"),
        ("content.question", "", "is ''; expected a text that is not empty"),
        ("content.is_impossible", 0, "is 0; expected true or false"),
        ("classification.difficulty", 1.01, "is 1.01; expected a number from 0 to 1"),
        ("classification.difficulty", "hard", "is 'hard'; expected a number from 0 to 1"),
        ("classification.difficulty", True, "is true; expected a number from 0 to 1"),
        ("processing.chunk_match_score", 100.5, "is 100.5; expected a number from 0 to 100"),
        ("classification.cognitive_level", "Recall", "is 'Recall'; expected Remember|Understand|Apply|Analyze"),
        ("provenance.docs", [], "is []; expected a list with at least one text"),
        ("provenance.pages", ["3"], "is ['3']; expected a list of whole numbers"),
        ("provenance.pages", [True], "is [true]; expected a list of whole numbers"),
        ("mcq.choices", {"A": 1}, "is {'A': 1}; expected texts under letters or null"),
        ("validation.verified_date", "15/11/2026", "is '15/11/2026'; expected a date as 2026-01-31 or null"),
        ("validation.verified_date", "2026-02-30", "is '2026-02-30'; expected a date as 2026-01-31 or null"),
    ],
)
def test_a_value_that_is_not_allowed_is_told(path: str, value: Any, reason: str, whole: dict[str, Any]) -> None:
    [fault] = faults(changed(whole, path, value))
    assert fault.path == path
    assert fault.reason.split(";")[1] == reason.split(";")[1]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("content.expected_answer", ""),
        ("provenance.pages", []),
        ("classification.difficulty", 0),
        ("classification.difficulty", 1),
        ("validation.verified_date", "2026-11-15T10:00:00Z"),
        ("provenance.annales_source.question_num", 12),
        ("provenance.annales_source.question_num", "12b"),
        *(("classification.hard_type", name) for name in (*UNANSWERABLE, *PUBLISHED, "ANSWERABLE")),
    ],
)
def test_a_value_that_is_allowed_counts(path: str, value: Any, whole: dict[str, Any]) -> None:
    assert present(changed(whole, path, value)) == 46


@pytest.mark.parametrize("question", [None, [], "question", {}, {"content": [], "provenance": {"annales_source": 3}}])
def test_what_is_no_question_has_no_leaf(question: Any) -> None:
    assert present(question) == 0
