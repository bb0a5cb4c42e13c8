"""Answers of retrievers that are not ours: a ranking when they are what was promised, else a Fault that says why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Fault, Ranking
from assay.retrievers.filters import allowed_ids
from assay.retrievers.protocol import Request

PHASE = "retrieve"
RANK_SCALE = "rank"
"""Of a list of ids alone: the score is 1 / rank."""
LONGEST_ID = 4096
_SHOWN = 80
_LONGEST = 500


class BadAnswer(ValueError):
    """Not what was promised."""


class Cut(Struct, frozen=True):
    """What is kept of an answer."""

    k: int
    scale: str = "score"
    allowed: frozenset[str] | None = None


def cut_of(index: Index | None, request: Request, scale: str) -> Cut:
    """The filter of a request is held against the answers, too: nobody else can be trusted to have used it."""
    if not request.sources and request.lane is None:
        return Cut(request.k, scale)
    if index is None:
        raise AssayError("results can be filtered only with an index at hand", hint="Name one with --index FILE.")
    return Cut(request.k, scale, allowed_ids(index, request))


def to_ranking(answer: object, cut: Cut) -> Ranking | Fault:
    """The answer as a ranking: ordered by score, then id, whatever its own order, as every evaluation tool does."""
    try:
        pairs = read(answer)
    except BadAnswer as fault:
        return Fault(PHASE, str(fault))
    scale = cut.scale
    if any(score is None for _, score in pairs):
        pairs, scale = [(id_, 1 / rank) for rank, (id_, _) in enumerate(pairs, 1)], RANK_SCALE
    if cut.allowed is not None:
        pairs = [(id_, score) for id_, score in pairs if id_ in cut.allowed]
    return ordered(pairs, cut.k, scale)


def ordered(pairs: Sequence[tuple[str, float | None]], k: int, scale: str) -> Ranking:
    """In single precision, as scores are compared everywhere."""
    scores = np.array([score for _, score in pairs], dtype=np.float32).tolist()
    best = sorted(zip(scores, [id_ for id_, _ in pairs], strict=True), reverse=True)[:k]
    return Ranking(tuple([id_ for _, id_ in best]), tuple([score for score, _ in best]), scale)


def read(answer: object) -> list[tuple[str, float | None]]:
    """(id, score) of each result; the score is None in a list of ids."""
    if not isinstance(answer, (list, tuple)):
        raise BadAnswer(f"gave {_shown(answer)}; expected a list of ids, of (id, score) or of {{id, score}}")
    pairs = [_pair(entry, rank) for rank, entry in enumerate(answer, 1)]
    without = sum(score is None for _, score in pairs)
    if 0 < without < len(pairs):
        raise BadAnswer(f"{without} of {len(pairs)} results have no score; expected all or none")
    seen: set[str] = set()
    for id_, _ in pairs:
        if id_ in seen:
            raise BadAnswer(f"the id {_shown(id_)} is there twice")
        seen.add(id_)
    return pairs


def _pair(entry: object, rank: int) -> tuple[str, float | None]:
    if isinstance(entry, Mapping):
        return _id(entry.get("id"), rank), read_score(entry["score"], rank) if "score" in entry else None
    if isinstance(entry, (list, tuple)):
        if len(entry) != 2:
            raise BadAnswer(f"result {rank} is {_shown(entry)}; expected (id, score)")
        return _id(entry[0], rank), read_score(entry[1], rank)
    return _id(entry, rank), None


def _id(value: Any, rank: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise BadAnswer(f"the id of result {rank} is {_shown(value)}; expected a text")
    if len(value) > LONGEST_ID:
        raise BadAnswer(f"the id of result {rank} has {len(value)} characters; expected at most {LONGEST_ID}")
    return value


def read_score(value: object, rank: int) -> float:
    """numpy's numbers count as well."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BadAnswer(f"the score of result {rank} is {_shown(value)}; expected a number")
    try:
        with np.errstate(over="ignore"):
            is_finite = math.isfinite(np.float32(value))
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise BadAnswer(f"the score of result {rank} is {_shown(value)}; expected a finite number")
    return float(value)


def raised(fault: BaseException, phase: str = PHASE) -> Fault:
    """What somebody else's code raised, as a record."""
    return Fault(phase, f"{type(fault).__name__}: {fault}"[:_LONGEST])


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({type(value).__name__})"
