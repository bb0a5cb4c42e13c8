"""Files into a store: chunks gathered, embedded together, written; ids kept unique, models never mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, repeat

from msgspec import Struct
from msgspec.structs import replace

from assay.config import Chunking
from assay.corpus.intake import Loaded, Unreadable, load
from assay.corpus.plan import sha256_of
from assay.corpus.scan import Found, Problem, safe_name
from assay.corpus.store import FileRow, Store
from assay.embedders import Embedder
from assay.errors import AssayError, MissingExtra
from assay.records import Chunk, Progress, Step

_BATCH = 1024
"""Called with what was just done, how many are done, and of how many."""


class DuplicateId(AssayError):
    """Two chunks of one corpus have the same id: no score could tell them apart."""


class Making(Struct, frozen=True, kw_only=True):
    """How chunks and vectors are made."""

    chunking: Chunking
    language: str
    embedder: Embedder | None
    progress: Progress


class Writer:
    """Adds files to a store that already holds the kept ones."""

    def __init__(self, store: Store, making: Making, kept: Sequence[FileRow]) -> None:
        self.failed: list[Problem] = []
        self.notes: dict[str, list[str]] = {}
        """What is to be told of a file that was read, by its key."""
        self._store, self._making, self._kept = store, making, kept
        self._waiting: list[tuple[Chunk, bytes | None]] = []
        self._places: dict[str, tuple[Callable[[int], str], int]] = {}
        for row in kept:
            self._places.update((id_, (_named(row.path), 0)) for id_ in row.ids)

    def add(self, file: Found) -> None:
        """Read a file. One that gives nothing is named and the rest goes on, unless the user named it as chunks."""
        row = FileRow(path=file.key, size=file.size, mtime_ns=file.mtime_ns, sha256="")
        try:
            # Hashed before it is read: a change in between shows next time.
            row = replace(row, sha256=_digest(file))
            row = self._take(file, row)
        except Unreadable as fault:
            self.failed.append(Problem(file.name, str(fault)))
            return
        except AssayError as fault:
            if isinstance(fault, DuplicateId) or (file.is_named and file.is_ready) or _stops_all(fault, file):
                raise
            needs = fault.package if isinstance(fault, MissingExtra) else None
            row = replace(row, problem=safe_name(str(fault)), needs=needs)
        self._store.put_file(row)
        if len(self._waiting) >= _BATCH:
            self.flush()

    def _take(self, file: Found, row: FileRow) -> FileRow:
        loaded = load(file, self._making.chunking, self._making.language)
        self._claim(loaded)
        vectors = loaded.vectors if self._making.embedder else None
        self._waiting.extend(zip(loaded.chunks, vectors or repeat(None), strict=vectors is not None))
        self.notes[file.key] = list(loaded.notes)
        return replace(
            row,
            pages=loaded.pages,
            chunks=len(loaded.chunks),
            languages=loaded.languages,
            model_id=loaded.model_id if vectors else None,
            dim=loaded.dim if vectors else None,
            ids=tuple(chunk.id for chunk in loaded.chunks),
        )

    def _claim(self, loaded: Loaded) -> None:
        for number, chunk in enumerate(loaded.chunks):
            if chunk.id in self._places:
                place, at = self._places[chunk.id]
                where = loaded.place(number)
                raise DuplicateId(f"the id '{chunk.id}' is taken by {place(at)}", where=where, expected="unique ids")
            self._places[chunk.id] = (loaded.place, number)

    def flush(self) -> None:
        """Embed and write what has gathered, batch by batch: what a slow embedder has given is then in its cache, and
        is not paid for again if the next batch fails."""
        total = len(self._waiting)
        for start in range(0, total, _BATCH):
            batch = self._waiting[start : start + _BATCH]
            fresh = iter(self._embed([chunk.text for chunk, vector in batch if vector is None]))
            self._store.put([(chunk, vector or next(fresh)) for chunk, vector in batch])
            if total > 2 * _BATCH:
                self._making.progress(Step("chunks of a large file", min(start + _BATCH, total), total))
        self._waiting.clear()

    def _embed(self, texts: list[str]) -> list[bytes | None]:
        if self._making.embedder is None or not texts:
            return [None] * len(texts)
        rows = self._making.embedder.embed(texts, kind="document")
        return [row.astype("<f4").tobytes() for row in rows]

    def embed_again(self) -> None:
        """New vectors for the texts of kept documents."""
        ids = iter([id_ for row in self._kept for id_ in row.ids])
        total, done = sum(row.chunks for row in self._kept), 0
        while batch := list(islice(ids, _BATCH)):
            vectors = self._embed(self._store.texts(batch))
            self._store.set_vectors(zip(vectors, batch, strict=True))
            done += len(batch)
            self._making.progress(Step("new embeddings", done, total))

    def common_model(self, files: Sequence[FileRow]) -> tuple[str | None, int | None]:
        """The one model and dimension of all vectors, brought along or ours."""
        embedder = self._making.embedder
        if embedder is None:
            return None, None
        used = {(row.model_id, row.dim): row.path for row in files if row.dim}
        if any(row.chunks and not row.dim for row in files):
            used[embedder.model_id, embedder.dim] = "what is embedded here"
        models = {model for model, _ in used if model}
        dims = {dim for _, dim in used}
        if len(models) > 1 or len(dims) > 1:
            sides = " and ".join(
                f"'{model or 'unknown'}' of {dim} dimensions ({of})" for (model, dim), of in used.items()
            )
            raise AssayError(
                f"embeddings by {sides} would share one index", hint="Index them apart, or set the embedder."
            )
        return next(iter(models), None), next(iter(dims))


def _stops_all(fault: AssayError, file: Found) -> bool:
    """What cuts code is missing: then no source file can be read, and the user has asked for them."""
    return isinstance(fault, MissingExtra) and file.lane == "code"


def _digest(file: Found) -> str:
    try:
        return sha256_of(file.path)
    except OSError as fault:
        raise Unreadable(f"cannot be read: {fault.strerror}") from None


def _named(path: str) -> Callable[[int], str]:
    return lambda _: path
