"""The k best: exact at the cut, ties by row descending, whatever the sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.retrievers.topk import best, candidates, lower_bound, ordered


def sorted_rows(scores: NDArray[np.float32], k: int, above: float) -> list[int]:
    rows = [row for row in range(len(scores)) if scores[row] > above]
    return sorted(rows, key=lambda row: (float(scores[row]), row), reverse=True)[:k]


few_values = st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.5, 2.0]), max_size=400)


@given(few_values, st.integers(1, 60))
def test_equals_a_full_sort(values: list[float], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    hits = best(scores, k, above=0.0)
    assert hits.rows.tolist() == sorted_rows(scores, k, 0.0)
    assert hits.scores.tolist() == scores[hits.rows].tolist()


@pytest.mark.parametrize("k", [1, 7, 100, 999, 1000, 5000])
def test_large_arrays_are_cut_exactly(k: int) -> None:
    scores = np.round(np.random.default_rng(1).random(10_000), 2).astype(np.float32)
    assert best(scores, k, above=0.25).rows.tolist() == sorted_rows(scores, k, 0.25)


@given(few_values.filter(bool), st.integers(1, 60))
def test_the_bound_is_reached_by_k_scores(values: list[float], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    assert (scores >= lower_bound(scores, k)).sum() >= min(k, len(scores))


def test_candidates_hold_whatever_may_be_best() -> None:
    """0.5 may be 0.45 and 0.41 may be 0.46 when scores are only good to 0.05; what is hidden is no candidate."""
    scores = np.array([0.5, -np.inf, 0.41, 0.39], dtype=np.float32)
    assert candidates(scores, 1, slack=0.1).tolist() == [0, 2]
    assert candidates(scores, 10, slack=0.1).tolist() == [0, 2, 3]


def test_order_of_ties() -> None:
    hits = ordered(np.array([0, 3, 5]), np.array([0.5, 0.7, 0.5]), 2)
    assert hits.rows.tolist() == [3, 5]


def test_nothing_to_choose_from() -> None:
    empty = np.zeros(0, dtype=np.float32)
    assert best(empty, 5, above=0.0).rows.tolist() == []
    assert candidates(empty, 5, slack=0.1).tolist() == []
