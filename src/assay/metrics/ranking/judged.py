"""Rankings met with their judgements, as flat arrays: what every ranking measure is computed from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """Many queries at once. Only documents that were judged are kept: of the others, their number is all that counts.

    Grades below 0 mean "in the pool, not judged" and are treated like documents nobody saw, as trec_eval does.
    """

    query: Ints
    """Of each retrieved and judged document: its query, ascending."""
    rank: Ints
    """Its rank from 1, ascending within a query."""
    grade: Ints
    retrieved: Ints
    """Of each query: how many documents were retrieved, judged or not."""
    pool_query: Ints
    """Of each judged document, retrieved or not: its query, ascending."""
    pool_grade: Ints
    """Its grade, descending within a query: the ideal ranking."""
    level: int = 1
    """The lowest grade that is relevant."""

    @classmethod
    def build(cls, found: tuple[Any, Any, Any], retrieved: Any, pool: tuple[Any, Any], level: int = 1) -> Judged:
        """From `found` (query, rank, grade) in any order and `pool` (query, grade) in any order."""
        if level < 1:
            raise AssayError(f"relevance level {level}", expected="a grade from 1 on")
        query, rank, grade = (np.asarray(column, np.int64) for column in found)
        pool_query, pool_grade = (np.asarray(column, np.int64) for column in pool)
        keep = _sorted(query, rank, grade)
        ideal = _sorted(pool_query, -pool_grade, pool_grade)
        return cls(
            query=query[keep], rank=rank[keep], grade=grade[keep], retrieved=np.asarray(retrieved, np.int64),
            pool_query=pool_query[ideal], pool_grade=pool_grade[ideal], level=level,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.retrieved)

    def count(self, query: Ints) -> Ints:
        """How often each query occurs."""
        return np.bincount(query, minlength=len(self)).astype(np.int64, copy=False)

    def total(self, query: Ints, values: Floats) -> Floats:
        """The sum of the values of each query, added in rank order as a plain loop would."""
        return np.bincount(query, values, minlength=len(self)).astype(np.float64, copy=False)

    @cached_property
    def relevant(self) -> Ints:
        """Of each query: how many documents are relevant, retrieved or not."""
        return self.count(self.pool_query[self.pool_grade >= self.level])

    @cached_property
    def hit(self) -> tuple[Ints, Ints, Ints]:
        """(query, rank, number within its query from 1) of each relevant document that was retrieved."""
        is_hit = self.grade >= self.level
        query = self.query[is_hit]
        return query, self.rank[is_hit], position(query) + 1

    def hits(self, k: int | None) -> Ints:
        """Of each query: how many relevant documents stand in the first k, or anywhere."""
        query, rank, _ = self.hit
        return self.count(query if k is None else query[rank <= k])


def _sorted(query: Ints, value: Ints, grade: Ints) -> Ints:
    """The judged entries (grade from 0 on), by query and then value."""
    keep = np.flatnonzero(grade >= 0)
    keys = (query[keep] << 32) + value[keep]
    return keep if (keys[1:] >= keys[:-1]).all() else keep[np.argsort(keys, kind="stable")]


def position(query: Ints) -> Ints:
    """The place of each entry within its query, from 0. Entries of a query stand together."""
    if not len(query):
        return query
    first = np.flatnonzero(np.r_[True, query[1:] != query[:-1]])
    return np.arange(len(query)) - np.repeat(first, np.diff(np.r_[first, len(query)]))


def share(part: NDArray[Any], whole: NDArray[Any] | int, defined: NDArray[np.bool_]) -> Floats:
    """part / whole where defined, NaN elsewhere."""
    result = np.full(len(part), np.nan)
    np.divide(part, whole, out=result, where=defined)
    return result


def judge(rankings: Sequence[Sequence[str]], expected: Sequence[Mapping[str, int]], *, level: int = 1) -> Judged:
    """Rankings already in order, best first, met with the grades of each query."""
    found: list[tuple[int, int, int]] = []
    for query, (ids, grades) in enumerate(zip(rankings, expected, strict=True)):
        ranks = dict(zip(ids, range(1, len(ids) + 1), strict=True))
        if len(ranks) != len(ids):
            twice = next(id_ for at, id_ in enumerate(ids) if id_ in ids[:at])
            raise AssayError(f"'{twice}' stands twice in ranking {query + 1}", expected="each id at most once")
        found += [(query, ranks[id_], grade) for id_, grade in grades.items() if id_ in ranks]
    numbers, rank, grade = np.array(found, np.int64).reshape(-1, 3).T
    return Judged.build((numbers, rank, grade), [len(ids) for ids in rankings], pool_of(expected), level)


def pool_of(judgements: Collection[Mapping[str, int]]) -> tuple[Ints, Ints]:
    """(query, grade) of all judged documents."""
    sizes = [len(grades) for grades in judgements]
    grade = np.fromiter((grade for grades in judgements for grade in grades.values()), np.int64, sum(sizes))
    return np.repeat(np.arange(len(sizes)), sizes), grade
