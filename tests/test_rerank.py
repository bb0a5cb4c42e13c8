"""The second stage: the built-in formula by hand, a function of the user's, and what can go wrong with it."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest
from small_index import chunks_of, write_index

from assay.config import Config, Rerank
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.records import Chunk, Fault, Ranking
from assay.retrievers.overlap import Overlap
from assay.retrievers.protocol import Context, Query, Request, stages_of
from assay.retrievers.variants import build

TEXTS = {"1": "float plan", "2": "plan of a long and winding float", "3": "plan", "4": "oar"}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return write_index(tmp_path / "i.db", chunks_of(TEXTS))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, for modules of the user's."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.syspath_prepend(str(tmp_path / "work"))
    return tmp_path / "work"


def config_with(**options: object) -> Config:
    return Config(retrieval=msgspec.structs.replace(Config().retrieval, rerank=msgspec.convert(options, Rerank)))


def search(index: Index, variant: str, config: Config, query: str = "float plan", k: int = 10) -> Ranking | Fault:
    return build(variant, config, index).search([Query("q", query)], Request(k=k))[0]


def test_overlap_by_hand(index: Index) -> None:
    """Two candidates of 2 and 1 words; `float` stands in 2 of 4 chunks, `plan` in 3."""
    float_idf, plan_idf = math.log(1 + 2.5 / 2.5), math.log(1 + 1.5 / 3.5)
    chunks = [Chunk(id=id_, text=TEXTS[id_], source="a.txt") for id_ in ("1", "3")]
    damping = [1.5 * (0.25 + 0.75 * length / 1.5) for length in (2, 1)]
    both = 1 / (1 + damping[0])
    one = plan_idf / (float_idf + plan_idf) / (1 + damping[1])
    scores = Overlap(Context(config=Config(), index=index)).rerank("float plan", chunks)
    assert scores == pytest.approx([(both + 0.2 * both) / 1.2, one / 1.2])


def test_words_together_count_more_than_words_apart(index: Index) -> None:
    texts = ["float plan and some more words here", "float and some more words here plan"]
    chunks = [Chunk(id=str(n), text=text, source="") for n, text in enumerate(texts)]
    together, apart = Overlap(Context(config=Config(), index=index)).rerank("float plan", chunks)
    assert together > apart > 0


def test_overlap_survives_anything(index: Index) -> None:
    reranker = Overlap(Context(config=Config(), index=index))
    assert reranker.rerank("", []) == []
    empty = [Chunk(id="e", text="", source=""), Chunk(id="x", text="\x00?!", source="")]
    assert reranker.rerank("float", empty) == [0.0, 0.0]
    assert reranker.rerank("?!", empty) == [0.0, 0.0]


def test_a_reranked_variant(index: Index) -> None:
    first, again = search(index, "bm25", Config()), search(index, "bm25+rerank", Config())
    assert isinstance(first, Ranking)
    assert isinstance(again, Ranking)
    assert set(again.ids) == set(first.ids) == {"1", "2", "3"}
    assert again.ids[0] == "1"
    assert again.scale == "overlap"
    assert all(0 <= score <= 1 for score in again.scores)
    assert search(index, "bm25+rerank", Config(), k=1) == Ranking(again.ids[:1], again.scores[:1], "overlap")
    assert search(index, "bm25+rerank", Config(), query="?") == Ranking((), (), "overlap")


def test_only_the_candidates_are_ranked_again(index: Index) -> None:
    found = search(index, "bm25+rerank", config_with(candidates=2))
    assert isinstance(found, Ranking)
    assert len(found.ids) == 2


def test_the_stages_of_a_reranked_variant(index: Index) -> None:
    retriever = build("bm25+rerank", Config(), index)
    assert set(stages_of(retriever, Query("q", "plan"), Request(k=2))) == {"bm25"}
    assert stages_of(build("bm25", Config(), index), Query("q", "plan"), Request(k=2)) == {}


def test_a_function_of_the_user_s(index: Index, here: Path) -> None:
    (here / "my_reranker.py").write_text("def shortest(query, texts):\n    return [-len(text) for text in texts]\n")
    found = search(index, "bm25+rerank", config_with(name="python:my_reranker:shortest"))
    assert found == Ranking(("3", "1", "2"), (-4.0, -10.0, -32.0), "rerank")
    assert not build("bm25+rerank", config_with(name="python:my_reranker:shortest"), index).local


def test_numpy_scores_are_taken(index: Index, here: Path) -> None:
    (here / "np_reranker.py").write_text("import numpy as np\ndef f(query, texts):\n    return np.arange(len(texts))\n")
    found = search(index, "bm25+rerank", config_with(name="python:np_reranker:f"))
    assert isinstance(found, Ranking)
    assert found.scores == (2.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return None", "'NoneType' object is not iterable"),
        ("return [1.0]", "the reranker gave 1 scores for 3 texts"),
        ("return [float('nan')] * len(texts)", "the score of result 1 is nan; expected a finite number"),
        ("return ['1'] * len(texts)", "the score of result 1 is '1'; expected a number"),
        ("raise KeyError('model')", "KeyError: 'model'"),
    ],
)
def test_a_reranker_that_fails_is_the_query_s_fault(
    index: Index, here: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str
) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "bad_reranker", raising=False)
    (here / "bad_reranker.py").write_text(f"def f(query, texts):\n    {body}\n")
    found = search(index, "bm25+rerank", config_with(name="python:bad_reranker:f"))
    assert isinstance(found, Fault)
    assert found.phase == "rerank"
    assert message in found.message


def test_ids_that_are_not_in_the_index_cannot_be_ranked_again(index: Index, here: Path) -> None:
    (here / "run.txt").write_text("q Q0 1 1 9.0 t\nq Q0 elsewhere 2 8.0 t\n")
    found = search(index, "run:run.txt+rerank", Config())
    assert found == Fault("rerank", "1 of 2 ids are not in the index, such as 'elsewhere'")


def test_mistakes_are_told(index: Index) -> None:
    with pytest.raises(AssayError, match=r"unknown reranker 'overlp'\. Did you mean overlap"):
        build("bm25+rerank", config_with(name="overlp"), index)
    with pytest.raises(AssayError, match="needs an index"):
        build("python:math:hypot+rerank", Config(), None)
