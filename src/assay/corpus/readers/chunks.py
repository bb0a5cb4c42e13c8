"""Ready-made chunks: a JSON list (or `{"chunks": [...]}`), JSON lines, or BEIR's `corpus.jsonl`.

A chunk is `{id, text, source?, page?, tokens?, lane?, metadata?, embedding?}`; what else it has goes into its metadata.
BEIR's `{_id, title, text}` is a chunk that is its own document.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from assay.corpus.chunking import count_tokens
from assay.corpus.content import clean
from assay.corpus.readers.protocol import CHUNK_READERS, Ready
from assay.errors import AssayError
from assay.files import line_of, parse_json, read_jsonl, read_text
from assay.records import Chunk, Lane

_KNOWN = {"id", "_id", "text", "source", "page", "tokens", "lane", "metadata", "embedding"}
_SHAPE = "; a chunk is {id, text, source, page}, the last two if they are known"


@CHUNK_READERS.register(".jsonl", ".ndjson")
def read_lines(path: Path) -> Ready:
    numbered = list(read_jsonl(path))
    return _ready([record for _, record in numbered], lambda n: f"{path}:{numbered[n][0]}", path.name, None)


@CHUNK_READERS.register(".json")
def read_list(path: Path) -> Ready:
    text = read_text(path)
    data = parse_json(text, str(path))
    keys: tuple[str, ...] = ()
    model_id = None
    if isinstance(data, dict) and isinstance(data.get("data"), list):
        hint = f"Take its paragraphs out with: assay gold convert {path.name} --to beir --out DIR; then index DIR"
        raise AssayError("holds no chunks; it looks like SQuAD", where=str(path), hint=hint)
    if isinstance(data, dict):
        keys, model_id, data = ("chunks",), data.get("model_id"), data.get("chunks")
    if not isinstance(data, list):
        raise AssayError("holds no chunks", where=str(path), expected='a list of chunks or {"chunks": [...]}')
    return _ready(data, lambda n: f"{path}:{line_of(text, (*keys, n))}", path.name, model_id)


def _ready(records: list[Any], place: Callable[[int], str], name: str, model_id: str | None) -> Ready:
    chunks: list[Chunk] = []
    for number, record in enumerate(records):
        try:
            chunks.append(_chunk(record, name))
        except _Wrong as wrong:
            raise AssayError(wrong.what, where=place(number), expected=wrong.expected) from None
    return Ready(chunks=chunks, place=place, vectors=_vectors(records, place), model_id=model_id)


class _Wrong(Exception):
    def __init__(self, what: str, expected: str) -> None:
        super().__init__(what)
        self.what, self.expected = what, expected


def _chunk(record: Any, name: str) -> Chunk:
    if not isinstance(record, dict):
        raise _Wrong(f"a chunk is {type(record).__name__}", "an object with id and text")
    is_beir = "_id" in record and "id" not in record
    id_ = _id(record, "_id" if is_beir else "id")
    text = _typed(record, "text", str, "text")
    if text is None:
        raise _Wrong("text is missing", f"the text of the chunk{_SHAPE}")
    title = record.get("title") if is_beir else None
    text = clean(f"{title}\n{text}" if title else text)
    tokens = _typed(record, "tokens", int, "a number of tokens")
    lane = record.get("lane", "document")
    if lane not in get_args(Lane):
        raise _Wrong(f"lane is {lane!r}", " or ".join(get_args(Lane)))
    return Chunk(
        id=id_,
        text=text,
        source=clean(_typed(record, "source", str, "text") or (id_ if is_beir else name)),
        page=_typed(record, "page", int, "a page number"),
        tokens=count_tokens(text) if tokens is None else tokens,
        lane=lane,
        metadata=_metadata(record),
    )


def _id(record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not clean(value):
        what = f"{key} is {value!r}" if key in record else f"{key} is missing"
        raise _Wrong(what, f"text that names the chunk{'' if key in record else _SHAPE}")
    return clean(value)


def _typed(record: dict[str, Any], key: str, kind: type[Any], expected: str) -> Any:
    value = record.get(key)
    if value is None:
        return None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _Wrong(f"{key} is {str(value)[:40]!r}", expected)
    if kind is int and value < 0:
        raise _Wrong(f"{key} is {value}", f"{expected}, not below 0")
    return value


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    given = _typed(record, "metadata", dict, "an object") or {}
    return {**given, **{key: value for key, value in record.items() if key not in _KNOWN}}


def _vectors(records: list[dict[str, Any]], place: Callable[[int], str]) -> list[bytes] | None:
    """Embeddings for all chunks or for none: a half-embedded file would be searched by half."""
    given = [record.get("embedding") for record in records]
    if all(vector is None for vector in given):
        return None
    from assay.embedders.vectors import unit_rows

    dim = next((len(vector) for vector in given if isinstance(vector, list)), 0)
    rows: list[bytes] = []
    for number, vector in enumerate(given):
        try:
            if len(vector or ()) != max(dim, 1):
                raise ValueError
            rows.append(unit_rows([vector]).astype("<f4").tobytes())
        except (TypeError, ValueError):
            got = "missing" if vector is None else "not that"
            raise AssayError(
                f"embedding is {got}",
                where=place(number),
                expected=f"a list of {dim or 'finite'} numbers, as long in every chunk",
            ) from None
    return rows
