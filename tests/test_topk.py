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
    scores = np.array([[0.5, -np.inf, 0.41, 0.39], [-np.inf] * 4, [0.1, 0.3, 0.21, 0.05]], dtype=np.float32)
    assert pairs(scores, 1, slack=0.1) == [(0, 0), (0, 2), (2, 1), (2, 2)]
    assert pairs(scores, 10, slack=0.1) == [(0, 0), (0, 2), (0, 3), (2, 0), (2, 1), (2, 2), (2, 3)]


@pytest.mark.parametrize("k", [1, 7, 100, 999, 1000, 5000])
def test_candidates_of_many_queries_are_those_of_each(k: int) -> None:
    """At least the k best of each, and nothing that is further than the slack below what k scores reach."""
    scores = np.round(np.random.default_rng(2).random((5, 2000)), 3).astype(np.float32)
    found = pairs(scores, k, slack=0.01)
    for query, row in enumerate(scores):
        chosen = [place for owner, place in found if owner == query]
        assert chosen == [place for owner, place in pairs(row[None], k, slack=0.01)]
        assert set(sorted_rows(row, k, -1.0)) <= set(chosen)
        assert k > len(row) or min(row[chosen]) >= lower_bound(row, k) - 0.0101


def pairs(scores: NDArray[np.float32], k: int, slack: float) -> list[tuple[int, int]]:
    queries, rows = candidates(scores, k, slack)
    return list(zip(queries.tolist(), rows.tolist(), strict=True))


def test_order_of_ties() -> None:
    hits = ordered(np.array([0, 3, 5]), np.array([0.5, 0.7, 0.5]), 2)
    assert hits.rows.tolist() == [3, 5]


def test_nothing_to_choose_from() -> None:
    empty = np.zeros(0, dtype=np.float32)
    assert best(empty, 5, above=0.0).rows.tolist() == []
    assert pairs(np.zeros((2, 0), dtype=np.float32), 5, slack=0.1) == []
    assert pairs(np.zeros((0, 3), dtype=np.float32), 5, slack=0.1) == []
