"""After re-chunking: follow the quoted answers to their new chunks, and say what is lost."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from assay.corpus.documents import same_document
from assay.corpus.index import Index
from assay.corpus.quotes import fold, stands_in
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


Search = Callable[[Sequence[str]], list[Sequence[str]]]
"""Texts → ids of the chunks most like each."""


def follow(
    absent: Sequence[tuple[Case, str]], index: Index, search: Search, old: Index | None = None
) -> Iterable[Moved]:
    """What became of each (case, expected id) that the index does not have.

    By the old chunk's own text where the old index is there, else by the answer, which is a quote.
    """
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
    holding = [chunk for chunk in candidates.values() if stands_in(quote, fold(chunk.text))]
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
    return hashlib.sha256(fold(text).encode("utf-8", "surrogatepass")).hexdigest()
