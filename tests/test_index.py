"""The read side: indexes of ours and of others, rows in one order, faults in one line."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_index import write_index

from assay.config import EmbedderOptions
from assay.corpus.build import BuildOptions, build
from assay.corpus.content import fingerprint_of
from assay.corpus.index import Index
from assay.embedders.wordllama import WordLlama
from assay.errors import AssayError
from assay.records import Chunk

Row = tuple[Any, ...]


def blob(*numbers: float) -> bytes:
    return np.array(numbers, "<f4").tobytes()


ROWS: list[Row] = [
    ("b", "second", "y.pdf", 2, 1, '{"lane": "code", "k": 1}', blob(0, 1)),
    ("a", "first", "x.pdf", 1, 1, None, blob(1, 0)),
    ("c", "third", None, None, None, "", blob(0.6, 0.8)),
]


def theirs(path: Path, rows: Iterable[Row] = ROWS, *, key: str = "id TEXT PRIMARY KEY", **metadata: str) -> Path:
    """An index as another program may have made it: the tables of the schema and nothing else."""
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT)")
    db.execute(
        f"CREATE TABLE chunks ({key}, text TEXT, source TEXT, page INTEGER, tokens INTEGER, metadata TEXT, "
        "embedding BLOB)"
    )
    db.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
    db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    db.commit()
    db.close()
    return path


def ours(folder: Path) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs" / "b.md").write_text("The tide turns at noon.\fThe quay is dry at two.")
    (folder / "docs" / "a.txt").write_text("Le bateau est à quai avec les autres, et il ne part pas dans la nuit.")
    build([folder / "docs"], folder / "corpus.db", BuildOptions(embedder=WordLlama(EmbedderOptions())))
    return folder / "corpus.db"


def test_rows_are_in_ascending_order_of_id(tmp_path: Path) -> None:
    with Index.open(theirs(tmp_path / "i.db")) as index:
        assert len(index) == 3
        assert index.ids == ("a", "b", "c")
        assert index.sources == ("x.pdf", "y.pdf", "")
        assert index.pages == (1, 2, None)
        assert index.lanes == ("document", "code", "document")
        assert index.texts() == ["first", "second", "third"]
        assert index.embeddings() == pytest.approx(np.array([[1, 0], [0, 1], [0.6, 0.8]]))
        assert index.embeddings().dtype == np.float32


def test_chunks_by_id(tmp_path: Path) -> None:
    with Index.open(theirs(tmp_path / "i.db")) as index:
        found = index.chunks(["c", "nobody", "b", "c"])
    assert list(found) == ["c", "b"]
    assert (found["b"].lane, found["b"].metadata, found["b"].page) == ("code", {"k": 1}, 2)
    assert (found["c"].source, found["c"].tokens, found["c"].metadata) == ("", 0, {})


@pytest.mark.parametrize(
    ("page", "metadata", "span"),
    [
        (2, '{"pages": [2, 4]}', (2, 4)),
        (2, None, (2, 2)),
        (2, "{}", (2, 2)),
        (2, '{"pages": [2, 4', (2, 2)),
        (2, '{"pages": "2-4"}', (2, 2)),
        (2, '{"pages": [2]}', (2, 2)),
        (2, '{"pages": [4, 2]}', (2, 2)),
        (2, '{"pages": [2, "4"]}', (2, 2)),
        (None, '{"pages": [2, 4]}', (2, 4)),
        (None, None, None),
    ],
)
def test_the_pages_a_chunk_covers(
    tmp_path: Path, page: int | None, metadata: str | None, span: tuple[int, int] | None
) -> None:
    """Where nobody wrote how far it goes, or not in a way that can be read, its page alone."""
    with Index.open(theirs(tmp_path / "i.db", [("a", "text", "x.pdf", page, 1, metadata, None)])) as index:
        assert index.page_spans == (span,)


def test_places_are_kept_and_follow_the_chunks(tmp_path: Path) -> None:
    """What is kept is what the chunks say, and an index changed by hand is read again."""
    path = tmp_path / "i.db"
    told = {"pages": [2, 4]}
    chunks = [
        Chunk(id="a", text="x", source="b.pdf", page=2, metadata=told),
        Chunk(id="b", text="y", source="b.pdf", page=7, metadata={"pages": [1, 10**30]}),
        Chunk(id="c", text="z", source="a.md"),
    ]
    with write_index(path, chunks) as index:
        assert index.read_blob("places")
        assert index.sources == ("b.pdf", "b.pdf", "a.md")
        assert index.pages == (2, 7, None)
        assert index.page_spans == ((2, 4), (7, 7), None)
        assert index.document_count == 2
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE chunks SET page = 9, source = 'c.md' WHERE id = 'c'")
    with Index.open(path) as index:
        assert index.read_blob("places") is None
        assert (index.sources[2], index.page_spans[2], index.document_count) == ("c.md", (9, 9), 2)


def test_chunks_that_came_by_hand_have_places(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    write_index(path, [Chunk(id="a", text="x", source="b.pdf", page=2)]).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO chunks (id, text, source, page) VALUES ('b', 'y', 'c.pdf', 3)")
    with Index.open(path) as index:
        assert (index.sources, index.pages) == (("b.pdf", "c.pdf"), (2, 3))


def test_many_chunks_by_id(tmp_path: Path) -> None:
    rows = [(f"{n:05d}", f"text {n}", "s", 1, 2, None, None) for n in range(3000)]
    with Index.open(theirs(tmp_path / "i.db", rows)) as index:
        assert len(index.chunks(index.ids)) == 3000


def test_ids_that_are_numbers_are_ordered_as_text(tmp_path: Path) -> None:
    rows = [(n, f"t{n}", "s", "3", 1, None, blob(n, 0)) for n in (2, 10, 1)]
    with Index.open(theirs(tmp_path / "i.db", rows, key="id INTEGER PRIMARY KEY")) as index:
        assert index.ids == ("1", "10", "2")
        assert index.texts() == ["t1", "t10", "t2"]
        assert index.chunks(["10"])["10"].text == "t10"
        assert index.pages == (3, 3, 3)


def test_the_fingerprint_depends_on_ids_and_texts_alone(tmp_path: Path) -> None:
    with Index.open(theirs(tmp_path / "i.db")) as index:
        assert index.fingerprint == fingerprint_of([("a", "first"), ("b", "second"), ("c", "third")])
    assert fingerprint_of([("a", "bc")]) != fingerprint_of([("ab", "c")])


def test_our_fingerprint_is_stored_and_true(tmp_path: Path) -> None:
    with Index.open(ours(tmp_path)) as index:
        assert index.fingerprint == index.metadata["fingerprint"]
        assert index.fingerprint == fingerprint_of(zip(index.ids, index.texts(), strict=True))


def test_raw_vectors_become_unit_rows_and_zero_stays_zero(tmp_path: Path) -> None:
    rows = [("a", "", "", 1, 1, None, blob(3, 4)), ("b", "", "", 1, 1, None, blob(0, 0))]
    with Index.open(theirs(tmp_path / "i.db", rows, embedding_dim="2")) as index:
        assert index.embeddings() == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def without(name: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute(f"DROP TABLE {name}")
        db.commit()
        db.close()

    return change


def without_page(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("ALTER TABLE chunks DROP COLUMN page")
    db.execute("ALTER TABLE chunks DROP COLUMN tokens")
    db.commit()
    db.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("metadata"), "has no table 'metadata'"),
        (without("chunks"), "has no table 'chunks'"),
        (without_page, "the table 'chunks' lacks page, tokens"),
        (lambda path: path.write_text("no database, though long enough " * 50), "not an SQLite file"),
        (lambda path: path.write_bytes(b""), "has no table 'metadata'"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "cannot be read|malformed|has no table"),
        (lambda path: path.unlink(), "no such index"),
        (lambda path: (path.unlink(), path.mkdir()), "is a folder"),
    ],
    ids=["metadata", "chunks", "columns", "text", "empty", "cut off", "absent", "folder"],
)
def test_what_is_no_index_says_what_is_missing(tmp_path: Path, change: Callable[[Path], Any], message: str) -> None:
    path = theirs(tmp_path / "i.db", [(f"{n}", "x" * 500, "", 1, 1, None, None) for n in range(100)])
    change(path)
    with pytest.raises(AssayError, match=message) as caught, Index.open(path) as index:
        index.texts()
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("embedding", "metadata", "message"),
    [
        (blob(1, 0, 0), {}, "chunk 'b' is 12 bytes; expected 8 bytes, that is 2 float32"),
        (blob(1, 0, 0), {"embedding_dim": "3"}, "chunk 'a' is 8 bytes; expected 12 bytes"),
        (None, {}, "chunk 'b' is absent"),
        ("text", {}, "chunk 'b' is absent"),
        (blob(float("nan"), 0), {}, "chunk 'b' is not finite"),
        (blob(float("inf"), 0), {}, "chunk 'b' is not finite"),
    ],
)
def test_embeddings_that_do_not_fit_are_named(
    tmp_path: Path, embedding: object, metadata: dict[str, str], message: str
) -> None:
    rows: list[Row] = [("a", "", "", 1, 1, None, blob(1, 0)), ("b", "", "", 1, 1, None, embedding)]
    with (
        Index.open(theirs(tmp_path / "i.db", rows, **metadata)) as index,
        pytest.raises(AssayError, match=message),
    ):
        index.embeddings()


def test_an_index_without_embeddings_says_what_to_do(tmp_path: Path) -> None:
    path = theirs(tmp_path / "i.db", [("a", "", "", 1, 1, None, None)], embedding_dim="256")
    with Index.open(path) as index:
        assert not index.has_embeddings
        with pytest.raises(AssayError, match=r"no embeddings.*Use bm25"):
            index.embeddings()
        with pytest.raises(AssayError, match="no embeddings"):
            index.check_embedder(WordLlama(EmbedderOptions()))


def test_the_embedder_must_be_the_one_of_the_index(tmp_path: Path) -> None:
    embedder = WordLlama(EmbedderOptions())
    with (
        Index.open(theirs(tmp_path / "a.db", model_id="other")) as index,
        pytest.raises(AssayError, match="embedded by 'other', queries would be by 'wordllama-l2-supercat-256'"),
    ):
        index.check_embedder(embedder)
    with (
        Index.open(theirs(tmp_path / "b.db")) as index,
        pytest.raises(AssayError, match=r"embeddings of 2 dimensions, the embedder .* gives 256"),
    ):
        index.check_embedder(embedder)
    with Index.open(ours(tmp_path)) as index:
        index.check_embedder(embedder)


@pytest.mark.parametrize("metadata", ["{", "[1]", "3"])
def test_metadata_that_is_no_object_is_named(tmp_path: Path, metadata: str) -> None:
    with (
        Index.open(theirs(tmp_path / "i.db", [("a", "", "", 1, 1, metadata, None)])) as index,
        pytest.raises(AssayError, match="metadata of chunk 'a' is not a JSON object"),
    ):
        index.chunks(["a"])


def test_an_unknown_lane_is_named(tmp_path: Path) -> None:
    with (
        Index.open(theirs(tmp_path / "i.db", [("a", "", "", 1, 1, '{"lane": "road"}', None)])) as index,
        pytest.raises(AssayError, match="lane of chunk 'a' is 'road'; expected document or memory or code"),
    ):
        _ = index.lanes


def test_two_chunks_of_one_id_are_a_fault(tmp_path: Path) -> None:
    rows: list[Row] = [("a", "x", "", 1, 1, None, None), ("a", "y", "", 1, 1, None, None)]
    with (
        Index.open(theirs(tmp_path / "i.db", rows, key="id TEXT")) as index,
        pytest.raises(AssayError, match="two chunks have the id 'a'"),
    ):
        len(index)


def test_our_index_has_the_schema_of_the_specification(tmp_path: Path) -> None:
    path = ours(tmp_path)
    with Index.open(path) as index:
        assert index.ids == (
            "a.txt-p001-parent001-child01",
            "b.md-p001-parent001-child01",
        )
        assert index.sources == ("a.txt", "b.md")
        assert index.lanes == ("document", "document")
        chunk = index.chunks(index.ids)["b.md-p001-parent001-child01"]
        assert chunk.metadata["pages"] == [1, 2]
        kept = {"schema_version", "embedding_dim", "model_id", "language", "chunking", "created", "fingerprint"}
        assert {*kept, "assay_version", "roots", "languages"} <= index.metadata.keys()
        assert json.loads(index.metadata["languages"]) == {"en": 1, "fr": 1}
    db = sqlite3.connect(path)
    columns = [row[1] for row in db.execute("PRAGMA table_info(chunks)")]
    assert columns == ["id", "text", "source", "page", "tokens", "metadata", "embedding"]
    hits = "SELECT c.source FROM chunks_fts f JOIN chunks c ON c.rowid = f.rowid WHERE chunks_fts MATCH ?"
    assert db.execute(hits, ("quay",)).fetchall() == [("b.md",)]
    db.close()


def test_blobs_are_kept_beside_the_chunks(tmp_path: Path) -> None:
    path = ours(tmp_path)
    with Index.open(path) as index:
        assert index.read_blob("bm25") is None
        index.write_blob("bm25", b"\0\1")
        assert index.read_blob("bm25") == b"\0\1"
        index.write_blob("bm25", b"new")
    with Index.open(path) as index:
        assert index.read_blob("bm25") == b"new"


def test_blobs_are_not_forced_on_others_or_on_an_index_that_was_replaced(tmp_path: Path) -> None:
    foreign = theirs(tmp_path / "i.db")
    before = foreign.read_bytes()
    with Index.open(foreign) as index:
        index.write_blob("bm25", b"x")
        assert index.read_blob("bm25") is None
    assert foreign.read_bytes() == before
    path = ours(tmp_path)
    with Index.open(path) as index:
        (tmp_path / "docs" / "b.md").write_text("Something else.")
        build([tmp_path / "docs"], path, BuildOptions())
        index.write_blob("bm25", b"of the old chunks")
    with Index.open(path) as index:
        assert index.read_blob("bm25") is None


def test_an_index_can_be_read_from_another_thread(tmp_path: Path) -> None:
    results: list[int] = []
    with Index.open(theirs(tmp_path / "i.db")) as index:
        threads = [threading.Thread(target=lambda: results.append(len(index.texts()))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [3] * 8


def test_a_name_with_odd_characters_opens(tmp_path: Path) -> None:
    with Index.open(theirs(tmp_path / "50% of? it's#1\n.db")) as index:
        assert len(index) == 3


def test_write_ahead_logs_of_others_are_read(tmp_path: Path) -> None:
    path = theirs(tmp_path / "i.db")
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("INSERT INTO chunks (id, text) VALUES ('d', 'in the log')")
    db.commit()
    with Index.open(path) as index:
        assert index.ids == ("a", "b", "c", "d")
    db.close()
