"""Is the gold set still true of this index? Expected ids that are missing, were moved, or could be several chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from assay.corpus.index import Index
from assay.gold.relocate import Moved, Search, State, follow
from assay.records import Case


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


def examine(cases: Sequence[Case], index: Index, search: Search, old: Index | None = None) -> Health:
    """Compare every expected id and document with the index."""
    pairs = [(case, id_) for case in cases for id_ in case.expected_ids]
    absent = [(case, id_) for case, id_ in pairs if id_ not in index.rows]
    return Health(
        expected=len(pairs),
        present=len(pairs) - len(absent),
        moved=tuple(follow(absent, index, search, old)) if absent else (),
        unknown_documents=_unknown_documents(cases, index),
    )


def _unknown_documents(cases: Iterable[Case], index: Index) -> tuple[str, ...]:
    named = {page.document for case in cases for page in case.pages}
    return tuple(sorted(name for name in named if index.documents.find(name) is None))


def relocate(cases: Iterable[Case], health: Health) -> list[Case]:
    """The same cases with relocated ids in place of the old ones."""
    moves = health.relocations
    return [
        msgspec.structs.replace(
            case, expected={moves.get((case.id, id_), id_): grade for id_, grade in case.expected.items()}
        )
        for case in cases
    ]
