"""Near duplicates, exactly and without comparing most pairs in full.

Two unit vectors x and y, turned so that most of what tells vectors apart stands in their first k numbers, have
x·y ≤ x₁·y₁ + |x₂||y₂|, where x₁ is those k numbers and |x₂| the length of the rest. That is one product of k + 1
numbers, an eighth of the work; only the pairs whose bound reaches the threshold are compared in full. The
product is made in blocks: memory grows with the number of vectors, never with its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.corpus.quotes import fold

Vectors = NDArray[np.float32]

_KEPT = 31
"""Dimensions of the projection; with the length of the rest, 32."""
_ROWS, _COLUMNS = 512, 8192
"""Of a block: 16 MB of float32. Smaller ones fit a cache but make the threads of the product wait for each other."""
_SAMPLE, _ROUNDS = 2048, 3
"""Vectors the turn is learned from, and how long."""
_SLACK = 1e-5
"""More than float32 can be wrong by: a pair this near the threshold is decided in float64."""
_CROWDED = 0.02
"""Share of a block's pairs above which one product in full is cheaper than comparing them pair by pair."""


_WORD = re.compile(r"\w+")


class Duplicate(Struct, frozen=True):
    """`row` is left out because it is like `of`, an earlier row that stays."""

    row: int
    of: int
    cosine: float


def duplicates(vectors: Vectors, threshold: float) -> list[Duplicate]:
    """The rows that are within the threshold of an earlier row that stays, in order.

    The first of several stays, so put what is worth more first. Rows must be of unit length; a zero row is like none.
    """
    found: list[Duplicate] = []
    search = _Search(np.ascontiguousarray(vectors, dtype=np.float32), threshold)
    for start in range(0, len(vectors), _ROWS):
        found += search.next_block(start, min(start + _ROWS, len(vectors)))
    return found


class _Search:
    """The vectors, their projections, and the rows that stay so far, gathered without gaps."""

    def __init__(self, vectors: Vectors, threshold: float):
        self._vectors, self._threshold = vectors, threshold
        # Of a single block every pair is compared in full: there is nothing to bound.
        self._bounds = _bounds(vectors) if len(vectors) > _ROWS else vectors
        self._kept = np.empty(len(vectors), dtype=np.int64)
        self._kept_bounds = np.empty_like(self._bounds)
        self._count = 0

    def keep(self, rows: NDArray[np.int64]) -> None:
        self._kept[self._count : self._count + len(rows)] = rows
        self._kept_bounds[self._count : self._count + len(rows)] = self._bounds[rows]
        self._count += len(rows)

    def next_block(self, start: int, stop: int) -> list[Duplicate]:
        """First against all that stay, then among themselves, in order."""
        rows, others, cosines = self.pairs(start, stop, self._count)
        found = _earliest(rows, others, cosines)
        stays = np.ones(stop - start, dtype=bool)
        stays[[row - start for row in found]] = False
        inner = self._among(start + np.flatnonzero(stays))
        found |= {each.row: each for each in inner}
        stays[[each.row - start for each in inner]] = False
        self.keep(start + np.flatnonzero(stays))
        return [found[row] for row in sorted(found)]

    def _among(self, rows: NDArray[np.int64]) -> list[Duplicate]:
        """Those of these rows that are like an earlier one of them that stays."""
        bounds = self._bounds[rows]
        near = np.flatnonzero(bounds @ bounds.T >= self._threshold - _SLACK)
        later, earlier = np.divmod(near, len(rows)) if len(near) else (near, near)
        below = earlier < later
        later, earlier, cosines = _decided(self._vectors[rows], later[below], earlier[below], self._threshold)
        starts = np.searchsorted(later, np.arange(len(rows) + 1))
        stays = np.ones(len(rows), dtype=bool)
        found = []
        for row in np.unique(later).tolist():
            part = slice(starts[row], starts[row + 1])
            near = np.flatnonzero(stays[earlier[part]])
            if len(near):
                stays[row] = False
                at = starts[row] + near[0]
                found.append(Duplicate(int(rows[row]), int(rows[earlier[at]]), float(cosines[at])))
        return found

    def pairs(
        self, start: int, stop: int, count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Rows of the block and rows among the first `count` that stay, with their cosines."""
        parts = [self._pairs(start, stop, left, min(left + _COLUMNS, count)) for left in range(0, count, _COLUMNS)]
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64)
        rows, others, cosines = (np.concatenate(part) for part in zip(*parts, strict=True))
        return rows, others, cosines

    def _pairs(
        self, start: int, stop: int, left: int, right: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        bound = self._bounds[start:stop] @ self._kept_bounds[left:right].T
        near = np.flatnonzero(bound >= self._threshold - _SLACK)
        if len(near) > _CROWDED * bound.size:
            full = self._vectors[start:stop] @ self._vectors[self._kept[left:right]].T
            near = np.flatnonzero(full >= self._threshold - _SLACK)
        rows, columns = np.divmod(near, right - left)
        rows, others = rows + start, self._kept[left + columns]
        return _decided(self._vectors, rows, others, self._threshold)


def _bounds(vectors: Vectors) -> Vectors:
    """The projection of each vector and the length of what it leaves out, a hair too long rather than too short."""
    kept = min(_KEPT, vectors.shape[1])
    if not len(vectors):
        return np.empty((0, kept + 1), dtype=np.float32)
    axes = _axes(vectors[:: max(1, len(vectors) // _SAMPLE)], kept)
    result = np.empty((len(vectors), kept + 1), dtype=np.float32)
    np.matmul(vectors, axes, out=result[:, :kept])
    squares = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", result[:, :kept], result[:, :kept])
    result[:, kept] = np.sqrt(np.maximum(squares, 0) + _SLACK)
    return result


def _axes(sample: Vectors, kept: int) -> Vectors:
    """Orthonormal directions in which the sample is longest, near enough: any others would be right and slower."""
    squares = (sample.T @ sample).astype(np.float64)
    axes = np.random.default_rng(0).normal(size=(len(squares), kept))
    for _ in range(_ROUNDS):
        axes = np.linalg.qr(squares @ axes)[0]
    found: Vectors = axes.astype(np.float32)
    return found


def _decided(
    vectors: Vectors, rows: NDArray[np.int64], others: NDArray[np.int64], threshold: float, at_once: int = 4096
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Of pairs that may be near, those that are, by their cosines in float64."""
    cosines = np.empty(len(rows), dtype=np.float64)
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        cosines[part] = np.einsum("ij,ij->i", vectors[rows[part]], vectors[others[part]], dtype=np.float64)
    near = cosines >= threshold
    return rows[near], others[near], cosines[near]


def _earliest(rows: NDArray[np.int64], others: NDArray[np.int64], cosines: NDArray[np.float64]) -> dict[int, Duplicate]:
    """For each row the earliest of those it is like."""
    order = np.lexsort((others, rows))
    found: dict[int, Duplicate] = {}
    for at in order.tolist():
        row = int(rows[at])
        if row not in found:
            found[row] = Duplicate(row, int(others[at]), float(cosines[at]))
    return found


# --- by text -----------------------------------------------------------------------------------------------------


def folded(text: str) -> str:
    """Without case, accents, punctuation and extra spaces.

    >>> folded("Où est l'École ?") == folded("ou est  l'ecole")
    True
    """
    return " ".join(_WORD.findall(fold(text)))


def same_text(texts: Iterable[str]) -> list[tuple[int, int]]:
    """(later, first) of the texts that are the same but for case, accents, punctuation and spaces."""
    first: dict[str, int] = {}
    return [(at, first[key]) for at, key in enumerate(map(folded, texts)) if first.setdefault(key, at) != at]
