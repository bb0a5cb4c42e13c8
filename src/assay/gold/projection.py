"""Upper bounds of cosines from few numbers.

Two vectors x and y, turned so that most of what tells vectors apart stands in their first k numbers, have
x·y ≤ x₁·y₁ + |x₂||y₂| (Cauchy and Schwarz), where x₁ is those k numbers and |x₂| the length of the rest. So the
product of two rows of k + 1 numbers is never below the cosine: a pair whose bound is below a threshold needs no look.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

SLACK = 1e-5
"""More than float32 can be wrong by."""
SMALL = 250_000
"""Multiplications below which the library makes a product in one thread. Threads that share one product wait for each
other, on a busy machine longer than the product takes."""
_WIDTHS = (16, 20, 24, 28, 32, 40, 48, 64)
"""Numbers a bound may be made of."""
_SAMPLE, _ROUNDS = 512, 3
"""Vectors the turn is learned from, and how long."""
_ASKING = 128
"""Of as many others: their pairs with all of those tell how many a width lets by."""
_LOOK = 150
"""What a number of a full comparison costs beside one of a bound: it is made pair by pair."""


def bounds(vectors: Vectors, threshold: float) -> Vectors:
    """The projection of each vector and the length of what it leaves out, a hair too long rather than too short.

    As wide as makes a search for pairs at the threshold cheapest, judged by a sample other than that which the turn is
    learned from: on its own it would look better than it is. Where no width pays, the vectors are their own bounds.
    """
    if len(vectors) < 2:
        return vectors
    sample = np.ascontiguousarray(vectors[:: max(1, len(vectors) // (2 * _SAMPLE))][: 2 * _SAMPLE])
    axes = _axes(sample[::2], min(_WIDTHS[-1] - 1, vectors.shape[1]))
    kept = _cheapest(sample[1::2], axes, threshold)
    return vectors if kept == vectors.shape[1] else _bounds(vectors, product(vectors, axes[:, :kept]))


def product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Of two matrices, some rows at a time, in this thread alone."""
    rows = max(1, SMALL // right.size)
    whole = len(left) // rows * rows
    result = np.empty((len(left), right.shape[1]), dtype=np.result_type(left, right))
    right = np.ascontiguousarray(right)
    np.matmul(left[:whole].reshape(-1, rows, left.shape[1]), right, out=result[:whole].reshape(-1, rows, len(right.T)))
    np.matmul(left[whole:], right, out=result[whole:])
    return result


def _bounds(vectors: Vectors, projected: Vectors) -> Vectors:
    squares = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", projected, projected)
    return np.column_stack([projected, np.sqrt(np.maximum(squares, 0) + SLACK)])


def _axes(sample: Vectors, kept: int) -> Vectors:
    """Orthonormal directions in which the vectors differ most, near enough, longest first: any would be right."""
    apart = sample - sample.mean(axis=0)
    axes = np.random.default_rng(0).standard_normal((sample.shape[1], kept), dtype=np.float32)
    turned = np.ascontiguousarray(apart.T)
    for _ in range(_ROUNDS):
        axes = product(turned, product(apart, axes / np.sqrt(len(sample), dtype=np.float32)))
    return _orthonormal(axes)


def _orthonormal(axes: Vectors) -> Vectors:
    """The same directions at right angles, the longest first; one that the others hold already becomes zero."""
    found = product(axes, _turn(_gram(axes.astype(np.float64))))
    polish = 1.5 * np.eye(found.shape[1]) - 0.5 * _gram(found)  # where e is off, 3/4 e² remains
    result: Vectors = product(found, polish).astype(np.float32)
    return result


def _turn(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """What makes axes of these products orthonormal, by Gram and Schmidt; the library's own wakes threads that wait."""
    turn, products = np.zeros_like(gram), np.zeros_like(gram)
    left = gram.diagonal().copy()
    least = 1e-10 * left.max(initial=0)
    for place in range(len(gram)):
        longest = int(np.argmax(left))
        if left[longest] <= least:
            break
        one = -(turn[:, :place] @ products[:place, longest])
        one[longest] += 1
        with_all = one @ gram
        length = np.sqrt(with_all @ one)
        turn[:, place], products[place] = one / length, with_all / length
        left -= products[place] ** 2
    return turn


def _gram(axes: NDArray[np.floating]) -> NDArray[np.float64]:
    return product(np.ascontiguousarray(axes.T), axes)


def _cheapest(sample: Vectors, axes: Vectors, threshold: float) -> int:
    """How many of the axes make a search cheapest: the numbers of every bound, and a full look at what it lets by.

    Pairs that are near count for nothing: they are found anyhow, and one of them is gone afterwards.
    """
    far = product(sample, sample[:_ASKING].T) < threshold - SLACK
    projected = product(sample, axes)

    def cost(kept: int) -> float:
        found = _bounds(sample, projected[:, :kept])
        let_by = (product(found, found[:_ASKING].T) >= threshold - SLACK) & far
        return float(kept + 1 + _LOOK * sample.shape[1] * np.count_nonzero(let_by) / let_by.size)

    best, least = int(sample.shape[1]), float(sample.shape[1])
    for width in _WIDTHS:
        if width >= least:
            break  # whatever it lets by
        best, least = min((best, least), (width - 1, cost(width - 1)), key=lambda each: each[1])
    return best
