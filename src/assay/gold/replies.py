"""What came back for a batch: each question read strictly, counted against the batch's quotas, kept or refused.

A reply that is not the object that was asked for is refused whole. One question in it that is not as asked is refused
alone, with the reason, and the others stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from assay.gold.asking import Batch, Kind, prompt_of
from assay.gold.candidate import Candidate, LogLine, key_of
from assay.gold.leaves import (
    ADVERSARIAL,
    ANSWER_TYPES,
    ANSWERABLE,
    COGNITIVE_LEVELS,
    QUESTION_TYPES,
    REASONING_CLASSES,
    REASONING_TYPES,
    UNANSWERABLE,
)
from assay.llm.json_schema import first_fault
from assay.llm.protocol import JsonSchema
from assay.llm.structured import Unparsed, parse_json_reply

_EXCERPT = 300
_TEXT = {"type": "string", "minLength": 1}
_MAYBE = {"type": ["string", "null"]}
_KEYWORDS = {"type": "array", "items": {"type": "string"}}


def _one_of(values: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


_SHARED: dict[str, Any] = {
    "passage": {"type": "integer", "minimum": 1},
    "question": _TEXT,
    "keywords": _KEYWORDS,
    "question_type": _one_of(QUESTION_TYPES),
    "cognitive_level": _one_of(COGNITIVE_LEVELS),
    "difficulty": {"type": "number", "minimum": 0, "maximum": 1},
}
ITEMS: dict[Kind, dict[str, Any]] = {
    "answerable": {
        **_SHARED,
        "answer": _TEXT,
        "quote": _TEXT,
        "explanation": {"type": "string"},
        "article_reference": _MAYBE,
        "reasoning_class": _one_of(REASONING_CLASSES),
        "reasoning_type": _one_of(REASONING_TYPES),
        "answer_type": _one_of(tuple(kind for kind in ANSWER_TYPES if kind != "multiple_choice")),
    },
    "unanswerable": {
        **_SHARED,
        "category": _one_of(UNANSWERABLE),
        "corpus_truth": _TEXT,
        "contradiction": _MAYBE,
    },
}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def schema_of(kind: Kind) -> JsonSchema:
    """What the service is asked to enforce. The reply is read here, so that what is wrong with it can be logged."""
    items = {"type": "array", "items": _object(ITEMS[kind])}
    return JsonSchema(name=f"{kind}_questions", schema=_object({"questions": items}), checked=False)


_WHOLE = _object({"questions": {"type": "array"}})


class Origin(Struct, frozen=True, kw_only=True):
    """Where a reply comes from, and what is known of the chunks it speaks of."""

    batch: Batch
    model: str
    strata: Mapping[str, str]
    """The stratum of each chunk."""
    per_chunk: int

    @property
    def prompt(self) -> str:
        return prompt_of(self.batch).identity


def read_reply(text: str, origin: Origin) -> list[LogLine] | Unparsed:
    """A line for each question, kept or refused; or why the reply as a whole cannot be read."""
    data = parse_json_reply(text, _WHOLE)
    if isinstance(data, Unparsed):
        return data
    tally = _Tally(origin.batch, origin.per_chunk)
    lines: dict[int, LogLine] = {}
    for at, item in _in_turns(data["questions"]):
        made = _candidate(item, origin)
        refusal = made if isinstance(made, str) else tally.refuses(made)
        lines[at] = _line(item, made, refusal, origin)
    return [lines[at] for at in sorted(lines)]


def _in_turns(items: list[Any]) -> list[tuple[int, Any]]:
    """The first question of every passage before the second of any, so that a full quota leaves no passage out."""
    seen: Counter[str] = Counter()
    turns = []
    for at, item in enumerate(items):
        passage = str(item.get("passage")) if isinstance(item, dict) else ""
        turns.append((seen[passage], at))
        seen[passage] += 1
    return [(at, items[at]) for _, at in sorted(turns)]


def _line(item: Any, made: Candidate | str, refusal: str | None, origin: Origin) -> LogLine:
    candidate = made if isinstance(made, Candidate) else None
    return LogLine(
        event="candidate",
        batch=origin.batch.id,
        accepted=refusal is None,
        gate=None if refusal is None else "batch",
        reason=refusal,
        key=candidate.key if candidate else None,
        chunk_id=candidate.chunk_id if candidate else _chunk_of(item, origin.batch),
        prompt=origin.prompt,
        model=origin.model,
        candidate=candidate,
        text=None if candidate else str(item)[:_EXCERPT],
    )


def _chunk_of(item: Any, batch: Batch) -> str | None:
    number = item.get("passage") if isinstance(item, dict) else None
    known = isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(batch.chunks)
    return batch.chunks[number - 1] if known and isinstance(number, int) else None


def _candidate(item: Any, origin: Origin) -> Candidate | str:
    """The candidate, or what is wrong with the item."""
    batch = origin.batch
    fault = first_fault(item, _object(ITEMS[batch.kind]))
    if fault:
        return f"not as asked: {fault}"
    chunk_id = _chunk_of(item, batch)
    if chunk_id is None:
        return f"passage {item['passage']} was not shown: there are {len(batch.chunks)}"
    fields = _answerable(item) if batch.kind == "answerable" else _unanswerable(item)
    question = _clean(item["question"])
    return Candidate(
        key=key_of(chunk_id, question),
        chunk_id=chunk_id,
        question=question,
        keywords=tuple(dict.fromkeys(filter(None, map(_clean, item["keywords"])))),
        difficulty=round(float(item["difficulty"]), 3),
        question_type=item["question_type"],
        cognitive_level=item["cognitive_level"],
        language=batch.language,
        stratum=origin.strata[chunk_id],
        batch=batch.id,
        prompt=origin.prompt,
        model=origin.model,
        **fields,
    )


def _answerable(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "answer": _clean(item["answer"]),
        "hard_type": ANSWERABLE,
        "quote": item["quote"].strip(),
        "explanation": _clean(item["explanation"]) or None,
        "article_reference": _clean(item["article_reference"] or "") or None,
        **{name: item[name] for name in ("reasoning_class", "reasoning_type", "answer_type")},
    }


def _unanswerable(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "hard_type": item["category"],
        "corpus_truth": _clean(item["corpus_truth"]),
        "contradiction": (item["contradiction"] or "").strip() or None,
        "reasoning_class": ADVERSARIAL,
        "reasoning_type": ADVERSARIAL,
        "answer_type": "unanswerable",
    }


def _clean(text: str) -> str:
    return " ".join(text.split())


class _Tally:
    """The quotas of a batch, and what is taken of them."""

    def __init__(self, batch: Batch, per_chunk: int) -> None:
        self._batch = batch
        self._per_chunk = per_chunk if batch.kind == "answerable" else 1
        self._taken: Counter[str] = Counter()
        self._keys: set[str] = set()

    def refuses(self, candidate: Candidate) -> str | None:
        """Why the candidate is one too many, or None: then it is counted."""
        reason = next(self._refusals(candidate), None)
        if reason is None:
            self._keys.add(candidate.key)
            self._taken.update(["all", f"chunk {candidate.chunk_id}", f"class {candidate.reasoning_class}"])
        return reason

    def _refusals(self, candidate: Candidate) -> Iterator[str]:
        batch = self._batch
        if candidate.key in self._keys:
            yield "the same question of the same passage twice"
        if self._taken[f"chunk {candidate.chunk_id}"] >= self._per_chunk:
            yield f"more than {self._per_chunk} for one passage"
        if batch.kind == "unanswerable":
            yield from self._wrong_category(candidate)
        elif self._taken[f"class {candidate.reasoning_class}"] >= batch.classes.get(candidate.reasoning_class, 0):
            limit = batch.classes.get(candidate.reasoning_class, 0)
            yield f"over the batch's quota of {candidate.reasoning_class}: {limit}"
        if self._taken["all"] >= batch.wanted:
            yield f"over the batch's quota: {batch.wanted}"

    def _wrong_category(self, candidate: Candidate) -> Iterator[str]:
        asked = self._batch.categories[self._batch.chunks.index(candidate.chunk_id)]
        if candidate.hard_type != asked:
            yield f"{asked} was asked for, it is {candidate.hard_type}"
        if candidate.hard_type == "FALSE_PREMISE" and not candidate.contradiction:
            yield "a false premise without the quote that contradicts it"
