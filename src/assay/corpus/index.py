"""The read side of an index: one SQLite file, ours or made elsewhere in the same schema."""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cached_property
from itertools import chain, islice, pairwise
from operator import eq
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast, get_args

import numpy as np

from assay.corpus import places
from assay.corpus.content import fingerprint_of
from assay.corpus.documents import Documents
from assay.corpus.places import Places, Span, page_number
from assay.errors import AssayError
from assay.records import Chunk, Lane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.embedders import Embedder

COLUMNS = ("id", "text", "source", "page", "tokens", "metadata", "embedding")
LANES: tuple[Lane, ...] = get_args(Lane)
_BATCH = 256
"""Embeddings read together: few enough to stay in the processor's cache until they are copied."""
_SLOTS = 500
"""Fewer than the 999 parameters old SQLite libraries allow in one statement."""


class Index:
    """Chunks in ascending order of id; a row number is a position in that order, everywhere."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        # Whoever forgets to close it leaves nothing open. At the end of the process a thread may still be reading.
        weakref.finalize(self, connection.close).atexit = False
        self._lock = threading.Lock()
        self._check_schema()
        self.metadata: Mapping[str, str] = {
            str(key): str(value) for key, value in self._rows("SELECT key, value FROM metadata")
        }

    @classmethod
    def open(cls, path: Path) -> Index:
        """Cheap: nothing but the table names and the metadata is read. Never writes."""
        connection = _connect(path)
        try:
            return cls(path, connection)
        except AssayError:
            connection.close()
            raise

    def _check_schema(self) -> None:
        wanted = {"metadata": ("key", "value"), "chunks": COLUMNS}
        for table, columns in wanted.items():
            found = {str(row[1]): str(row[2]) for row in self._rows(f"PRAGMA table_info({table})")}
            if not found:
                raise self._fault(f"has no table '{table}'", "an index made by `assay index`, or one in its schema")
            missing = [column for column in columns if column not in found]
            if missing:
                raise self._fault(f"the table '{table}' lacks {', '.join(missing)}", ", ".join(columns))
        # Ids that are numbers must still be sorted as text, as everywhere else.
        is_text = any(word in found["id"].upper() for word in ("TEXT", "CHAR", "CLOB"))
        self._order = "id COLLATE BINARY" if is_text else "CAST(id AS TEXT)"

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        with self._lock:
            ids = tuple(map(str, chain.from_iterable(self._execute(self._ordered("id")))))
        if any(map(eq, ids, islice(ids, 1, None))):
            twice = next(after for before, after in pairwise(ids) if before == after)
            raise self._fault(f"two chunks have the id '{twice}'", "one chunk for each id")
        return ids

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each id."""
        return dict(zip(self.ids, range(len(self.ids)), strict=True))

    @cached_property
    def _places(self) -> Places:
        """As they were kept when the index was made; else, or if chunks came or went since, read from the chunks."""
        data = self.read_blob(places.KEY) if "fingerprint" in self.metadata else None
        kept = Places.from_bytes(data) if data else None
        return kept if kept and len(kept.pages) == len(self) else Places.read(self._column(places.COLUMNS))

    @property
    def sources(self) -> tuple[str, ...]:
        return self._places.sources

    @property
    def pages(self) -> tuple[int | None, ...]:
        return self._places.pages

    @cached_property
    def page_spans(self) -> tuple[Span | None, ...]:
        """First and last page that each chunk covers; its page alone where nobody wrote how far it goes."""
        return tuple(map(self._places.span, range(len(self))))

    @cached_property
    def has_pages(self) -> bool:
        """Whether any chunk tells its page."""
        return any(page is not None for page in self._places.firsts)

    def page_span(self, row: int) -> Span | None:
        return self._places.span(row)

    @cached_property
    def documents(self) -> Documents:
        """Those that its chunks come from."""
        return Documents(self._places.names)

    @cached_property
    def lanes(self) -> tuple[Lane, ...]:
        if self.metadata.get("lanes") == "document":
            lane: Lane = "document"
            return (lane,) * len(self)
        marked = self._column("""CASE WHEN metadata LIKE '%"lane"%' THEN metadata END""")
        return tuple(self._lane(self._decode(text, id_), id_) for id_, (text,) in zip(self.ids, marked, strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every id and text: the same content gives the same one, whoever made the index."""
        return self.metadata.get("fingerprint") or fingerprint_of(zip(self.ids, self.texts(), strict=True))

    @cached_property
    def document_count(self) -> int:
        return len(self._places.names)

    def texts(self) -> list[str]:
        return [str(text) for (text,) in self._column("COALESCE(text, '')")]

    def spans(self) -> list[tuple[int, int] | None]:
        """First and last line of each unit of code in its file; None for other chunks, and where nobody wrote it."""
        is_told = """metadata LIKE '%"lines"%' AND json_valid(metadata)"""
        ends = (f"CASE WHEN {is_told} THEN json_extract(metadata, '$.lines[{end}]') END" for end in (0, 1))
        found = self._column(", ".join(ends))
        return [
            (first, last) if lane == "code" and isinstance(first, int) and isinstance(last, int) else None
            for (first, last), lane in zip(found, self.lanes, strict=True)
        ]

    def chunks(self, ids: Iterable[str]) -> dict[str, Chunk]:
        """Those of the given ids that exist, in the order asked for."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Chunk] = {}
        for start in range(0, len(wanted), _SLOTS):
            part = wanted[start : start + _SLOTS]
            slots = ",".join("?" * len(part))
            sql = f"SELECT id, text, source, page, tokens, metadata FROM chunks WHERE id IN ({slots})"  # noqa: S608
            found.update((chunk.id, chunk) for chunk in map(self._chunk, self._rows(sql, part)))
        return {id_: found[id_] for id_ in wanted if id_ in found}

    def embeddings(self) -> NDArray[np.float32]:
        """One row of unit length for each chunk; an all-zero row is a text without a single known word."""
        dim = self._dim
        matrix = np.empty((len(self), dim), dtype=np.float32)
        start = 0
        with self._lock:
            cursor = self._execute(self._ordered("embedding"))
            while rows := cursor.fetchmany(_BATCH):
                blobs = [row[0] for row in rows]
                self._check_blobs(blobs, start, dim)
                matrix[start : start + len(blobs)] = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(-1, dim)
                start += len(blobs)
        return self._unit(matrix)

    @cached_property
    def has_embeddings(self) -> bool:
        return bool(self._rows("SELECT 1 FROM chunks WHERE embedding IS NOT NULL LIMIT 1"))

    @property
    def doubt(self) -> str | None:
        """What a user must know of the embeddings of an index made elsewhere, if anything."""
        if self.metadata.get("model_id") or not self.has_embeddings:
            return None
        return (
            "The index does not say which model made its embeddings: vector and hybrid are right only if it is "
            "the embedder of the settings."
        )

    def vectors(self, ids: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """The embeddings of those of the given ids that exist, each of unit length."""
        wanted, dim = list(dict.fromkeys(ids)), self._dim
        found: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(wanted), _SLOTS):
            part = wanted[start : start + _SLOTS]
            slots = ",".join("?" * len(part))
            for id_, blob in self._rows(f"SELECT id, embedding FROM chunks WHERE id IN ({slots})", part):  # noqa: S608
                if isinstance(blob, bytes) and len(blob) == 4 * dim:
                    row = np.frombuffer(blob, dtype="<f4").astype(np.float32)
                    norm = float(np.sqrt(row @ row))
                    found[str(id_)] = row / np.float32(norm) if abs(norm - 1) > 1e-4 and norm > 0 else row
        return found

    @cached_property
    def _dim(self) -> int:
        if not self.has_embeddings:
            raise AssayError(
                "the index has no embeddings",
                where=str(self.path),
                hint="Use bm25, or run `assay index` without --no-embeddings.",
            )
        declared = self.metadata.get("embedding_dim", "")
        if declared.isdigit() and int(declared) > 0:
            return int(declared)
        first = self._rows("SELECT embedding FROM chunks WHERE embedding IS NOT NULL LIMIT 1")
        return max(1, len(first[0][0]) // 4)

    def _check_blobs(self, blobs: list[Any], start: int, dim: int) -> None:
        if set(map(type, blobs)) == {bytes} and set(map(len, blobs)) == {4 * dim}:
            return
        for offset, blob in enumerate(blobs):
            if not isinstance(blob, bytes) or len(blob) != 4 * dim:
                size = f"{len(blob)} bytes" if isinstance(blob, bytes) else "absent"
                raise self._fault(
                    f"the embedding of chunk '{self.ids[start + offset]}' is {size}",
                    f"{4 * dim} bytes, that is {dim} float32 numbers",
                )

    def _unit(self, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows made unit length where an index made elsewhere holds raw vectors."""
        squares = np.einsum("ij,ij->i", matrix, matrix)
        bad = np.flatnonzero(~np.isfinite(squares))
        if len(bad):
            raise self._fault(f"the embedding of chunk '{self.ids[bad[0]]}' is not finite", "finite numbers")
        off = (squares > 0) & (np.abs(squares - 1) > 1e-4)
        if off.any():
            matrix[off] /= np.sqrt(squares[off])[:, None]
        return matrix

    def check_embedder(self, embedder: Embedder) -> None:
        """A query must be encoded by the model that encoded the chunks."""
        model = self.metadata.get("model_id")
        if model and model != embedder.model_id:
            raise AssayError(
                f"the index was embedded by '{model}', queries would be by '{embedder.model_id}'",
                where=str(self.path),
                hint="Set the same embedder in assay.yaml, or index again.",
            )
        dim = self._dim
        if dim != embedder.dim:
            raise AssayError(
                f"the index has embeddings of {dim} dimensions, the embedder '{embedder.model_id}' gives "
                f"{embedder.dim}",
                where=str(self.path),
                hint="Set the same embedder in assay.yaml, or index again.",
            )

    def read_blob(self, key: str) -> bytes | None:
        """A prepared structure kept with the chunks; None where there is none."""
        if not self._rows("PRAGMA table_info(lexical)"):
            return None
        rows = self._rows("SELECT value FROM lexical WHERE key = ?", [key])
        return bytes(rows[0][0]) if rows else None

    def write_blob(self, key: str, value: bytes) -> None:
        """Best effort. Not kept in a read-only index, one made elsewhere, or one replaced since it was opened."""
        try:
            with closing(_writable(self.path)) as connection, connection:
                row = connection.execute("SELECT value FROM metadata WHERE key = 'fingerprint'").fetchone()
                if row and row[0] == self.fingerprint:
                    connection.execute("INSERT OR REPLACE INTO lexical (key, value) VALUES (?, ?)", (key, value))
        except sqlite3.Error:
            return

    def close(self) -> None:
        with self._lock:  # an interrupted run leaves a search under way, and SQLite does not survive that
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _column(self, expression: str) -> list[tuple[Any, ...]]:
        return self._rows(self._ordered(expression))

    def _ordered(self, expression: str) -> str:
        return f"SELECT {expression} FROM chunks ORDER BY {self._order}"  # noqa: S608 (our own expressions)

    def _rows(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._execute(sql, values).fetchall()

    def _execute(self, sql: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, tuple(values))
        except sqlite3.Error as fault:
            raise _unreadable(self.path, fault) from None

    def _chunk(self, row: tuple[Any, ...]) -> Chunk:
        id_, text, source, page, tokens, raw = row
        metadata = self._decode(raw, id_)
        lane = self._lane(metadata, id_)
        metadata.pop("lane", None)
        return Chunk(
            id=str(id_),
            text=str(text or ""),
            source=str(source or ""),
            page=page_number(page),
            tokens=int(tokens or 0),
            lane=lane,
            metadata=metadata,
        )

    def _decode(self, text: str | None, id_: object) -> dict[str, Any]:
        try:
            value = json.loads(text) if text else {}
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise self._fault(f"the metadata of chunk '{id_}' is not a JSON object", "a JSON object or nothing")
        return value

    def _lane(self, metadata: Mapping[str, Any], id_: object) -> Lane:
        lane = metadata.get("lane", "document")
        if lane not in LANES:
            raise self._fault(f"the lane of chunk '{id_}' is {lane!r}", " or ".join(LANES))
        return cast("Lane", lane)

    def _fault(self, what: str, expected: str) -> AssayError:
        return AssayError(what, where=str(self.path), expected=expected)


def _connect(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such index"
        raise AssayError(what, where=str(path), hint="Make one with: assay index DOCUMENTS --out FILE")
    # Reading alone is enough, but for two states: a journal left by a killed writer must be rolled back first,
    # and write-ahead files need a shared-memory file that a read-only folder cannot hold.
    waiting = path.with_name(path.name + "-wal")
    modes = ["mode=ro", "mode=rw"]
    if not waiting.exists() or not waiting.stat().st_size:
        modes.append("mode=ro&immutable=1")
    faults: list[sqlite3.Error] = []
    for mode in modes:
        try:
            return _opened(f"{path.resolve().as_uri()}?{mode}")
        except sqlite3.Error as fault:
            faults.append(fault)
    raise _unreadable(path, faults[0])


def _opened(uri: str) -> sqlite3.Connection:
    """A connection that has proved that it can read."""
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, timeout=30)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _writable(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=5)


def _unreadable(path: Path, fault: sqlite3.Error) -> AssayError:
    if "not a database" in str(fault):
        return AssayError("not an SQLite file", where=str(path), expected="an index made by `assay index`")
    return AssayError(f"cannot be read: {fault}", where=str(path))
