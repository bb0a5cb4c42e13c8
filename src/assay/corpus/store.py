"""The write side of an index: a new file beside the old one, renamed over it when it is whole."""

from __future__ import annotations

import glob
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay import locks
from assay.corpus import places
from assay.corpus.content import fingerprint_of
from assay.errors import AssayError
from assay.records import Chunk

SCHEMA_VERSION = "1"
_AS_JSON = {"languages", "ids"}
_SCHEMA = """
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE chunks (id TEXT PRIMARY KEY, text TEXT NOT NULL, source TEXT, page INTEGER, tokens INTEGER,
  metadata TEXT, embedding BLOB);
CREATE VIRTUAL TABLE chunks_fts USING fts5(text, content='chunks', content_rowid='rowid');
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, sha256 TEXT, pages INTEGER, chunks INTEGER,
  languages TEXT, problem TEXT, needs TEXT, model_id TEXT, dim INTEGER, ids TEXT);
CREATE TABLE lexical (key TEXT PRIMARY KEY, value BLOB);
CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_fts (rowid, text) VALUES (new.rowid, new.text); END;
CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, text) VALUES ('delete', old.rowid, old.text); END;
CREATE TRIGGER chunks_updated AFTER UPDATE OF text ON chunks BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, text) VALUES ('delete', old.rowid, old.text);
  INSERT INTO chunks_fts (rowid, text) VALUES (new.rowid, new.text); END;
"""
_FORGET = "DELETE FROM lexical; DELETE FROM metadata WHERE key IN ('fingerprint', 'lanes');"
_EDITS = {"came": "INSERT", "went": "DELETE", "edited": "UPDATE OF id, text, source, page, metadata"}
_WATCH = "".join(
    f"CREATE TRIGGER chunks_{name} AFTER {edit} ON chunks BEGIN {_FORGET} END;\n" for name, edit in _EDITS.items()
)
"""Of a whole index: what was worked out from the chunks goes with the first that somebody else changes. From then on it
is read like an index made elsewhere, and the next `assay index` makes it anew."""
_UNWATCH = "".join(f"DROP TRIGGER IF EXISTS chunks_{name};" for name in _EDITS)


class FileRow(Struct, frozen=True, kw_only=True):
    """What is known of a file that was read: enough to tell whether it must be read again."""

    path: str
    size: int
    mtime_ns: int
    sha256: str
    pages: int = 0
    chunks: int = 0
    languages: dict[str, int] = {}
    """Its documents by language: one of a document, perhaps many of ready-made chunks."""
    problem: str | None = None
    needs: str | None = None
    """The package without which it could not be read."""
    model_id: str | None = None
    """Whose embeddings its chunks brought along; None where ours were computed."""
    dim: int | None = None
    ids: tuple[str, ...] = ()


class State(Struct, frozen=True):
    """What an index says of itself, without its chunks."""

    metadata: dict[str, str]
    files: dict[str, FileRow]


def read_state(path: Path, *, with_ids: bool = False) -> State | None:
    """None where there is no index yet. What is there and is no index of ours is never written over silently."""
    if not path.exists():
        return None
    fields = [name for name in FileRow.__struct_fields__ if with_ids or name != "ids"]
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)) as connection:
            metadata = dict(connection.execute("SELECT key, value FROM metadata"))
            rows = connection.execute(f"SELECT {', '.join(fields)} FROM files").fetchall()  # noqa: S608
    except sqlite3.Error:
        raise AssayError(
            "exists and is not an index made by `assay index`",
            where=str(path),
            hint="Choose another --out, or move it away first.",
        ) from None
    return State(metadata, {row[0]: _file_row(dict(zip(fields, row, strict=True))) for row in rows})


def _file_row(values: dict[str, Any]) -> FileRow:
    for name in _AS_JSON & values.keys():
        values[name] = msgspec.json.decode(values[name])
    return msgspec.convert(values, FileRow)


class Store:
    """An index being written. Nobody else sees it until it is whole, so it needs no journal."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, rows: Iterable[tuple[Chunk, bytes | None]]) -> None:
        self._connection.executemany(
            "INSERT INTO chunks (id, text, source, page, tokens, metadata, embedding) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (chunk.id, chunk.text, chunk.source, chunk.page, chunk.tokens, _metadata_text(chunk), vector)
                for chunk, vector in rows
            ),
        )

    def put_file(self, row: FileRow) -> None:
        values = msgspec.structs.asdict(row)
        values |= {name: msgspec.json.encode(values[name]).decode() for name in _AS_JSON}
        slots = ", ".join(f":{name}" for name in values)
        self._connection.execute(
            f"INSERT OR REPLACE INTO files ({', '.join(values)}) VALUES ({slots})",  # noqa: S608 (field names)
            values,
        )

    def remove(self, row: FileRow) -> None:
        self._connection.executemany("DELETE FROM chunks WHERE id = ?", ((id_,) for id_ in row.ids))
        self._connection.execute("DELETE FROM files WHERE path = ?", (row.path,))

    def texts(self, ids: Sequence[str]) -> list[str]:
        found = (self._connection.execute("SELECT text FROM chunks WHERE id = ?", (id_,)).fetchone() for id_ in ids)
        return [str(row[0]) for row in found]

    def set_vectors(self, vectors: Iterable[tuple[bytes | None, str]]) -> None:
        self._connection.executemany("UPDATE chunks SET embedding = ? WHERE id = ?", vectors)

    def files(self) -> list[FileRow]:
        fields = FileRow.__struct_fields__
        rows = self._connection.execute(f"SELECT {', '.join(fields)} FROM files ORDER BY path")  # noqa: S608
        return [_file_row(dict(zip(fields, row, strict=True))) for row in rows]

    def lanes(self) -> list[str]:
        lane = """CASE WHEN metadata LIKE '%"lane"%' THEN json_extract(metadata, '$.lane') END"""
        found = self._connection.execute(f"SELECT DISTINCT {lane} FROM chunks").fetchall()  # noqa: S608
        return sorted({str(row[0] or "document") for row in found}) or ["document"]

    def finish(self, metadata: Mapping[str, str]) -> str:
        """Metadata and fingerprint; what was prepared from other chunks goes, but for what the next is made from."""
        fingerprint = fingerprint_of(self._connection.execute("SELECT id, text FROM chunks ORDER BY id"))
        self._connection.execute("DELETE FROM lexical WHERE key NOT IN ('bm25/all', 'bm25/counted')")
        rows = self._connection.execute(f"SELECT {places.COLUMNS} FROM chunks ORDER BY id").fetchall()  # noqa: S608
        kept = (places.KEY, places.Places.read(rows).to_bytes())
        self._connection.execute("INSERT INTO lexical (key, value) VALUES (?, ?)", kept)
        self._connection.execute("DELETE FROM metadata")
        values = {**metadata, "schema_version": SCHEMA_VERSION, "fingerprint": fingerprint}
        self._connection.executemany(
            "INSERT INTO metadata (key, value) VALUES (?, ?)",
            sorted(values.items()),
        )
        self._connection.executescript(_WATCH)
        self._connection.commit()
        return fingerprint


def _metadata_text(chunk: Chunk) -> str:
    data = chunk.metadata if chunk.lane == "document" else {**chunk.metadata, "lane": chunk.lane}
    return msgspec.json.encode(data).decode()


@contextmanager
def replacing(target: Path, *, keep_old: bool) -> Iterator[Store]:
    """A store that takes the target's place at the end, or leaves it untouched if anything goes wrong on the way.

    `keep_old` starts from a copy of the target. The caller holds the lock, so any other temporary file is a dead one.
    """
    for leftover in target.parent.glob(f".{glob.escape(target.name)}.*.tmp*"):
        leftover.unlink(missing_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with closing(sqlite3.connect(temporary)) as connection:
            _prepare(connection, target if keep_old else None)
            yield Store(connection)
        _put_in_place(temporary, target)
    except sqlite3.Error as fault:
        raise AssayError(f"cannot be written: {fault}", where=str(target)) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _prepare(connection: sqlite3.Connection, old: Path | None) -> None:
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -65536")
    if old is None:
        connection.executescript(_SCHEMA)
        return
    with closing(sqlite3.connect(f"{old.as_uri()}?mode=rw", uri=True)) as source:
        source.backup(connection)
    connection.executescript(_UNWATCH)


def _put_in_place(temporary: Path, target: Path) -> None:
    try:
        _flush(temporary)
        temporary.replace(target)
        _flush(target.parent)
    except OSError as fault:
        raise AssayError(f"cannot be written: {fault.strerror}", where=str(target)) from None


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def locked(target: Path) -> AbstractContextManager[None]:
    """One writer at a time."""
    return locks.locked(target.with_name(f".{target.name}.lock"), "another `assay index` is writing this index", target)
