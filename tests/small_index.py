"""Small real indexes for tests: ours, or as another tool would write one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.corpus.index import Index
from assay.corpus.store import replacing
from assay.records import Chunk


def chunks_of(texts: Mapping[str, str] | Iterable[str]) -> list[Chunk]:
    """`{id: text}`, or texts whose ids are d0, d1, ...; all of one document."""
    pairs = texts.items() if isinstance(texts, Mapping) else ((f"d{n}", text) for n, text in enumerate(texts))
    return [Chunk(id=id_, text=text, source="a.txt") for id_, text in pairs]


def write_index(
    path: Path,
    chunks: Sequence[Chunk],
    *,
    language: str = "en",
    vectors: NDArray[np.float32] | None = None,
    model_id: str = "wordllama-l2-supercat-256",
) -> Index:
    """As `assay index` writes it; `vectors` stand in the order of the chunks."""
    blobs = [None] * len(chunks) if vectors is None else [row.astype("<f4").tobytes() for row in vectors]
    metadata = {"language": language}
    if vectors is not None:
        metadata |= {"model_id": model_id, "embedding_dim": str(vectors.shape[1])}
    with replacing(path, keep_old=False) as store:
        store.put(zip(chunks, blobs, strict=True))
        store.finish(metadata)
    return Index.open(path)


def write_foreign_index(path: Path, chunks: Sequence[Chunk]) -> Index:
    """The tables everybody has, and none of ours."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT)")
        connection.execute(
            "CREATE TABLE chunks (id TEXT PRIMARY KEY, text TEXT, source TEXT, page INTEGER, tokens INTEGER, "
            "metadata TEXT, embedding BLOB)"
        )
        rows = [(c.id, c.text, c.source, c.page, c.tokens, json.dumps(c.metadata)) for c in chunks]
        connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, NULL)", rows)
        connection.commit()
    return Index.open(path)
