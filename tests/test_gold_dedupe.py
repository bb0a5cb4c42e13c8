"""Near duplicates: exactly those that a full comparison finds, in bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.gold.dedupe import Duplicate, duplicates, folded, same_text

Vectors = NDArray[np.float32]


def unit(vectors: NDArray[np.floating]) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0).astype(np.float32)
    return found


def brute_force(vectors: Vectors, threshold: float) -> list[tuple[int, int]]:
    """One after the other: a row goes if it is like an earlier one that stays."""
    exact = vectors.astype(np.float64)
    kept: list[int] = []
    found = []
    for row in range(len(vectors)):
        near = [other for other in kept if exact[row] @ exact[other] >= threshold]
        if near:
            found.append((row, near[0]))
        else:
            kept.append(row)
    return found


def clustered(seed: int, count: int, dimensions: int, spread: float) -> Vectors:
    """Groups of vectors around few centres, so that many cosines are near any threshold."""
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(max(1, count // 6), dimensions))
    return unit(centres[draw.integers(len(centres), size=count)] + spread * draw.normal(size=(count, dimensions)))


@given(
    st.integers(0, 10_000), st.integers(1, 90), st.sampled_from([1, 2, 8, 31, 32, 64]), st.sampled_from([0.0, 0.1, 0.3])
)
def test_the_same_as_a_full_comparison(seed: int, count: int, dimensions: int, spread: float) -> None:
    vectors = clustered(seed, count, dimensions, spread)
    for threshold in (0.5, 0.95, 0.999):
        found = [(each.row, each.of) for each in duplicates(vectors, threshold)]
        assert found == brute_force(vectors, threshold)


@pytest.mark.parametrize("count", [1023, 1024, 1025, 2500])
def test_the_same_across_the_edges_of_blocks(count: int) -> None:
    vectors = clustered(count, count, 48, 0.14)
    found = [(each.row, each.of) for each in duplicates(vectors, 0.95)]
    assert found == brute_force(vectors, 0.95)
    assert 0 < len(found) < count


def one_by_one(vectors: Vectors, threshold: float) -> list[tuple[int, int]]:
    """As `brute_force`, from one product of all with all."""
    exact = vectors.astype(np.float64)
    near = exact @ exact.T >= threshold
    stays, found = np.ones(len(vectors), dtype=bool), []
    for row in range(len(vectors)):
        before = np.flatnonzero(near[row, :row] & stays[:row])
        if len(before):
            stays[row] = False
            found.append((row, int(before[0])))
    return found


@pytest.mark.parametrize(("threshold", "dimensions"), [(0.95, 80), (0.6, 80), (0.4, 80), (0.95, 300)])
def test_the_same_with_many_threads_and_tiles(threshold: float, dimensions: int) -> None:
    """6,000 vectors of which most stay; the lower the limit, the less a bound helps, and at 0.4 none does."""
    draw = np.random.default_rng(3)
    vectors = unit(draw.normal(size=(6000, dimensions)))
    again = draw.permutation(6000)[:900]
    noise = 0.25 / np.sqrt(dimensions) * draw.normal(size=(900, dimensions))
    vectors[again] = unit(vectors[draw.permutation(6000)[:900]] + noise)
    expected = one_by_one(vectors, threshold)
    assert [(each.row, each.of) for each in duplicates(vectors, threshold)] == expected
    assert 500 < len(expected) < 5500


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_where_crowds_and_singles_take_turns(seed: int) -> None:
    """Stretches of 700 that are all alike, nearly alike, or each alone: blocks grow and shrink, and bounds let by many
    in one part and few in another."""
    draw = np.random.default_rng(seed)
    middle = unit(draw.normal(size=(1, 120)))
    parts = [unit(middle + spread * draw.normal(size=(700, 120))) for spread in (3, 3, 0.02, 0.03, 3, 3, 3, 0.0, 3)]
    vectors = np.concatenate(parts)
    expected = one_by_one(vectors, 0.95)
    assert [(each.row, each.of) for each in duplicates(vectors, 0.95)] == expected
    assert 1300 < len(expected) < 2200


def test_a_pair_at_the_threshold_counts_and_one_just_below_does_not() -> None:
    angle = np.arccos(0.95)
    for step, expected in ((-1e-6, 1), (1e-6, 0)):
        pair = np.array([[1, 0], [np.cos(angle + step), np.sin(angle + step)]], dtype=np.float32)
        assert len(duplicates(pair, 0.95)) == expected


def test_the_first_of_several_stays() -> None:
    same = np.tile(unit(np.array([[3.0, 4.0]])), (3, 1))
    found = duplicates(same, 0.95)
    assert [(each.row, each.of) for each in found] == [(1, 0), (2, 0)]
    assert isinstance(found[0], Duplicate)
    assert found[0].cosine == pytest.approx(1)


def test_a_chain_is_cut_where_its_middle_is_gone() -> None:
    """b is like a, c is like b but not like a: b goes, c stays."""
    chain = unit(np.array([[np.cos(t), np.sin(t)] for t in (0.0, 0.3, 0.6)]))
    assert [(each.row, each.of) for each in duplicates(chain, 0.95)] == [(1, 0)]


def test_nothing_and_texts_without_a_known_word() -> None:
    assert duplicates(np.empty((0, 8), dtype=np.float32), 0.95) == []
    assert duplicates(np.zeros((3, 8), dtype=np.float32), 0.95) == []


def test_memory_does_not_grow_with_the_square() -> None:
    """8,000 questions, all the same: their products alone would take 256 MB."""
    vectors = np.tile(unit(np.random.default_rng(0).normal(size=(1, 64))), (8000, 1))
    tracemalloc.start()
    found = duplicates(vectors, 0.95)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 7999
    assert peak < 60_000_000


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Qui décide ?", "qui decide?", True),
        ("Who signs  the plan?", "Who signs the plan", True),
        ("Is it 1.5 or 15?", "Is it 15 or 1.5?", False),
        ("l’école", "l'ecole", True),
        ("Who signs?", "Who signed?", False),
    ],
)
def test_the_same_text(a: str, b: str, same: bool) -> None:
    assert (folded(a) == folded(b)) is same
    assert same_text([a, "other", b]) == ([(2, 0)] if same else [])
