"""The two things a reader can be. Each is registered by the file suffixes it reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from assay.records import Chunk
from assay.registry import Registry


class Page(Struct, frozen=True):
    """A page of a document, numbered from 1."""

    number: int
    text: str
    note: str | None = None
    """What a person should know about how it was read, such as a wrong encoding."""


class Ready(Struct, frozen=True, kw_only=True):
    """Chunks somebody else has made."""

    chunks: list[Chunk]
    place: Callable[[int], str]
    """Where the n-th of them stands, as `file:line`."""
    vectors: list[bytes] | None = None
    """Their embeddings as float32 rows of unit length: all of them or none."""
    model_id: str | None = None

    @property
    def dim(self) -> int | None:
        return len(self.vectors[0]) // 4 if self.vectors else None


READERS: Registry[Callable[[Path], list[Page]]] = Registry("reader", "assay.corpus.readers")
CHUNK_READERS: Registry[Callable[[Path], Ready]] = Registry("chunk_reader", "assay.corpus.readers")
MEMORY_READERS: Registry[Callable[[Path], Ready]] = Registry("memory_reader", "assay.corpus.readers")
