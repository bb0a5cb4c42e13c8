"""Upper bounds of cosines from few numbers.

Two vectors x and y, turned so that most of what tells vectors apart stands in their first k numbers, have
x·y ≤ x₁·y₁ + |x₂||y₂| (Cauchy and Schwarz), where x₁ is those k numbers and |x₂| the length of the rest. So the
product of two rows of k + 1 numbers is never below the cosine: a pair whose bound is below a threshold needs no look.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

SLACK = 1e-5
"""More than float32 can be wrong by."""
SMALL = 250_000
"""Multiplications below which the library makes a product in one thread. Threads that share one product wait for each
other, on a busy machine longer than the product takes."""
_WIDTHS = (24, 32, 48, 64)
"""Numbers a bound may be made of: multiples of what a processor takes at once."""
_SAMPLE, _ROUNDS = 1024, 3
"""Vectors the turn is learned from, and how long."""
_ASKING = 128
"""Of the sample: their pairs with all of it tell how many a width lets through."""
_LOOK = 100
"""What a number of a full comparison costs beside one of a bound: it is made pair by pair."""


def bounds(vectors: Vectors, threshold: float) -> Vectors:
    """The projection of each vector and the length of what it leaves out, a hair too long rather than too short.

    As wide as makes a search for pairs at the threshold cheapest, judged by a sample.
    """
    sample = np.ascontiguousarray(vectors[:: max(1, len(vectors) // _SAMPLE)][:_SAMPLE])
    axes = _axes(sample, min(_WIDTHS[-1] - 1, vectors.shape[1]))
    kept = _cheapest(sample, axes, threshold)
    return _bounds(vectors, product(vectors, axes[:, :kept]))


def product(left: Vectors, right: Vectors) -> Vectors:
    """Of two matrices, some rows at a time, in this thread alone."""
    rows = max(1, SMALL // right.size)
    whole = len(left) // rows * rows
    result = np.empty((len(left), right.shape[1]), dtype=np.float32)
    right = np.ascontiguousarray(right)
    np.matmul(left[:whole].reshape(-1, rows, left.shape[1]), right, out=result[:whole].reshape(-1, rows, len(right.T)))
    np.matmul(left[whole:], right, out=result[whole:])
    return result


def _bounds(vectors: Vectors, projected: Vectors) -> Vectors:
    squares = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", projected, projected)
    return np.column_stack([projected, np.sqrt(np.maximum(squares, 0) + SLACK)])


def _axes(sample: Vectors, kept: int) -> Vectors:
    """Orthonormal directions in which the sample is longest, near enough: any others would be right and slower."""
    axes: Vectors = np.random.default_rng(0).normal(size=(sample.shape[1], kept)).astype(np.float32)
    turned = np.ascontiguousarray(sample.T)
    for _ in range(_ROUNDS):
        axes = product(turned, product(sample, axes / np.sqrt(len(sample), dtype=np.float32)))
    return _orthonormal(axes)


def _orthonormal(axes: Vectors) -> Vectors:
    """By Gram and Schmidt, twice, the longest first; a direction that the others hold already becomes zero."""
    left = axes.astype(np.float64)
    found = np.zeros_like(left)
    least = 1e-6 * np.linalg.norm(left, axis=0).max(initial=0.0)
    for place in range(left.shape[1]):
        lengths = np.einsum("ij,ij->j", left, left)
        longest = int(np.argmax(lengths))
        if lengths[longest] <= least**2:
            break
        one = left[:, longest] / np.sqrt(lengths[longest])
        one -= np.einsum("ij,j->i", found, np.einsum("i,ij->j", one, found))
        found[:, place] = one / np.linalg.norm(one)
        left -= np.outer(found[:, place], np.einsum("i,ij->j", found[:, place], left))
    result: Vectors = found.astype(np.float32)
    return result


def _cheapest(sample: Vectors, axes: Vectors, threshold: float) -> int:
    """How many of the axes make a search cheapest: the numbers of every bound, and a full look at what it lets by."""
    projected = product(sample, axes)

    def cost(kept: int) -> float:
        found = _bounds(sample, projected[:, :kept])
        near = int(np.count_nonzero(product(found[:_ASKING], found.T) >= threshold - SLACK))
        let_by = max(0, near - len(found[:_ASKING])) / (len(found[:_ASKING]) * len(found))
        return float(kept + 1 + _LOOK * sample.shape[1] * let_by)

    widths: set[int] = {min(width - 1, axes.shape[1]) for width in _WIDTHS}
    return min(sorted(widths), key=cost)
