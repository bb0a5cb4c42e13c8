"""The 46 leaves of schema v2 as data: where each stands, what it may hold, whether it may be null.

42 keys in 8 groups (the root is one) and the 4 inside `annales_source`. A leaf counts when its key is there and its
value is allowed: a `null` where the schema has none, a word that is no value of the enumeration, do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Literal

from msgspec import Struct

from assay.validation import shown

ANSWERABLE = "ANSWERABLE"
UNANSWERABLE = (
    "OUT_OF_SCOPE",
    "INSUFFICIENT_INFO",
    "FALSE_PREMISE",
    "TEMPORAL_MISMATCH",
    "AMBIGUOUS",
    "COUNTERFACTUAL",
)
"""Why a question has no answer in the corpus; an answerable one carries `ANSWERABLE`."""
PUBLISHED = {
    "UNDERSPECIFIED": "AMBIGUOUS",
    "FALSE_PRESUPPOSITION": "FALSE_PREMISE",
    "NONSENSICAL": "COUNTERFACTUAL",
    "MODALITY_LIMITED": "INSUFFICIENT_INFO",
    "SAFETY_CONCERNED": "OUT_OF_SCOPE",
    "OUT_OF_DATABASE": "OUT_OF_SCOPE",
}
"""The names of UAEval4RAG (arXiv 2412.12300), read too, with the nearest of ours."""

QUESTION_TYPES = ("factual", "procedural", "scenario", "comparative")
COGNITIVE_LEVELS = ("Remember", "Understand", "Apply", "Analyze")
REASONING_TYPES = ("single-hop", "multi-hop", "temporal", "comparative")
REASONING_CLASSES = ("fact_single", "summary", "arithmetic", "reasoning")
ANSWER_TYPES = ("multiple_choice", "extractive", "abstractive", "list", "yes_no")
STATUSES = ("VALIDATED", "PENDING", "NEEDS_REAUDIT", "REJECTED")
ADVERSARIAL = "adversarial"
"""Question type, reasoning type and reasoning class of questions that have no answer."""

Kind = Literal[
    "text", "filled", "flag", "number", "texts", "filled_texts", "numbers", "choices", "object", "date", "any"
]
"""`filled` is text that is not blank; `texts` may be empty, `filled_texts` not; `any` is anything but null."""


class Leaf(Struct, frozen=True, kw_only=True):
    """One leaf. `group` is empty for the root."""

    group: str
    key: str
    kinds: tuple[Kind, ...]
    values: tuple[str, ...] = ()
    """The words it may be; empty: any of its kind."""
    low: float | None = None
    high: float | None = None
    nullable: bool = False

    @property
    def path(self) -> str:
        return f"{self.group}.{self.key}".lstrip(".")

    @property
    def expected(self) -> str:
        """What may stand there, for messages."""
        what = "|".join(self.values) or " or ".join(_WORDS[kind] for kind in self.kinds)
        limits = f" from {self.low:g} to {self.high:g}" if self.low is not None and self.high is not None else ""
        return f"{what}{limits}{' or null' if self.nullable else ''}"


_WORDS: dict[Kind, str] = {
    "text": "a text",
    "filled": "a text that is not empty",
    "flag": "true or false",
    "number": "a number",
    "texts": "a list of texts",
    "filled_texts": "a list with at least one text",
    "numbers": "a list of whole numbers",
    "choices": "texts under letters",
    "object": "an object",
    "date": "a date as 2026-01-31",
    "any": "a value",
}


def _leaves(group: str, *rows: Leaf) -> tuple[Leaf, ...]:
    return tuple(
        Leaf(group=group, key=r.key, kinds=r.kinds, values=r.values, low=r.low, high=r.high, nullable=r.nullable)
        for r in rows
    )


def _leaf(key: str, *kinds: Kind, nullable: bool = False, low: float | None = None, high: float | None = None) -> Leaf:
    return Leaf(group="", key=key, kinds=kinds, low=low, high=high, nullable=nullable)


def _one_of(key: str, *values: str) -> Leaf:
    return Leaf(group="", key=key, kinds=("text",), values=values)


LEAVES: tuple[Leaf, ...] = (
    *_leaves("", _leaf("id", "filled"), _leaf("legacy_id", "text", nullable=True)),
    *_leaves("content", _leaf("question", "filled"), _leaf("expected_answer", "text"), _leaf("is_impossible", "flag")),
    *_leaves(
        "mcq",
        _leaf("original_question", "text", nullable=True),
        _leaf("choices", "choices", nullable=True),
        _leaf("mcq_answer", "text", nullable=True),
        _leaf("correct_answer", "text", nullable=True),
        _leaf("original_answer", "text", nullable=True),
    ),
    *_leaves(
        "provenance",
        _leaf("chunk_id", "filled"),
        _leaf("docs", "filled_texts"),
        _leaf("pages", "numbers"),
        _leaf("article_reference", "text", nullable=True),
        _leaf("answer_explanation", "text", nullable=True),
        _leaf("annales_source", "object", nullable=True),
    ),
    *_leaves(
        "provenance.annales_source",
        _leaf("session", "text", "number", nullable=True),
        _leaf("uv", "text", "number", nullable=True),
        _leaf("question_num", "number", "text", nullable=True),
        _leaf("success_rate", "number", low=0, high=100, nullable=True),  # a share, or per cent, as the exam has it
    ),
    *_leaves(
        "classification",
        _leaf("category", "filled"),
        _leaf("keywords", "texts"),
        _leaf("difficulty", "number", low=0, high=1),
        _one_of("question_type", *QUESTION_TYPES, ADVERSARIAL),
        _one_of("cognitive_level", *COGNITIVE_LEVELS),
        _one_of("reasoning_type", *REASONING_TYPES, ADVERSARIAL),
        _one_of("reasoning_class", *REASONING_CLASSES, ADVERSARIAL),
        _one_of("answer_type", *ANSWER_TYPES, "unanswerable"),
        _one_of("hard_type", ANSWERABLE, *UNANSWERABLE, *PUBLISHED),
    ),
    *_leaves(
        "validation",
        _one_of("status", *STATUSES),
        _leaf("method", "filled"),
        _leaf("reviewer", "text", nullable=True),
        _leaf("answer_current", "flag", nullable=True),
        _leaf("verified_date", "date", nullable=True),
        _leaf("pages_verified", "flag", nullable=True),
        _leaf("batch", "text", nullable=True),
    ),
    *_leaves(
        "processing",
        _leaf("chunk_match_score", "number", low=0, high=100),
        _leaf("chunk_match_method", "filled"),
        _leaf("reasoning_class_method", "filled"),
        _leaf("triplet_ready", "flag"),
        _leaf("extraction_flags", "texts"),
        _leaf("answer_source", "text", nullable=True),
        _leaf("quality_score", "number", low=0, high=1, nullable=True),
    ),
    *_leaves(
        "audit",
        _leaf("history", "any"),
        _leaf("qat_revalidation", "any", nullable=True),
        _leaf("requires_inference", "flag"),
    ),
)


class LeafFault(Struct, frozen=True):
    """A leaf that does not count."""

    path: str
    reason: str


def present(question: Any) -> int:
    """How many of the 46 leaves of a raw question count."""
    return len(LEAVES) - len(faults(question))


def faults(question: Any) -> tuple[LeafFault, ...]:
    """The leaves that do not count, in the order of the schema."""
    return tuple(LeafFault(leaf.path, reason) for leaf in LEAVES if (reason := _fault(leaf, question)))


def _fault(leaf: Leaf, question: Any) -> str | None:
    holder = question
    for name in leaf.group.split(".") if leaf.group else ():
        holder = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or leaf.key not in holder:
        return "is missing"
    value = holder[leaf.key]
    return None if allows(leaf, value) else f"is {shown(value)}; expected {leaf.expected}"


def allows(leaf: Leaf, value: Any) -> bool:
    """Whether the value may stand in that leaf."""
    if value is None:
        return leaf.nullable
    if leaf.values:
        return isinstance(value, str) and value in leaf.values
    if not any(_is(kind, value) for kind in leaf.kinds):
        return False
    limited = isinstance(value, int | float) and not isinstance(value, bool)
    return not limited or all(_within(leaf, value))


def _within(leaf: Leaf, value: float) -> Iterator[bool]:
    yield leaf.low is None or value >= leaf.low
    yield leaf.high is None or value <= leaf.high


def _is(kind: Kind, value: Any) -> bool:
    if kind in {"text", "filled", "date"}:
        return isinstance(value, str) and _is_text(kind, value)
    if kind in {"texts", "filled_texts"}:
        return _is_list(value, str) and (kind == "texts" or bool(value))
    if kind == "choices":
        return isinstance(value, dict) and bool(value) and all(isinstance(each, str) for each in value.values())
    if kind == "numbers":
        return _is_list(value, int)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return kind == "any" or isinstance(value, bool if kind == "flag" else dict)


def _is_text(kind: Kind, value: str) -> bool:
    if kind == "date":
        return _is_date(value)
    return kind == "text" or bool(value.strip())


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(v, kind) and not isinstance(v, bool) for v in value)


def _is_date(value: str) -> bool:
    """A day, with or without the time behind it."""
    if not re.match(r"\d{4}-\d{2}-\d{2}(?:$|[T ])", value):
        return False
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return False
    return True
