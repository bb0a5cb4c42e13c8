"""`assay search`: what comes back and why, for people, for pipes and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from letters_embedder import CONFIG, MODEL_ID, vectors
from rich.console import Console
from small_index import write_index

from assay.cli import _search
from assay.cli.main import main
from assay.corpus.index import Index
from assay.records import Chunk
from assay.retrievers.analysis import analyzer
from assay.retrievers.explain import Explanation, explain
from assay.retrievers.protocol import Request
from assay.retrievers.snippet import snippet

HOSTILE = "float plan [bold red]markup[/] <script> \x1b[31mred\x1b[0m \u202ebackwards :smile: \x07"
CHUNKS = [
    Chunk(id="manual-p002", text="The duty officer countersigns the float plan.", source="docs/manual.pdf", page=2),
    Chunk(id="rules-p001", text="A plan for the race.", source="rules.md", page=1),
    Chunk(id="hostile", text=HOSTILE, source="x.txt"),
]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    monkeypatch.chdir(tmp_path)
    texts = [chunk.text for chunk in CHUNKS]
    return write_index(tmp_path / "corpus.db", CHUNKS, vectors=vectors(texts), model_id=MODEL_ID)


@pytest.fixture
def words_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    monkeypatch.chdir(tmp_path)
    return write_index(tmp_path / "corpus.db", CHUNKS)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["search", *words]) == 0
    return capsys.readouterr().out


def test_what_comes_back_and_why(words_only: Index, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "Who signs the float plans?", "--json", "-k", "2"))
    assert data["retriever"] == data["scale"] == "bm25"
    assert data["terms"] == ["sign", "float", "plan"]
    assert data["chunks"] == 3
    hits = data["hits"]
    assert [hit["rank"] for hit in hits] == [1, 2]
    first = next(hit for hit in hits if hit["id"] == "manual-p002")
    assert (first["source"], first["page"]) == ("docs/manual.pdf", 2)
    assert set(first["terms"]) == {"float", "plan"}
    assert sum(first["terms"].values()) == pytest.approx(first["score"], abs=1e-6)
    assert first["snippet"] == CHUNKS[0].text


def test_the_plain_form(words_only: Index, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "countersigns", "--retriever", "bm25")
    assert out.startswith("bm25 · 3 chunks · words: countersign\n")
    assert "1. docs/manual.pdf p.2  bm25 0." in out
    assert "[manual-p002]" in out
    assert "countersign +0." in out
    assert "The duty officer countersigns the float plan." in out


def test_hybrid_tells_the_rank_in_each_list(index: Index) -> None:
    found = explain("float plan", "hybrid", CONFIG, index, Request(k=3))
    assert found.scale == "rrf"
    for hit in found.hits:
        expected = sum(0.5 / (60 + place.rank) for place in hit.stages.values())
        assert hit.score == pytest.approx(expected, abs=1e-9)
    assert set(found.hits[0].stages) == {"bm25", "vector"}
    assert {place.scale for place in found.hits[0].stages.values()} == {"bm25", "cosine"}
    assert "vector #" in "\n".join(_search._plain(found))


def test_hybrid_where_there_are_embeddings_and_bm25_where_not(
    index: Index, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "assay.yaml").write_text("embedder: {name: letters}\n")
    assert json.loads(run(capsys, "plan", "--json"))["retriever"] == "hybrid"
    write_index(tmp_path / "corpus.db", CHUNKS).close()
    assert json.loads(run(capsys, "plan", "--json"))["retriever"] == "bm25"


def test_hostile_text_is_shown_not_obeyed(words_only: Index, capsys: pytest.CaptureFixture[str]) -> None:
    found = explain("markup", "bm25", CONFIG, words_only, Request(k=3))
    console = Console(width=100, force_terminal=True, color_system=None, record=True, markup=False, emoji=False)
    with console.capture() as capture:
        _search._show_rich(found, console)
    for out in (run(capsys, "markup"), capture.get()):
        assert "[bold red]markup[/]" in out
        assert ":smile:" in out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
    assert json.loads(run(capsys, "markup", "--json"))["hits"][0]["id"] == "hostile"


@pytest.mark.parametrize("query", ["", "?!", "\x00", "😀", "x" * 10_000, '"AND NEAR(', "שלום"])
def test_nothing_found_is_no_fault(words_only: Index, capsys: pytest.CaptureFixture[str], query: str) -> None:
    assert "nothing found" in run(capsys, query)
    assert json.loads(run(capsys, query, "--json"))["hits"] == []


def test_source_filter_and_mistakes(words_only: Index, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(run(capsys, "plan", "--json", "--source", "manual.pdf"))
    assert [hit["id"] for hit in data["hits"]] == ["manual-p002"]
    for words, message in (
        (["plan", "--source", "manul.pdf"], "no chunk comes from 'manul.pdf'"),
        (["plan", "--retriever", "bm52"], "Did you mean bm25?"),
        (["plan", "-k", "0"], "-k is 0"),
        (["plan", "--index", "absent.db"], "absent.db: no such index"),
        (["plan", "--retriever", "python:math:hypot"], "must be real number"),
    ):
        assert main(["search", *words]) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.err.count("\n") == 1
        assert captured.out == ""


def test_indexing_leaves_nothing_to_compute_for_the_first_search(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The duty officer countersigns the float plan. " * 10)
    out = tmp_path / "i.db"
    assert main(["index", str(tmp_path / "docs"), "--out", str(out), "--no-embeddings", "--quiet"]) == 0
    with Index.open(out) as made:
        assert made.read_blob("bm25/about")
        assert made.read_blob("bm25/all")


def test_ids_from_elsewhere_are_marked(words_only: Index, tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("query Q0 elsewhere 1 2.0 t\nquery Q0 rules-p001 2 1.0 t\n")
    found: Explanation = explain("plan", "run:run.txt", CONFIG, words_only, Request(k=5))
    assert [(hit.id, hit.source) for hit in found.hits] == [("elsewhere", None), ("rules-p001", "rules.md")]
    assert "not in the index" in "\n".join(_search._plain(found))


def test_the_snippet_shows_the_matches() -> None:
    text = "one " * 100 + "the duty officer signs the float plan" + " two" * 100
    found = snippet(text, {"sign", "float", "plan"}, [analyzer("en")], 16)
    assert len(found.words) == 16
    assert [word.text for word in found.words if word.is_match] == ["signs", "float", "plan"]
    assert found.text.startswith("… one")
    assert found.text.endswith("two …")


@given(st.lists(st.sampled_from(["plan", "x", "float", "?"]), max_size=60), st.integers(1, 50))
def test_a_snippet_is_part_of_the_text(words: list[str], size: int) -> None:
    found = snippet(" ".join(words), {"plan", "float"}, [analyzer("en")], size)
    shown = [word.text for word in found.words]
    assert len(shown) == min(size, len(words))
    assert " ".join(shown) in " ".join(words)
    assert any(word.is_match for word in found.words) == bool({"plan", "float"} & set(words))
