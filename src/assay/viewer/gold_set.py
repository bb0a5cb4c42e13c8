"""The gold set that is shown: read once, with the sample a person is to check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError
from assay.files import read_json
from assay.gold.audit import AuditOptions, plan
from assay.gold.cases import band, load_cases
from assay.gold.gold_file import GoldFile, read_gold_file
from assay.gold.leaves import present
from assay.gold.qa import is_qa
from assay.gold.schema import Question, is_gold
from assay.records import Case
from assay.viewer.visit import Visit


class Item(Struct, frozen=True, kw_only=True):
    """What a list says of a question, whatever form its file has."""

    id: str
    question: str
    answer: str | None
    chunk_id: str | None
    category: str | None
    question_type: str | None
    difficulty: str | None
    hard_type: str | None
    """Why it cannot be answered."""
    reasoning_class: str | None
    status: str | None = None
    leaves: int | None = None
    """How many of the 46 are filled; None: the file has none."""
    raw: Any
    """As it stands in the file; of a plain case its fields."""


class Shown(Struct, frozen=True, kw_only=True):
    """Questions by id."""

    name: str
    sha256: str
    form: str
    items: tuple[Item, ...]
    places: dict[str, int]
    sample: tuple[str, ...] = ()
    """What `assay gold audit` asks to be checked."""
    gold: GoldFile | None = None
    """None: plain cases, which have neither gates nor an audit."""

    @property
    def whole(self) -> GoldFile:
        """The gold set, where gates or an audit need one."""
        if self.gold is None:
            hint = "assay gold convert makes one of many formats"
            raise AssayError("plain cases have no gates and no audit", expected="a gold set of schema v2", hint=hint)
        return self.gold


def gold_of(visit: Visit) -> Shown:
    path = visit.desk.places.gold
    return visit.desk.made.get("gold", (path,), lambda: _read(visit))


def _read(visit: Visit) -> Shown:
    path = visit.desk.places.gold
    if not _is_plain(path):
        return _of_gold(read_gold_file(path), visit.desk.places.config.seed)
    cases = load_cases(path, "answers")
    items = tuple(map(_of_case, cases.cases))
    return Shown(name=cases.name, sha256=cases.sha256, form=cases.format, items=items, places=_places(items))


def _is_plain(path: Path) -> bool:
    """Whether it has another form than schema v2; where it cannot be read, reading it says why."""
    if path.is_dir() or path.suffix == ".jsonl":
        return True
    data = read_json(path)
    return is_qa(data) or not is_gold(data)


def _of_gold(gold: GoldFile, seed: int) -> Shown:
    items = tuple(_of_question(question, raw) for question, raw in zip(gold.questions, gold.raws, strict=True))
    sample = plan(gold, AuditOptions(seed=seed)).sample
    return Shown(
        name=gold.name,
        sha256=gold.sha256,
        form="schema-v2",
        items=items,
        places=_places(items),
        sample=sample,
        gold=gold,
    )


def _places(items: tuple[Item, ...]) -> dict[str, int]:
    return {item.id: place for place, item in enumerate(items)}


def _of_question(question: Question, raw: Any) -> Item:
    kind = question.classification
    return Item(
        id=question.id,
        question=question.content.question,
        answer=question.content.expected_answer,
        chunk_id=question.provenance.chunk_id,
        category=kind.category,
        question_type=kind.question_type,
        difficulty=band(question.difficulty),
        hard_type=kind.hard_type,
        reasoning_class=kind.reasoning_class,
        status=question.validation.status,
        leaves=present(raw),
        raw=raw,
    )


def _of_case(case: Case) -> Item:
    return Item(
        id=case.id,
        question=case.question,
        answer=case.answer,
        chunk_id=next(iter(case.expected_ids), None),
        category=case.tags.get("category") or (case.category if case.answerable else None),
        question_type=case.tags.get("question_type"),
        difficulty=case.tags.get("difficulty"),
        hard_type=None if case.answerable else case.category or "UNANSWERABLE",
        reasoning_class=case.tags.get("reasoning_class"),
        raw=msgspec.to_builtins(case),
    )
