"""The bound is never below the cosine, whatever the vectors: that alone makes skipping exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.gold import projection
from assay.gold.projection import bounds, product

Vectors = NDArray[np.float32]


def unit(vectors: NDArray[np.floating]) -> Vectors:
    found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def around(seed: int, count: int, dimensions: int, centres: int, spread: float) -> Vectors:
    draw = np.random.default_rng(seed)
    middles = draw.normal(size=(centres, dimensions))
    return unit(middles[draw.integers(centres, size=count)] + spread * draw.normal(size=(count, dimensions)))


@given(
    st.integers(0, 10_000),
    st.integers(1, 300),
    st.sampled_from([1, 2, 23, 24, 63, 64, 65, 200]),
    st.sampled_from([1, 3, 50]),
    st.sampled_from([1e-7, 0.01, 0.3, 2.0]),
)
def test_no_bound_is_below_its_cosine(seed: int, count: int, dimensions: int, centres: int, spread: float) -> None:
    vectors = around(seed, count, dimensions, centres, spread)
    found = bounds(vectors, 0.95).astype(np.float64)
    exact = vectors.astype(np.float64)
    assert (found @ found.T >= exact @ exact.T - 1e-6).all()


def test_vectors_of_few_directions_are_bounded_by_what_they_are() -> None:
    """Three directions in 80 dimensions: nothing is left over, and the directions that are missing add nothing."""
    basis = unit(np.random.default_rng(1).normal(size=(3, 80)))
    vectors = unit(np.random.default_rng(2).normal(size=(50, 3)) @ basis)
    found = bounds(vectors, 0.95)
    assert found.shape == (50, 16)
    assert (found[:, -1] < 0.01).all()
    assert np.allclose(found[:, :-1] @ found[:, :-1].T, vectors @ vectors.T, atol=1e-4)


def test_zero_vectors_have_no_direction() -> None:
    found = bounds(np.zeros((5, 70), dtype=np.float32), 0.95)
    assert (found[:, :-1] == 0).all()
    assert (found[:, -1] ** 2 <= projection.SLACK * 1.001).all()


def test_vectors_shorter_than_any_bound_are_their_own() -> None:
    vectors = around(6, 40, 12, 3, 0.3)
    assert bounds(vectors, 0.95) is vectors


def test_a_bound_is_as_wide_as_the_vectors_need() -> None:
    """Of few clear groups the narrowest tells all apart; vectors without any order need more the lower the limit."""
    assert bounds(around(3, 3000, 256, 20, 0.02), 0.95).shape[1] == 16
    plain = unit(np.random.default_rng(4).normal(size=(3000, 256)))
    widths = [bounds(plain, threshold).shape[1] for threshold in (0.99, 0.9, 0.8, 0.5)]
    assert widths == sorted(widths)
    assert widths[0] < 64 < widths[-1] == 256


def test_what_all_vectors_share_takes_no_room() -> None:
    """Vectors in a narrow cone, as many models make them: nearly all of each is the same, the bound holds the rest."""
    draw = np.random.default_rng(7)
    apart = unit(draw.normal(size=(3000, 256)) * np.linspace(1, 0.1, 256) ** 2)
    cone = unit(apart + 1.7 * unit(draw.normal(size=(1, 256))))
    found = bounds(cone, 0.95)
    asking = found[:200].astype(np.float64)
    let_by = np.count_nonzero(asking @ found.T.astype(np.float64) >= 0.95) - 200
    assert np.mean(cone[:100] @ cone[100:200].T) > 0.7
    assert found.shape[1] <= 64
    assert let_by < 0.001 * 200 * 3000


@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 300, 64), (1000, 64, 63), (5, 3000, 100)])
def test_a_product_by_rows_is_the_product(shape: tuple[int, int, int]) -> None:
    draw = np.random.default_rng(5)
    left = draw.normal(size=shape[:2]).astype(np.float32)
    right = draw.normal(size=shape[1:]).astype(np.float32)
    assert np.allclose(product(left, right), left @ right, atol=1e-2, rtol=1e-4)
    assert product(left[:0], right).shape == (0, shape[2])
