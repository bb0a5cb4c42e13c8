"""A person's questions from a CSV: one row for each, written from a chunk that the row names."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from assay.corpus.index import Index
from assay.corpus.quotes import fold, stands_in
from assay.errors import AssayError, offer
from assay.files import read_text, write_atomic
from assay.gold.candidate import PERSON, Candidate, LogLine, key_of
from assay.gold.formats.table import table_of
from assay.gold.leaves import (
    ADVERSARIAL,
    ANSWER_TYPES,
    ANSWERABLE,
    COGNITIVE_LEVELS,
    PUBLISHED,
    QUESTION_TYPES,
    REASONING_CLASSES,
    REASONING_TYPES,
    UNANSWERABLE,
)
from assay.gold.stratify import stratum_of
from assay.records import Chunk

PATTERN = "person-*.csv"
REQUIRED = ("chunk_id", "question", "answer", "difficulty", "question_type", "cognitive_level", "reasoning_class")
OPTIONAL = (
    "category",
    "corpus_truth",
    "contradiction",
    "quote",
    "explanation",
    "keywords",
    "reasoning_type",
    "answer_type",
    "article_reference",
    "language",
)
"""`category` is why a question cannot be answered; empty for one that can."""


class Written(Struct, frozen=True):
    """The questions of one file, as a batch."""

    batch: str
    candidates: tuple[Candidate, ...]

    @property
    def lines(self) -> list[LogLine]:
        """As the log has them."""
        lines = [
            LogLine(
                event="candidate",
                batch=self.batch,
                accepted=True,
                key=each.key,
                chunk_id=each.chunk_id,
                prompt=each.prompt,
                model=each.model,
                candidate=each,
            )
            for each in self.candidates
        ]
        return [*lines, LogLine(event="batch", batch=self.batch, accepted=True, reason=f"{len(lines)} kept, 0 refused")]


class Kept(Struct, frozen=True):
    """What a file brought."""

    questions: int
    known: bool
    """The very same file is there already."""


def keep_csv(path: Path, folder: Path, index: Index, patterns: Mapping[str, str]) -> Kept:
    """Read, checked, and kept in the build's folder under a number and a name of its content."""
    text = read_text(path)
    written = parse_people(text, str(path), index, patterns)
    before = sorted(folder.glob(PATTERN))
    name = f"{written.batch.removeprefix('csv-')}.csv"
    known = any(each.name.endswith(name) for each in before)
    if not known:
        write_atomic(folder / f"person-{len(before) + 1:04d}-{name}", text)
    return Kept(len(written.candidates), known)


def read_people(folder: Path, index: Index, patterns: Mapping[str, str]) -> list[Written]:
    """In the order they came: a question that comes again is the correction of the first."""
    return [parse_people(read_text(path), str(path), index, patterns) for path in sorted(folder.glob(PATTERN))]


def parse_people(text: str, where: str, index: Index, patterns: Mapping[str, str]) -> Written:
    """Every row, or the first fault with its line."""
    batch = f"csv-{sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()[:12]}"
    names, found = table_of(text, where)
    _check_columns([_column(name) for name in names], where)
    rows = []
    for place, row in found:
        cells = {_column(name): cell.strip() for name, cell in row.items()}
        if cells.pop("", ""):
            raise AssayError("a cell stands under no name of a column", where=place)
        rows.append((place, cells))
    if not rows:
        raise AssayError("holds no question at all", where=where)
    chunks = index.chunks(cells["chunk_id"] for _, cells in rows)
    return Written(batch, tuple(_candidate(cells, chunks, place, patterns, batch) for place, cells in rows))


def _column(name: str) -> str:
    return name.strip().lower()


def _check_columns(names: list[str], where: str) -> None:
    absent = [name for name in REQUIRED if name not in names]
    if absent:
        raise AssayError(
            f"no column {', '.join(absent)}",
            where=f"{where}:1",
            hint="The first row names the columns, separated by commas, semicolons or tabs",
        )
    for name in filter(None, names):
        if name not in REQUIRED + OPTIONAL:
            raise AssayError(f"unknown column '{name}'", where=f"{where}:1", hint=offer(name, REQUIRED + OPTIONAL))


def _candidate(
    cells: Mapping[str, str], chunks: Mapping[str, Chunk], where: str, patterns: Mapping[str, str], batch: str
) -> Candidate:
    chunk = chunks.get(cells["chunk_id"])
    if chunk is None:
        raise AssayError(f"chunk '{cells['chunk_id']}' is not in the index", where=where)
    if not cells["question"]:
        raise AssayError("the question is empty", where=where)
    category = cells.get("category") or ANSWERABLE
    category = PUBLISHED.get(category, category)
    absent = _one_of("category", category, (ANSWERABLE, *UNANSWERABLE), where) != ANSWERABLE
    _check_truth(cells, absent=absent, where=where)
    question = " ".join(cells["question"].split())
    return Candidate(
        key=key_of(chunk.id, question),
        chunk_id=chunk.id,
        question=question,
        answer=cells["answer"],
        hard_type=category,
        keywords=tuple(word.strip() for word in cells.get("keywords", "").split(",") if word.strip()),
        difficulty=_share(cells["difficulty"], where),
        question_type=_one_of("question_type", cells["question_type"], QUESTION_TYPES, where),
        cognitive_level=_one_of("cognitive_level", cells["cognitive_level"], COGNITIVE_LEVELS, where),
        language=cells.get("language") or str(chunk.metadata.get("language") or "en"),
        stratum=stratum_of(chunk.source, patterns),
        batch=batch,
        prompt="csv",
        model=PERSON,
        quote=cells.get("quote") or None,
        explanation=cells.get("explanation") or None,
        article_reference=cells.get("article_reference") or None,
        corpus_truth=cells.get("corpus_truth") or None,
        contradiction=cells.get("contradiction") or None,
        **_kinds(cells, chunk, absent=absent, where=where),
    )


def _check_truth(cells: Mapping[str, str], *, absent: bool, where: str) -> None:
    if absent == bool(cells["answer"]):
        what = "an unanswerable question has an answer" if absent else "the answer is empty"
        raise AssayError(what, where=where, hint="Its category says whether a question can be answered")
    if absent and not cells.get("corpus_truth"):
        raise AssayError("an unanswerable question has no corpus_truth", where=where, expected="what the corpus says")


def _kinds(cells: Mapping[str, str], chunk: Chunk, *, absent: bool, where: str) -> dict[str, str]:
    if absent:
        return {"reasoning_class": ADVERSARIAL, "reasoning_type": ADVERSARIAL, "answer_type": "unanswerable"}
    literal = stands_in(fold(cells["answer"]), fold(chunk.text))
    kind = cells.get("answer_type") or ("extractive" if literal else "abstractive")
    return {
        "reasoning_class": _one_of("reasoning_class", cells["reasoning_class"], REASONING_CLASSES, where),
        "reasoning_type": _one_of(
            "reasoning_type", cells.get("reasoning_type") or "single-hop", REASONING_TYPES, where
        ),
        "answer_type": _one_of("answer_type", kind, ANSWER_TYPES, where),
    }


def _one_of(name: str, value: str, known: tuple[str, ...], where: str) -> str:
    if value not in known:
        raise AssayError(f"{name} is '{value}'", where=where, expected="|".join(known))
    return value


def _share(text: str, where: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise AssayError(f"difficulty is '{text}'", where=where, expected="a number from 0 to 1")
    return value
