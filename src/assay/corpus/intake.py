"""One file into the chunks it gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
from msgspec import Struct

from assay.config import Chunking
from assay.corpus.chunking import chunk_document, count_tokens
from assay.corpus.content import clean
from assay.corpus.language import detect, detect_each
from assay.corpus.readers import CHUNK_READERS, MEMORY_READERS, READERS, Ready
from assay.corpus.scan import Found
from assay.errors import AssayError
from assay.records import Chunk

UNKNOWN = "unknown"


class Unreadable(AssayError):
    """A fault of the surroundings, not of the file's content: the file is tried again next time."""


class Loaded(Struct, frozen=True, kw_only=True):
    """What one file gives."""

    chunks: list[Chunk]
    place: Callable[[int], str]
    """Where the n-th chunk stands, for messages."""
    pages: int
    languages: dict[str, int]
    """Its documents by language."""
    notes: tuple[str, ...] = ()
    vectors: list[bytes] | None = None
    model_id: str | None = None
    dim: int | None = None


def load(file: Found, chunking: Chunking, language: str) -> Loaded:
    """Raises AssayError where the file gives nothing; only a source file may define nothing."""
    try:
        if file.lane == "code":
            return _load_code(file)
        loaded = _load_ready(file, language) if file.is_ready else _load_document(file, chunking, language)
    except OSError as fault:
        raise Unreadable(f"cannot be read: {fault.strerror}") from None
    if not loaded.chunks and file.is_ready:
        raise AssayError("holds no chunks", where=str(file.path))
    if not loaded.chunks:
        raise AssayError("empty: there is no text in it")
    return loaded


def _load_code(file: Found) -> Loaded:
    from assay.corpus.code import extract
    from assay.corpus.code.files import BINARY, is_binary

    source = file.path.read_bytes()
    if is_binary(source):
        raise AssayError(BINARY)
    found = extract(file.name, source)
    note = f"line {found.broken_at} does not parse; cut as far as it does"
    return Loaded(
        chunks=[
            Chunk(
                id=unit.id,
                text=unit.text,
                source=file.name,
                tokens=count_tokens(unit.text),
                lane="code",
                metadata={
                    "kind": unit.kind,
                    "symbol": unit.symbol,
                    "language": unit.language,
                    "lines": [unit.first_line, unit.last_line],
                    "tags": list(unit.tags),
                },
            )
            for unit in found.units
        ],
        place=lambda _: str(file.path),
        pages=0,
        languages={found.language: 1},
        notes=(note,) if found.broken_at else (),
    )


def _load_document(file: Found, chunking: Chunking, language: str) -> Loaded:
    read = READERS.get(file.path.suffix.lower())
    pages = [msgspec.structs.replace(page, text=clean(page.text)) for page in read(file.path)]
    code = detect("\n".join(page.text for page in pages)) if language == "auto" else language
    return Loaded(
        chunks=chunk_document(file.name, pages, chunking, code),
        place=lambda _: str(file.path),
        pages=len(pages),
        languages={code or UNKNOWN: 1},
        notes=tuple(page.note for page in pages if page.note),
    )


def _load_ready(file: Found, language: str) -> Loaded:
    """Chunks as they are; a language they do not state is found out for each of their sources."""
    ready = _read_ready(file)
    if language == "auto":
        codes = detect_each((chunk.source, chunk.text) for chunk in ready.chunks)
    else:
        codes = dict.fromkeys((chunk.source for chunk in ready.chunks), language)
    chunks = [_with_language(chunk, codes[chunk.source]) for chunk in ready.chunks]
    sources = {chunk.source: chunk.metadata.get("language") or UNKNOWN for chunk in chunks}
    return Loaded(
        chunks=chunks,
        place=ready.place,
        pages=len({(chunk.source, chunk.page) for chunk in chunks if chunk.page is not None}),
        languages=dict(Counter(map(str, sources.values()))),
        vectors=ready.vectors,
        model_id=ready.model_id,
        dim=ready.dim,
    )


def _read_ready(file: Found) -> Ready:
    readers = MEMORY_READERS if file.lane == "memory" else CHUNK_READERS
    return readers.get(file.path.suffix.lower())(file.path)


def _with_language(chunk: Chunk, code: str | None) -> Chunk:
    if code is None or "language" in chunk.metadata:
        return chunk
    return msgspec.structs.replace(chunk, metadata={**chunk.metadata, "language": code})
