"""Cases from whatever a team has: a schema-v2 gold set, a flat case file, CSV, SQuAD, a BEIR folder.

Nothing disappears: every question that is left out is kept with its reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from assay.errors import AssayError
from assay.files import read_jsonl, text_sha256
from assay.gold.case_store import CaseStore
from assay.gold.gold_file import require_gold
from assay.gold.intake import resting, unchanged
from assay.gold.qa import client_of, is_qa, parse_qa
from assay.gold.schema import Question, is_gold, is_question, question_of, questions_of
from assay.long_json import is_list, is_long, open_json
from assay.records import Case, Lane, PageRef
from assay.validation import Keys, convert

UNKNOWN = "unknown"


class Excluded(Struct, frozen=True):
    """A question that is not tested, and why."""

    id: str
    reason: str


class CaseSet(Struct, frozen=True, kw_only=True):
    """The cases of one file, sorted by id."""

    name: str
    sha256: str
    format: str
    cases: Sequence[Case]
    excluded: tuple[Excluded, ...]
    client: str | None = None
    """Whose corpus it is, where the file says so."""

    @property
    def total(self) -> int:
        return len(self.cases) + len(self.excluded)

    @property
    def reasons(self) -> dict[str, int]:
        return dict(sorted(Counter(entry.reason for entry in self.excluded).items()))


Purpose = Literal["chunks", "pages", "answers"]
"""What the cases are for: retrieval by chunk, retrieval by page alone, or whole answers."""


def load_cases(path: Path, purpose: Purpose = "chunks") -> CaseSet:
    """The cases at that path, by the shape of what is there, and those that cannot serve the purpose."""
    path = resting(path)
    require_gold(path)
    with unchanged(path):
        return _load(path, purpose)


def _load(path: Path, purpose: Purpose) -> CaseSet:
    if path.is_dir():
        return _from_beir(path)
    if path.suffix in {".csv", ".tsv"}:
        return _converted(path, purpose)
    if path.suffix in {".jsonl", ".ndjson"}:
        return _from_lines(path, purpose)
    file = open_json(path)
    data = file.data
    if isinstance(data, dict) and is_list(data.get("data")):
        return _converted(path, purpose)
    if is_qa(data):
        found = _case_set(path, file.sha256, "qa", parse_qa(data, file.line_of, path))
        return replace(found, client=client_of(data, path))
    if is_gold(data):
        questions = questions_of(data, file.line_of, str(path))
        return _case_set(path, file.sha256, "schema-v2", select(questions, purpose))
    keys: Keys = ()
    if isinstance(data, dict) and is_list(data.get("cases")):
        data, keys = data["cases"], ("cases",)
    if not is_list(data):
        expected = "a schema-v2 gold set, a list of cases, JSON lines of either, CSV, SQuAD, or a BEIR folder"
        raise AssayError("neither questions nor cases", where=str(path), expected=expected)
    cases = _flat(enumerate(data), lambda inside: f"{path}:{file.line_of((*keys, *inside))}")
    return _case_set(path, file.sha256, "cases", _of_use(cases, purpose))


def _from_lines(path: Path, purpose: Purpose) -> CaseSet:
    """Cases as a person writes them, or questions of schema v2."""
    _, first = next(read_jsonl(path), (1, None))
    if is_question(first):
        return _converted(path, purpose)
    cases = _flat(read_jsonl(path), lambda keys: f"{path}:{keys[0]}")
    return _case_set(path, text_sha256(path), "cases", _of_use(cases, purpose))


def _converted(path: Path, purpose: Purpose) -> CaseSet:
    """What `assay gold convert` reads, by way of schema v2."""
    from assay.gold.convert import detect, read
    from assay.gold.formats.protocol import Order

    form = detect(path)
    raws = read(path, Order(), form).raws
    questions = (question_of(raw, lambda _, raw=raw: f"{path}, question '{raw['id']}'") for raw in raws)  # type: ignore[misc]
    return _case_set(path, text_sha256(path), form, select(questions, purpose))


def _of_use(cases: Iterable[Case], purpose: Purpose) -> Iterator[Case | Excluded]:
    """Unanswerable questions are no test of retrieval."""
    for case in cases:
        yield case if case.answerable or purpose == "answers" else Excluded(case.id, "unanswerable")


def _case_set(path: Path, sha256: str, form: str, found: Iterable[Case | Excluded]) -> CaseSet:
    excluded: list[Excluded] = []

    def kept() -> Iterator[Case]:
        for each in found:
            if isinstance(each, Case):
                yield each
            else:
                excluded.append(each)

    cases = (
        CaseStore(kept())
        if is_long(path / "queries.jsonl" if path.is_dir() else path)
        else sorted(kept(), key=attrgetter("id"))
    )
    result = CaseSet(name=path.name, sha256=sha256, format=form, cases=cases, excluded=tuple(excluded))
    if not result.total:
        raise AssayError("holds no question at all", where=str(path))
    return result


# --- schema v2 ---------------------------------------------------------------------------------------------------


def select(questions: Iterable[Question], purpose: Purpose = "chunks") -> Iterator[Case | Excluded]:
    """Testable: needs no conversation before it; for retrieval it is answerable and has a chunk id, or pages."""
    for question in questions:
        reason = _why_not(question, purpose)
        yield Excluded(question.id, reason) if reason else case_of(question)


def _why_not(question: Question, purpose: Purpose) -> str | None:
    provenance = question.provenance
    if question.content.is_impossible and purpose != "answers":
        return "unanswerable"
    if purpose == "pages" and not (provenance.docs and provenance.pages):
        return "no page"
    if purpose == "chunks" and not provenance.chunk_id:
        return "no chunk id"
    if purpose == "answers" and not (question.content.is_impossible or question.content.expected_answer):
        return "no expected answer"
    return "requires context" if question.requires_context else None


def case_of(question: Question) -> Case:
    provenance, kind = question.provenance, question.classification
    exam, impossible = provenance.annales_source, question.content.is_impossible
    tags = {
        "reasoning_class": kind.reasoning_class,
        "difficulty": band(question.difficulty),
        "session": str(exam.session or "") if exam else None,
        "source": provenance.docs[0] if provenance.docs else None,
        "question_type": kind.question_type,
    }
    return Case(
        id=question.id,
        question=question.content.question,
        expected={provenance.chunk_id: 1} if provenance.chunk_id and not impossible else {},
        pages=() if impossible else _pages(provenance.docs, provenance.pages),
        answer=question.content.expected_answer or None,
        accepted=question.content.accepted_answers or (),
        answerable=not impossible,
        category=kind.hard_type if impossible else None,
        truth=provenance.answer_explanation if impossible else None,
        sources=() if impossible else provenance.docs,
        tags={key: value or UNKNOWN for key, value in tags.items()},
    )


def band(difficulty: float | None) -> str | None:
    """easy < 0.33, medium ≤ 0.66, hard above."""
    if difficulty is None:
        return None
    return "easy" if difficulty < 0.33 else "medium" if difficulty <= 0.66 else "hard"


def _pages(docs: tuple[str, ...], pages: tuple[int, ...]) -> tuple[PageRef, ...]:
    """Documents and pages one to one where they are as many; else all pages are of the first document."""
    if not docs:
        return ()
    pairs = zip(docs, pages, strict=True) if len(docs) == len(pages) else ((docs[0], page) for page in pages)
    return tuple(dict.fromkeys(PageRef(doc, page) for doc, page in pairs))


# --- flat cases --------------------------------------------------------------------------------------------------


Said = Annotated[str, Meta(min_length=1)]
Grade = Annotated[int, Meta(ge=-1000, le=1000)]
"""Far beyond any scale of judgements: a larger number is a slip, and one too large to count with would end the run."""


class FlatCase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case as a person writes it."""

    id: Said | int
    question: Said
    expected_ids: tuple[Said, ...] = ()
    grades: dict[Said, Grade] = {}
    pages: tuple[PageRef, ...] = ()
    answer: str | Annotated[tuple[str, ...], Meta(min_length=1)] | None = None
    """Of several the first is expected, and the others are right too."""
    answerable: bool = True
    category: str | None = None
    truth: str | None = None
    sources: tuple[str, ...] = ()
    tags: dict[str, str | int | float | bool | None] = {}
    lane: Lane | None = None


def _flat(items: Iterable[tuple[int, Any]], place: Callable[[Keys], str]) -> Iterator[Case]:
    """`place` gives file and line of what stands at that path; asked only when something is wrong."""
    seen: dict[str, int] = {}
    for at, item in items:
        case = _case_of_flat(_read_flat(item, lambda keys, at=at: place((at, *keys))))  # type: ignore[misc]
        if case.id in seen:
            raise AssayError(f"id '{case.id}' occurs twice, first at {place((seen[case.id],))}", where=place((at,)))
        seen[case.id] = at
        yield case


def _read_flat(item: Any, place: Callable[[Keys], str]) -> FlatCase:
    try:
        return convert(item, FlatCase, place)
    except AssayError as fault:
        if not fault.what.startswith("unknown key"):
            raise
        near = fault.hint or ""
        hint = f"{near}{'' if near.endswith('?') else '.'} {_OTHER_KEYS}"
        raise AssayError(fault.what, where=fault.where, hint=hint) from None


_OTHER_KEYS = (
    "A file with keys of its own is read by: assay gold convert FILE --to schema-v2 --map question=KEY,docs=KEY.INNER"
)


def _case_of_flat(flat: FlatCase) -> Case:
    grades = dict.fromkeys(flat.expected_ids, 1) | flat.grades
    answer, *accepted = flat.answer if isinstance(flat.answer, tuple) else (flat.answer or "",)
    tags = {key: UNKNOWN if value is None else str(value) for key, value in flat.tags.items()}
    if flat.pages and "source" not in tags:
        tags["source"] = flat.pages[0].document
    return Case(
        id=str(flat.id),
        question=flat.question,
        expected=grades,
        pages=flat.pages,
        answer=answer or None,
        accepted=tuple(accepted),
        answerable=flat.answerable,
        category=flat.category,
        truth=flat.truth,
        sources=flat.sources or tuple(dict.fromkeys(page.document for page in flat.pages)),
        tags=tags,
        lane=flat.lane,
    )


# --- BEIR --------------------------------------------------------------------------------------------------------


def _from_beir(folder: Path) -> CaseSet:
    """`queries.jsonl` and `qrels/*.tsv`; `test.tsv` when there are several."""
    from assay.trec import read_qrels

    queries = folder / "queries.jsonl"
    files = sorted((folder / "qrels").glob("*.tsv"))
    if not queries.exists() or not files:
        raise AssayError("not a BEIR folder", where=str(folder), expected="queries.jsonl and qrels/*.tsv")
    chosen = next((file for file in files if file.stem == "test"), files[0])
    qrels = read_qrels(chosen)
    sha256 = hashlib.sha256(queries.read_bytes() + chosen.read_bytes()).hexdigest()
    return _case_set(folder, sha256, "beir", _queries(queries, qrels, f"not in {chosen.name}"))


def _queries(path: Path, qrels: Mapping[str, Mapping[str, int]], not_there: str) -> Iterator[Case | Excluded]:
    for number, item in read_jsonl(path):
        if not isinstance(item, dict) or not isinstance(item.get("_id"), str) or not isinstance(item.get("text"), str):
            raise AssayError("not a query", where=f"{path}:{number}", expected='{"_id": ..., "text": ...}')
        grades = qrels.get(item["_id"])
        if grades is None:
            yield Excluded(item["_id"], not_there)
        else:
            yield Case(id=item["_id"], question=item["text"], expected=dict(grades))
