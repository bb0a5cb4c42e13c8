"""Vector search against a plain sort of every cosine, over directions whose cosines are exact in any arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from small_index import chunks_of, write_index

from assay.config import Config, EmbedderOptions
from assay.embedders.protocol import EMBEDDERS, Kind
from assay.records import Ranking
from assay.retrievers import topk, vector
from assay.retrievers.protocol import Context, Query, Request
from assay.retrievers.vector import Vector

AXES = [[sign if place == axis else 0.0 for place in range(4)] for axis in range(4) for sign in (1.0, -1.0)]
DIAGONALS = [list(signs) for signs in product((0.5, -0.5), repeat=4)]
COMPASS = np.array([[0.0] * 4, *AXES, *DIAGONALS], dtype=np.float32)
"""All of length 1 but the first, which has no direction; every product of two is a multiple of ½, without rounding."""
CONFIG = Config(embedder=EmbedderOptions(name="compass"))


@EMBEDDERS.register("compass")
class Compass:
    """A text is the number of a direction."""

    model_id, dim = "compass-4", 4

    def __init__(self, options: EmbedderOptions):
        self.options = options

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        return COMPASS[[int(text) for text in texts]]


def search(rows: NDArray[np.float32], queries: Sequence[int], request: Request) -> tuple[list[Ranking], list[int]]:
    """What each query finds, and the rank of the first chunk, 0 for none."""
    with TemporaryDirectory() as folder:
        chunks = chunks_of({name(row): "text" for row in range(len(rows))})
        with write_index(Path(folder) / "i.db", chunks, vectors=rows, model_id="compass-4") as index:
            retriever = Vector(Context(config=CONFIG, index=index))
            asked = [Query(str(number), str(text)) for number, text in enumerate(queries)]
            found = retriever.search(asked, request)
            ranks = retriever.ranks(asked, [[name(0)]] * len(asked), request)
    return [ranking for ranking in found if isinstance(ranking, Ranking)], [rank or 0 for rank in ranks]


def name(row: int) -> str:
    return f"d{row:03d}"


def sorted_cosines(rows: NDArray[np.float32], query: int) -> list[tuple[float, str]]:
    """Nothing without a direction is found or finds; equal cosines stand by id, descending."""
    cosines = rows.astype(np.float64) @ COMPASS[query].astype(np.float64)
    pairs = [(float(cosines[row]), name(row)) for row in range(len(rows)) if rows[row].any() and query]
    return sorted(pairs, reverse=True)


@settings(max_examples=60)
@given(
    rows=st.lists(st.integers(0, len(COMPASS) - 1), min_size=1, max_size=70),
    queries=st.lists(st.integers(0, len(COMPASS) - 1), max_size=6),
    k=st.integers(1, 90),
    fewest=st.sampled_from([1, 4, 256]),
    block=st.sampled_from([1, 300, vector._BLOCK_BYTES]),
    pairs=st.sampled_from([1, 7, vector._PAIRS]),
)
def test_equals_a_sort_of_every_cosine(
    rows: list[int], queries: list[int], k: int, fewest: int, block: int, pairs: int
) -> None:
    """Duplicates, ties at the cut, rows and queries without direction, fewer rows than k; whatever the blocks are."""
    matrix = COMPASS[rows]
    with (
        patch.object(topk, "_FEWEST", fewest),
        patch.object(topk, "_BLOCKS", 1 if fewest == 1 else 8),
        patch.object(vector, "_BLOCK_BYTES", block),
        patch.object(vector, "_PAIRS", pairs),
    ):
        found, ranks = search(matrix, queries, Request(k=k))
    assert len(found) == len(queries)
    for query, ranking, rank in zip(queries, found, ranks, strict=True):
        expected = sorted_cosines(matrix, query)
        assert list(zip(ranking.scores, ranking.ids, strict=True)) == expected[:k]
        ids = [id_ for _, id_ in expected]
        assert rank == (ids.index(name(0)) + 1 if name(0) in ids else 0)


@pytest.mark.parametrize("k", [1, 10, 300, 2000])
def test_many_rows_of_few_directions_tie_at_every_cut(k: int) -> None:
    """Enough rows that the real blocks are used, with every place in the order shared by some eighty chunks."""
    rows = COMPASS[np.random.default_rng(5).integers(0, len(COMPASS), 2000)]
    found, _ = search(rows, [3, 17, 0], Request(k=k))
    for query, ranking in zip([3, 17, 0], found, strict=True):
        assert list(zip(ranking.scores, ranking.ids, strict=True)) == sorted_cosines(rows, query)[:k]


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 900), k=st.integers(1, 40), spread=st.sampled_from([1.0, 1e-3]))
def test_no_chunk_left_out_is_better_than_one_that_came(seed: int, size: int, k: int, spread: float) -> None:
    """Directions as they come, also crowded within a thousandth of each other: only the sixth digit may be in doubt."""
    random = np.random.default_rng(seed)
    raw = random.normal(size=(1, 4)) + spread * random.normal(size=(size, 4))
    rows = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    query = int(random.integers(1, len(COMPASS)))
    found, _ = search(rows, [query], Request(k=k))
    exact = {id_: cosine for cosine, id_ in sorted_cosines(rows, query)}
    came = found[0].ids
    assert len(came) == min(k, size)
    assert list(found[0].scores) == pytest.approx([exact[id_] for id_ in came], abs=2e-6)
    worst = min(exact[id_] for id_ in came)
    assert max((exact[id_] for id_ in exact.keys() - set(came)), default=-2.0) <= worst + 2e-6


@given(
    st.lists(st.lists(st.sampled_from([-np.inf, 0.0, 0.25, 0.5, 1.0]), min_size=37, max_size=37), max_size=4),
    st.integers(1, 50),
    st.sampled_from([1, 3, 256]),
)
def test_candidates_hold_the_best_of_each_query(values: list[list[float]], k: int, fewest: int) -> None:
    """No hidden row, both numbers ascending, nothing twice, and whatever stands among the k best of its query."""
    scores = np.array(values, dtype=np.float32).reshape(-1, 37)
    with patch.object(topk, "_FEWEST", fewest), patch.object(topk, "_BLOCKS", 1):
        queries, rows = topk.candidates(scores, k, 1e-4)
    found = list(zip(queries.tolist(), rows.tolist(), strict=True))
    assert found == sorted(set(found))
    assert all(scores[pair] > -np.inf for pair in found)
    for number, line in enumerate(scores):
        seen = np.flatnonzero(line > -np.inf)
        best = sorted(seen.tolist(), key=lambda row: (float(line[row]), row), reverse=True)[:k]
        assert {(number, row) for row in best} <= set(found)
