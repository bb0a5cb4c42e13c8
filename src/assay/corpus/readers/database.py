"""An index made before, by us or elsewhere in the same schema: its chunks and embeddings are copied in."""

from __future__ import annotations

from pathlib import Path

from assay.corpus.readers.protocol import CHUNK_READERS, Ready


@CHUNK_READERS.register(".db", ".sqlite", ".sqlite3")
def read(path: Path) -> Ready:
    from assay.corpus.index import Index

    with Index.open(path) as index:
        chunks = index.chunks(index.ids)
        vectors = [row.astype("<f4").tobytes() for row in index.embeddings()] if index.has_embeddings else None
        return Ready(
            chunks=list(chunks.values()),
            place=lambda _: str(path),
            vectors=vectors,
            model_id=index.metadata.get("model_id"),
        )
