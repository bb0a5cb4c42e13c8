"""Is the gold set still true of this index? Expected ids that are missing, were moved, or could be several chunks."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from assay.corpus.documents import Documents, same_document
from assay.corpus.index import Index
from assay.records import Case, Chunk

State = Literal["relocated", "ambiguous", "missing"]
QUOTE_WORDS = 3
"""A shorter answer occurs by chance: it cannot be followed to a new chunk."""


class Moved(Struct, frozen=True):
    """One expected id that is not in the index, and what became of it."""

    case_id: str
    expected_id: str
    state: State
    candidates: tuple[str, ...]
    how: str


class Health(Struct, frozen=True, kw_only=True):
    """How far the gold set and the index agree."""

    expected: int
    """Distinct (question, expected id) pairs."""
    present: int
    moved: tuple[Moved, ...] = ()
    unknown_documents: tuple[str, ...] = ()
    """Named in the gold set, not to be found (or not uniquely) in the index."""
    trivial: float | None = None
    """Share of questions that bm25 alone ranks first: a set that is all trivial measures nothing."""

    def count(self, state: State) -> int:
        return sum(moved.state == state for moved in self.moved)

    @property
    def relocations(self) -> dict[tuple[str, str], str]:
        """(case, old id) → new id."""
        return {(m.case_id, m.expected_id): m.candidates[0] for m in self.moved if m.state == "relocated"}


Search = Callable[[Sequence[str]], list[Sequence[str]]]
"""Texts → ids of the chunks most like each."""


def examine(cases: Sequence[Case], index: Index, search: Search, old: Index | None = None) -> Health:
    """Compare every expected id and document with the index."""
    known = set(index.ids)
    pairs = [(case, id_) for case in cases for id_ in case.expected_ids]
    absent = [(case, id_) for case, id_ in pairs if id_ not in known]
    return Health(
        expected=len(pairs),
        present=len(pairs) - len(absent),
        moved=tuple(_follow(absent, index, search, old)) if absent else (),
        unknown_documents=_unknown_documents(cases, index),
    )


def _unknown_documents(cases: Iterable[Case], index: Index) -> tuple[str, ...]:
    documents = Documents(index.sources)
    named = {page.document for case in cases for page in case.pages}
    return tuple(sorted(name for name in named if documents.find(name) is None))


def _follow(absent: Sequence[tuple[Case, str]], index: Index, search: Search, old: Index | None) -> Iterable[Moved]:
    texts = old.chunks(id_ for _, id_ in absent) if old else {}
    by_hash = _by_hash(index) if texts else {}
    found = search([case.answer or "" for case, _ in absent])
    for (case, id_), ids in zip(absent, found, strict=True):
        same = by_hash.get(_hash(texts[id_].text), ()) if id_ in texts else ()
        if same:
            yield _moved(case.id, id_, same, "same text")
        else:
            yield _moved(case.id, id_, *_quoted(case, index.chunks(ids)))


def _quoted(case: Case, candidates: Mapping[str, Chunk]) -> tuple[Sequence[str], str]:
    """Chunks that hold the answer word for word, those of the right document first."""
    quote = fold(case.answer or "")
    if len(quote.split()) < QUOTE_WORDS:
        return (), "no answer long enough to be followed"
    holding = [chunk for chunk in candidates.values() if quote in fold(chunk.text)]
    source = case.pages[0].document if case.pages else case.tags.get("source")
    at_home = [chunk for chunk in holding if source and same_document(chunk.source, source)]
    return [chunk.id for chunk in at_home or holding], "same answer" if holding else "the answer is nowhere"


def _moved(case_id: str, expected_id: str, candidates: Sequence[str], how: str) -> Moved:
    state: State = "missing" if not candidates else "relocated" if len(candidates) == 1 else "ambiguous"
    return Moved(case_id, expected_id, state, tuple(sorted(candidates)), how)


def _by_hash(index: Index) -> dict[str, list[str]]:
    by_hash: dict[str, list[str]] = {}
    for id_, text in zip(index.ids, index.texts(), strict=True):
        by_hash.setdefault(_hash(text), []).append(id_)
    return by_hash


def _hash(text: str) -> str:
    return hashlib.sha256(fold(text).encode()).hexdigest()


def fold(text: str) -> str:
    """Unicode, case, accents and white space do not matter for a quote."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


def relocate(cases: Iterable[Case], health: Health) -> list[Case]:
    """The same cases with relocated ids in place of the old ones."""
    moves = health.relocations
    return [
        msgspec.structs.replace(
            case, expected={moves.get((case.id, id_), id_): grade for id_, grade in case.expected.items()}
        )
        for case in cases
    ]
