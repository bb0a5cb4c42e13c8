"""Exact cosine search, with vectors that can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from letters_embedder import CONFIG, MODEL_ID, vectors
from small_index import chunks_of, write_foreign_index, write_index

from assay.config import Config
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Chunk, Ranking
from assay.retrievers import vector
from assay.retrievers.protocol import Context, Query, Request
from assay.retrievers.vector import Vector, similarities

TEXTS = {"1": "a", "2": "b", "3": "aab", "4": "zzz", "5": "aaaa"}


def letters_index(path: Path, chunks: list[Chunk]) -> Index:
    return write_index(path, chunks, vectors=vectors([chunk.text for chunk in chunks]), model_id=MODEL_ID)


def search(index: Index, *queries: str, request: Request | None = None) -> list[Ranking]:
    found = Vector(Context(config=CONFIG, index=index)).search(
        [Query(str(n), text) for n, text in enumerate(queries)], request or Request(k=10)
    )
    assert all(isinstance(ranking, Ranking) for ranking in found)
    return [ranking for ranking in found if isinstance(ranking, Ranking)]


def test_cosines_by_hand(tmp_path: Path) -> None:
    """`a` is (1, 0, 0): cosine 1 with 1 and 5, 2/√5 with 3, 0 with 2; 4 has no direction and is no result."""
    index = letters_index(tmp_path / "i.db", chunks_of(TEXTS))
    [ranking] = search(index, "a")
    assert ranking.ids == ("5", "1", "3", "2")
    assert ranking.scores == (1.0, 1.0, round(2 / 5**0.5, 6), 0.0)
    assert ranking.scale == "cosine"
    assert search(index, "a", request=Request(k=1))[0].ids == ("5",), "a tie at the cut goes to the higher id"


def test_a_query_without_direction_finds_nothing(tmp_path: Path) -> None:
    index = letters_index(tmp_path / "i.db", chunks_of(TEXTS))
    assert [ranking.ids for ranking in search(index, "", "zzz", "\ud800", "\x00")] == [()] * 4
    assert [ranking.ids[:1] for ranking in search(index, "a", " \n\t\u3000", "b")] == [("5",), (), ("2",)]
    assert search(index) == []


def test_equal_chunks_tie_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the blocks of the matrix product, the ranking is the same to the last digit."""
    random = np.random.default_rng(3)
    texts = {f"{n:04d}": "".join(random.choice(list("abc"), size=5)) for n in range(500)}
    index = letters_index(tmp_path / "i.db", chunks_of(texts))
    queries = ["".join(random.choice(list("abc"), size=4)) for _ in range(40)]
    whole = search(index, *queries, request=Request(k=100))
    for size in (1, 4000, 20_000):
        monkeypatch.setattr(vector, "_BLOCK_BYTES", size)
        assert search(index, *queries, request=Request(k=100)) == whole
    for ranking in whole:
        order = list(zip(ranking.scores, ranking.ids, strict=True))
        assert order == sorted(order, reverse=True)


def test_filters(tmp_path: Path) -> None:
    chunks = [
        Chunk(id="1", text="a", source="x/one.md"),
        Chunk(id="2", text="aab", source="two.md"),
        Chunk(id="3", text="ab", source="two.md", lane="code"),
    ]
    index = letters_index(tmp_path / "i.db", chunks)
    assert search(index, "a", request=Request(k=5, sources=("one.md",)))[0].ids == ("1",)
    assert search(index, "a", request=Request(k=5, lane="code"))[0].ids == ("3",)
    assert search(index, "a", request=Request(k=5, sources=("two.md",), lane="document"))[0].ids == ("2",)


def test_the_embedder_must_be_the_index_s_own(tmp_path: Path) -> None:
    chunks = chunks_of(["a"])
    other_model = write_index(tmp_path / "1.db", chunks, vectors=vectors(["a"]), model_id="other-model")
    with pytest.raises(AssayError, match=r"other-model.*letters-3"):
        search(other_model, "a")
    other_dim = write_index(tmp_path / "2.db", chunks, vectors=np.ones((1, 4), dtype=np.float32), model_id=MODEL_ID)
    with pytest.raises(AssayError, match=r"4.*letters-3.*3"):
        search(other_dim, "a")
    without = write_foreign_index(tmp_path / "3.db", chunks)
    with pytest.raises(AssayError, match="no embeddings"):
        search(without, "a")
    with pytest.raises(AssayError, match="vector needs an index"):
        Vector(Context(config=CONFIG, index=None))


def test_similarities(tmp_path: Path) -> None:
    index = letters_index(tmp_path / "i.db", chunks_of(TEXTS))
    pairs = [("a", "3"), ("b", "3"), ("a", "nowhere"), ("zzz", "3"), ("a", "4"), ("a", "2")]
    expected = [round(2 / 5**0.5, 6), round(1 / 5**0.5, 6), None, None, None, 0.0]
    assert similarities(pairs, index, CONFIG.embedder) == expected
    assert similarities(pairs, index, CONFIG.embedder, tmp_path / "cache") == expected
    assert similarities([], index, CONFIG.embedder) == []


def test_the_bundled_model_finds_meaning_and_survives_any_query(tmp_path: Path) -> None:
    from assay.embedders import create

    texts = ["The captain steers the ship.", "Bread is baked in an oven."]
    chunks = chunks_of(texts)
    index = write_index(tmp_path / "i.db", chunks, vectors=create(Config().embedder).embed(texts, kind="document"))
    retriever = Vector(Context(config=Config(), index=index))
    queries = ["who sails a boat?", "recipe for a loaf", "\ud800\x00", "😀" * 500, "ship " * 2000]
    found = retriever.search([Query("q", query) for query in queries], Request(k=5))
    first = [ranking.ids[:1] for ranking in found if isinstance(ranking, Ranking)]
    assert first[:2] == [("d0",), ("d1",)]
    assert first[4] == ("d0",)
    assert len(first) == 5
