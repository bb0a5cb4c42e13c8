"""RAG-run corpora: `QA_{CLIENT}_gold_v{MAJOR}-{MINOR}__q{COUNT}.json`, with the answer and its documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from assay.errors import AssayError
from assay.long_json import is_list
from assay.records import Case
from assay.validation import Keys, convert

_NAME = re.compile(r"QA_(?P<client>.+)_gold_v(?P<major>\d+)-(?P<minor>\d+)__q(?P<count>\d+)\.json")


class QaMetadata(Struct, frozen=True, kw_only=True):
    """About the file."""

    version: str | None = None
    client: str | None = None
    question_count: int | None = None
    created_date: str | None = None


class QaQuestion(Struct, frozen=True, kw_only=True):
    """One question. A lone `source_filename` is the same as a list of one."""

    question_id: Annotated[str, Meta(min_length=1)]
    question: Annotated[str, Meta(min_length=1)]
    question_type: Literal["single_hop", "multi_hop"] | None = None
    difficulty: Literal["easy", "medium", "hard"] | None = None
    ground_truth_answer: str | Annotated[tuple[str, ...], Meta(min_length=1)] | None = None
    """Of several the first is expected, and the others are right too."""
    source_filenames: tuple[str, ...] = ()
    source_filename: str | None = None
    expected_chunks: tuple[str, ...] = ()


def is_qa(data: Any) -> bool:
    """Whether parsed JSON is such a corpus."""
    return isinstance(data, dict) and "questions" in data and isinstance(data.get("metadata"), dict)


def parse_qa(data: dict[str, Any], line: Callable[[Keys], int], path: Path) -> Iterator[Case]:
    """The cases; a count that disagrees with the file's name or its own metadata is an error.

    `line` is asked only when something is wrong.
    """

    def place(*keys: str | int) -> str:
        return f"{path}:{line(keys)}"

    metadata = convert(data["metadata"], QaMetadata, lambda keys: place("metadata", *keys))
    if not is_list(data["questions"]):
        raise AssayError("questions is not a list", where=str(path))
    _check_counts(len(data["questions"]), metadata, path)
    seen: set[str] = set()
    for number, item in enumerate(data["questions"]):
        question = convert(item, QaQuestion, lambda keys, number=number: place("questions", number, *keys))  # type: ignore[misc]
        if question.question_id in seen:
            raise AssayError(f"id '{question.question_id}' occurs twice", where=place("questions", number))
        seen.add(question.question_id)
        yield _case(question)


def client_of(data: dict[str, Any], path: Path) -> str | None:
    """From the metadata or the file's name, which must not contradict each other."""
    name = _NAME.fullmatch(path.name)
    said: str | None = data["metadata"].get("client")
    named = name["client"] if name else None
    if said and named and said.casefold() != named.casefold():
        raise AssayError(f"the metadata says client '{said}', the file's name '{named}'", where=str(path))
    return said or named


def _check_counts(found: int, metadata: QaMetadata, path: Path) -> None:
    name = _NAME.fullmatch(path.name)
    for what, count in (("its name", int(name["count"]) if name else None), ("its metadata", metadata.question_count)):
        if count is not None and count != found:
            raise AssayError(f"holds {found} questions, {what} says {count}", where=str(path))


def _case(question: QaQuestion) -> Case:
    told = question.ground_truth_answer
    answer, *accepted = told if isinstance(told, tuple) else (told or "",)
    sources = question.source_filenames or ((question.source_filename,) if question.source_filename else ())
    tags = {
        "question_type": question.question_type,
        "difficulty": question.difficulty,
        "source": next(iter(sources), None),
    }
    return Case(
        id=question.question_id,
        question=question.question,
        expected=dict.fromkeys(question.expected_chunks, 1),
        answer=answer or None,
        accepted=tuple(accepted),
        sources=sources,
        tags={key: value or "unknown" for key, value in tags.items()},
    )
