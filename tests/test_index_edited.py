"""An index that somebody changed with SQL tells what its chunks say now, as one made elsewhere does: nothing that was
worked out before is believed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import small_project
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import write_index

from assay.cli.main import main
from assay.config import Config
from assay.corpus.build import BuildOptions, build
from assay.corpus.index import Index
from assay.records import Chunk, Ranking
from assay.retrievers import lexical
from assay.retrievers.bm25 import Bm25
from assay.retrievers.protocol import Context, Query, Request

WORDS = ("float", "plan", "oar", "lock")
CHUNKS = [
    Chunk(id=f"c{number}", text=f"{WORDS[number % 4]} {WORDS[number // 2]}", source="a.pdf", page=number + 1)
    for number in range(6)
]


def change(path: Path, *statements: tuple[str, tuple[Any, ...]]) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for sql, values in statements:
            connection.execute(sql, values)


def copied(path: Path, target: Path) -> Path:
    """The two tables everybody has, and none of ours."""
    with closing(sqlite3.connect(target)) as connection, connection:
        connection.execute("ATTACH ? AS old", (str(path),))
        connection.execute("CREATE TABLE chunks AS SELECT * FROM old.chunks")
        keys = "'language', 'model_id', 'embedding_dim'"
        connection.execute(f"CREATE TABLE metadata AS SELECT * FROM old.metadata WHERE key IN ({keys})")
    return target


def told(path: Path) -> dict[str, Any]:
    """All that an evaluation takes from an index."""
    with Index.open(path) as index:
        retriever = Bm25(Context(config=Config(), index=index))
        found = retriever.search([Query(word, word) for word in (*WORDS, "zebra")], Request(k=10))
        return {
            "ids": index.ids,
            "sources": index.sources,
            "pages": index.pages,
            "spans": index.page_spans,
            "lanes": index.lanes,
            "fingerprint": index.fingerprint,
            "documents": index.document_count,
            "bm25": [(ranking.ids, ranking.scores) for ranking in found if isinstance(ranking, Ranking)],
        }


ids = st.sampled_from([chunk.id for chunk in CHUNKS])
new_ids = st.sampled_from(["c1", "c9", "b", "z"])
edits = st.one_of(
    st.tuples(st.just("DELETE FROM chunks WHERE id = ?"), st.tuples(ids)),
    st.tuples(
        st.just("INSERT OR REPLACE INTO chunks (id, text, source, page, metadata) VALUES (?, ?, ?, ?, ?)"),
        st.tuples(
            new_ids,
            st.sampled_from(["zebra", "float"]),
            st.sampled_from(["a.pdf", "n.md", None]),
            st.sampled_from([None, 2, 40]),
            st.sampled_from([None, "{}", '{"pages": [3, 8]}', '{"lane": "code"}']),
        ),
    ),
    st.tuples(st.just("UPDATE chunks SET text = ? WHERE id = ?"), st.tuples(st.sampled_from(["zebra", "oar"]), ids)),
    st.tuples(st.just("UPDATE chunks SET page = ? WHERE id = ?"), st.tuples(st.integers(1, 50), ids)),
    st.tuples(st.just("UPDATE chunks SET source = ? WHERE id = ?"), st.tuples(st.just("b.pdf"), ids)),
    st.tuples(st.just("UPDATE OR IGNORE chunks SET id = ? WHERE id = ?"), st.tuples(new_ids, ids)),
    st.tuples(st.just("UPDATE chunks SET metadata = ? WHERE id = ?"), st.tuples(st.just('{"lane": "code"}'), ids)),
)


@settings(max_examples=60)
@given(st.lists(edits, max_size=4))
def test_after_any_edit_it_says_what_an_index_made_elsewhere_would(
    statements: list[tuple[str, tuple[Any, ...]]],
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "i.db"
        with write_index(path, CHUNKS) as index:
            lexical.prepare(index)
        change(path, *statements)
        assert told(path) == told(copied(path, Path(folder) / "copy.db"))


def test_an_edit_of_vectors_alone_forgets_nothing(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    write_index(path, CHUNKS, vectors=np.eye(6, dtype=np.float32)).close()
    change(path, ("UPDATE chunks SET embedding = ? WHERE id = 'c0'", (np.eye(6, dtype="<f4")[5].tobytes(),)))
    with Index.open(path) as index:
        assert index.read_blob("places") is not None
        assert "fingerprint" in index.metadata
        assert index.embeddings()[0].tolist() == [0, 0, 0, 0, 0, 1]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "b.md"):
        (tmp_path / "docs" / name).write_text(f"The float plan of {name} is filed.")
    return tmp_path


def test_the_next_index_command_makes_it_anew(docs: Path) -> None:
    """It holds exactly what the documents say, as the command promises."""
    path = docs / "i.db"
    first = build([docs / "docs"], path, BuildOptions())
    change(path, ("UPDATE chunks SET text = 'zebra'", ()))
    again = build([docs / "docs"], path, BuildOptions())
    assert (again.unchanged, again.changed, again.is_current) == (0, 2, False)
    assert again.fingerprint == first.fingerprint
    with Index.open(path) as index:
        assert "zebra" not in index.texts()
    assert build([docs / "docs"], path, BuildOptions()).is_current


def test_an_index_brought_up_to_date_is_watched_too(docs: Path) -> None:
    path = docs / "i.db"
    build([docs / "docs"], path, BuildOptions())
    (docs / "docs" / "c.md").write_text("A third document about oars.")
    assert build([docs / "docs"], path, BuildOptions()).unchanged == 2
    change(path, ("DELETE FROM chunks WHERE source = 'a.md'", ()))
    with Index.open(path) as index:
        assert "fingerprint" not in index.metadata
        assert index.sources == ("b.md", "c.md")


def as_ours(_: Path) -> None: ...


def as_elsewhere(path: Path) -> None:
    copied(path, path.with_name("copy.db")).replace(path)


def with_a_chunk_written_again(path: Path) -> None:
    """The same content, but touched: nothing kept is believed."""
    change(path, ("UPDATE chunks SET page = page", ()))


@pytest.mark.parametrize("treat", [as_elsewhere, with_a_chunk_written_again])
def test_page_recall_is_the_same_wherever_the_index_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, treat: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    small_project.make(tmp_path)
    scores = []
    for prepare in (as_ours, treat):
        prepare(tmp_path / "corpus.db")
        assert main(["retrieval", "--tolerance", "0", "--quiet"]) in (0, 1)
        scores.append([(row["case_id"], row["scores"]) for row in small_project.last(tmp_path).results.read()])
    assert scores[0] == scores[1]
    assert any(values["page_recall@1"] == 1.0 for _, values in scores[0])


def test_page_recall_follows_a_chunk_that_was_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many chunks as before: one went, one came. Its document is gone, and so is its page."""
    monkeypatch.chdir(tmp_path)
    small_project.make(tmp_path)
    new = ("new", "arbitre jury décide", "z.md", 7)
    change(
        tmp_path / "corpus.db",
        ("DELETE FROM chunks WHERE source = 'arbitre.md'", ()),
        ("INSERT INTO chunks (id, text, source, page) VALUES (?, ?, ?, ?)", new),
    )
    cases = [
        {"id": document, "question": "l'arbitre décide", "pages": [{"document": document, "page": page}]}
        for document, page in (("arbitre.md", 1), ("z.md", 7))
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    main(["retrieval", "--variants", "bm25", "--pages-only", "--tolerance", "0", "--quiet"])
    rows = small_project.last(tmp_path).results.read()
    assert {row["case_id"]: row["scores"]["page_recall@1"] for row in rows} == {"arbitre.md": 0.0, "z.md": 1.0}
