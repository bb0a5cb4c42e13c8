"""Embeddings already computed, by model and text: one SQLite file that may be deleted at any time.

Used where an embedding costs money or milliseconds (`is_slow`): services and transformer models. Not for `wordllama`:
a hit would take 0.01 ms instead of 0.2 ms, but every miss takes a tenth longer and 1.4 kB of disk, and the texts that
come again, those of unchanged documents, are already in the index.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.config import EmbedderOptions
from assay.embedders.prefix import prefix_of
from assay.embedders.protocol import Embedder, Kind, create
from assay.errors import AssayError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE_NAME = "embeddings.db"
_SLOTS = 500


def cached(options: EmbedderOptions, folder: Path) -> Embedder:
    """The embedder the settings name, behind a cache in that folder where one pays."""
    embedder = create(options)
    return CachedEmbedder(embedder, options, folder / FILE_NAME) if getattr(embedder, "is_slow", False) else embedder


class CachedEmbedder:
    """Asks the embedder only for texts nobody asked before. Two processes may share the file."""

    is_slow = True

    def __init__(self, embedder: Embedder, options: EmbedderOptions, path: Path) -> None:
        self.model_id = embedder.model_id
        self._embedder, self._options, self._path = embedder, options, path

    @property
    def dim(self) -> int:
        return self._embedder.dim

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        import numpy as np

        keys = [self._key(text, kind) for text in texts]
        found = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            rows = self._embedder.embed(list(missing.values()), kind=kind)
            fresh = {key: row.astype("<f4").tobytes() for key, row in zip(missing, rows, strict=True)}
            self._write(fresh)
            found |= fresh
        if not keys:
            return np.zeros((0, self.dim), dtype=np.float32)
        if len(sizes := {len(vector) for vector in found.values()}) > 1:
            dims = " and ".join(str(size // 4) for size in sorted(sizes))
            raise self._fault(f"holds vectors of {dims} dimensions for the model '{self.model_id}'")
        return np.frombuffer(b"".join(found[key] for key in keys), dtype="<f4").reshape(len(keys), -1).copy()

    def _key(self, text: str, kind: Kind) -> bytes:
        parts = (self.model_id, prefix_of(self._options, kind) + text)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()

    def _read(self, keys: list[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with self._open() as connection:
            for start in range(0, len(keys), _SLOTS):
                part = keys[start : start + _SLOTS]
                slots = ",".join("?" * len(part))
                rows = connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({slots})", part)  # noqa: S608
                found.update(rows)
        return found

    def _write(self, vectors: dict[bytes, bytes]) -> None:
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR IGNORE INTO vectors (key, vector) VALUES (?, ?)", vectors.items())
            connection.commit()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=60, isolation_level=None)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
                yield connection
        except (sqlite3.Error, OSError) as fault:
            raise self._fault(f"cannot be used: {fault}") from None

    def _fault(self, what: str) -> AssayError:
        hint = "It may be deleted; paths.cache in assay.yaml puts it elsewhere."
        return AssayError(f"the cache of embeddings {what}", where=str(self._path), hint=hint)
