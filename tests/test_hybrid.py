"""Reciprocal rank fusion, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from letters_embedder import CONFIG
from test_vector import letters_index

from assay.config import Config, Hybrid
from assay.corpus.index import Index
from assay.records import Chunk, Fault, Ranking
from assay.retrievers.hybrid import fuse
from assay.retrievers.protocol import Query, Request, stages_of
from assay.retrievers.variants import build


def ranking(*ids: str) -> Ranking:
    return Ranking(ids, tuple(1 / rank for rank in range(1, len(ids) + 1)), "any")


def single(value: float) -> float:
    return float(np.float32(value))


def test_fusion_by_hand() -> None:
    """x is first and second, z third and first, y second in one list alone."""
    fused = fuse([ranking("x", "y", "z"), ranking("z", "x")], (0.5, 0.5), 60, 10)
    assert isinstance(fused, Ranking)
    assert fused.ids == ("x", "z", "y")
    assert fused.scores == (single(0.5 / 61 + 0.5 / 62), single(0.5 / 63 + 0.5 / 61), single(0.5 / 62))
    assert fused.scale == "rrf"


def test_weights_and_constant() -> None:
    lists = [ranking("x"), ranking("y")]
    assert fuse(lists, (0.25, 0.75), 1, 1) == Ranking(("y",), (0.375,), "rrf")
    assert fuse(lists, (1.0, 0.0), 60, 5) == Ranking(("x",), (single(1 / 61),), "rrf"), "weight 0 adds no result"


def test_a_tie_goes_to_the_higher_id() -> None:
    fused = fuse([ranking("a", "b"), ranking("b", "a")], (0.5, 0.5), 60, 2)
    assert isinstance(fused, Ranking)
    assert fused.ids == ("b", "a")


def test_a_fault_in_one_list_is_the_query_s_fault() -> None:
    fault = Fault("retrieve", "away")
    assert fuse([ranking("a"), fault], (0.5, 0.5), 60, 5) is fault


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.integers(1, 8))
def test_a_deeper_search_begins_with_the_shallower_one(one: list[str], two: list[str], k: int) -> None:
    lists = [ranking(*one), ranking(*two[:5])]
    deep, shallow = (fuse(lists, (0.5, 0.5), 60, size) for size in (8, k))
    assert isinstance(deep, Ranking)
    assert isinstance(shallow, Ranking)
    assert deep.ids[:k] == shallow.ids


@pytest.fixture
def index(tmp_path: Path) -> Index:
    chunks = [
        Chunk(id="1", text="boat a", source="one.md"),
        Chunk(id="2", text="boat boat b", source="two.md"),
        Chunk(id="3", text="oar aaa", source="one.md"),
    ]
    return letters_index(tmp_path / "i.db", chunks)


def test_both_lists_are_fused(index: Index) -> None:
    """`boat` stands twice in 2, once in 1, not in 3; in the vector list is every chunk that has a direction."""
    retriever = build("hybrid", CONFIG, index)
    query, request = Query("q", "boat"), Request(k=10)
    stages = stages_of(retriever, query, request)
    words, meaning = stages["bm25"], stages["vector"]
    assert isinstance(words, Ranking)
    assert isinstance(meaning, Ranking)
    assert words.ids == ("2", "1")
    assert sorted(meaning.ids) == ["1", "2", "3"]
    assert retriever.search([query], request) == [fuse([words, meaning], (0.5, 0.5), 60, 10)]
    assert retriever.scale == "rrf"


def test_settings_reach_the_fusion(index: Index) -> None:
    options = Hybrid(constant=1, bm25_weight=1.0, vector_weight=0.0, candidates=1)
    config: Config = msgspec.structs.replace(
        CONFIG, retrieval=msgspec.structs.replace(CONFIG.retrieval, hybrid=options)
    )
    [found] = build("hybrid", config, index).search([Query("q", "boat")], Request(k=10))
    assert found == Ranking(("2",), (0.5,), "rrf")


def test_the_same_filter_for_every_list(index: Index) -> None:
    request = Request(k=10, sources=("one.md",))
    retriever = build("hybrid", CONFIG, index)
    [found] = retriever.search([Query("q", "boat")], request)
    assert isinstance(found, Ranking)
    assert set(found.ids) == {"1", "3"}
    for stage in stages_of(retriever, Query("q", "boat"), request).values():
        assert isinstance(stage, Ranking)
        assert set(stage.ids) <= {"1", "3"}


def test_nothing_in_common_finds_nothing(index: Index) -> None:
    assert build("hybrid", CONFIG, index).search([Query("q", "?")], Request(k=5)) == [Ranking((), (), "rrf")]
