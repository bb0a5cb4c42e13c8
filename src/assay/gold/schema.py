"""Schema v2 of a gold set: 46 leaves in 8 groups, read with file and line in every fault.

Reading asks only for what every question must have (an id and its text); how complete a set is, is for gates to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from assay.errors import AssayError
from assay.files import line_of, parse_json, read_text
from assay.long_json import is_list
from assay.validation import Keys, Place, convert, shown

SCHEMA = "GS_SCHEMA_V2"
BANDS = {"easy": 0.2, "medium": 0.5, "hard": 0.8}
"""Where teams write a word for the difficulty, the middle of its band stands for it."""

Text = str | None
Unit = Annotated[float, Meta(ge=0, le=1)] | None
Name = Annotated[str, Meta(min_length=1)]


class Content(Struct, frozen=True, kw_only=True):
    """What is asked."""

    question: Name
    expected_answer: Text = None
    accepted_answers: tuple[str, ...] | None = None
    """Right too; no leaf of the 46."""
    is_impossible: bool = False


class Mcq(Struct, frozen=True, kw_only=True):
    """The multiple-choice form of an exam question."""

    original_question: Text = None
    choices: dict[str, str] | None = None
    mcq_answer: Text = None
    correct_answer: Text = None
    original_answer: Text = None


class AnnalesSource(Struct, frozen=True, kw_only=True):
    """The exam a question was set in."""

    session: int | str | None = None
    uv: int | str | None = None
    question_num: int | str | None = None
    success_rate: float | None = None


class Provenance(Struct, frozen=True, kw_only=True):
    """Where the truth stands."""

    chunk_id: Text = None
    docs: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    article_reference: Text = None
    answer_explanation: Text = None
    annales_source: AnnalesSource | None = None


class Classification(Struct, frozen=True, kw_only=True):
    """What kind of question it is."""

    category: Text = None
    keywords: tuple[str, ...] | None = None
    difficulty: float | str | None = None
    question_type: Text = None
    cognitive_level: Text = None
    reasoning_type: Text = None
    reasoning_class: Text = None
    answer_type: Text = None
    hard_type: Text = None


class Validation(Struct, frozen=True, kw_only=True):
    """Who said that it is right."""

    status: Text = None
    method: Text = None
    reviewer: Text = None
    answer_current: bool | None = None
    verified_date: Text = None
    pages_verified: bool | None = None
    batch: Text = None


class Processing(Struct, frozen=True, kw_only=True):
    """How it came to be."""

    chunk_match_score: float | None = None
    chunk_match_method: Text = None
    reasoning_class_method: Text = None
    triplet_ready: bool | None = None
    extraction_flags: tuple[str, ...] | None = None
    answer_source: Text = None
    quality_score: Unit = None


class Audit(Struct, frozen=True, kw_only=True):
    """What happened to it since."""

    history: Any = None
    qat_revalidation: Any = None
    requires_inference: bool | None = None


class Question(Struct, frozen=True, kw_only=True):
    """One question with its truth."""

    id: Name
    legacy_id: Text = None
    content: Content
    mcq: Mcq | None = None
    provenance: Provenance = Provenance()
    classification: Classification = Classification()
    validation: Validation = Validation()
    processing: Processing = Processing()
    audit: Audit = Audit()

    @property
    def difficulty(self) -> float | None:
        value = self.classification.difficulty
        return BANDS[value.lower()] if isinstance(value, str) else value

    @property
    def requires_context(self) -> bool:
        """Marked in the history as not understandable alone."""
        return _marked(self.audit.history, "requires_context")


def is_gold(data: Any) -> bool:
    """Whether parsed JSON is a schema-v2 gold set."""
    return isinstance(data, dict) and "questions" in data and isinstance(data.get("version", {}), dict)


def is_question(item: Any) -> bool:
    """Whether parsed JSON is one question of schema v2, outside any set."""
    return isinstance(item, dict) and isinstance(item.get("content"), dict)


def read_gold(path: Path) -> tuple[Question, ...]:
    text = read_text(path)
    return parse_gold(parse_json(text, str(path)), text, str(path))


def parse_gold(data: Any, text: str, where: str) -> tuple[Question, ...]:
    """All questions; the first fault found is told with its line."""
    return tuple(questions_of(data, partial(line_of, text), where))


def questions_of(data: Any, line: Callable[[Keys], int], where: str) -> Iterator[Question]:
    """One after the other. `line` is asked only when something is wrong."""
    if not is_gold(data):
        hint = "Other formats become one with: assay gold convert IN --to schema-v2"
        raise AssayError("not a gold set", where=where, expected='{"version": {...}, "questions": [...]}', hint=hint)
    schema = data.get("version", {}).get("schema", SCHEMA)
    if schema != SCHEMA:
        raise AssayError(f"schema is {schema!r}", where=f"{where}:{line(('version', 'schema'))}", expected=SCHEMA)
    if not is_list(data["questions"]):
        raise AssayError("questions is not a list", where=where)
    seen: dict[str, int] = {}
    for number, item in enumerate(data["questions"]):
        question = question_of(item, lambda keys, number=number: f"{where}:{line(('questions', number, *keys))}")  # type: ignore[misc]
        if question.id in seen:
            what = f"id '{question.id}' occurs twice, first in line {line(('questions', seen[question.id], 'id'))}"
            raise AssayError(what, where=f"{where}:{line(('questions', number, 'id'))}")
        seen[question.id] = number
        yield question


def question_of(item: Any, place: Place) -> Question:
    """`place` gives file and line of what stands at that path; asked only when something is wrong."""
    level = item.get("classification", {}) if isinstance(item, dict) else {}
    value = level.get("difficulty") if isinstance(level, dict) else None
    if not _is_difficulty(value):
        raise AssayError(
            f"difficulty is {shown(value)}",
            where=place(("classification", "difficulty")),
            expected="a number from 0 to 1 or easy|medium|hard",
        )
    return convert(item, Question, place)


def _is_difficulty(value: Any) -> bool:
    if isinstance(value, str):
        return value.lower() in BANDS
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1)


def _marked(history: Any, mark: str) -> bool:
    if isinstance(history, str):
        return mark in history
    if isinstance(history, dict):
        return any(bool(value) if key == mark else _marked(value, mark) for key, value in history.items())
    if isinstance(history, list | tuple):
        return any(_marked(entry, mark) for entry in history)
    return False
