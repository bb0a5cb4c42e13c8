"""The BM25 structures of an index: built once, kept inside it, built again when the index has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from assay.corpus.index import Index
from assay.corpus.language import detect_each
from assay.files import dump_json
from assay.records import Lane
from assay.retrievers.analysis import CODE, VERSION, Analyzer, analyzer, language_code, query_terms
from assay.retrievers.code_fields import field_texts, own_texts, units_of
from assay.retrievers.code_query import field_terms, prefix_of
from assay.retrievers.counted import Columns, Counted, read_counted, row_keys
from assay.retrievers.counting import Before, count_terms
from assay.retrievers.memory_tags import with_tags
from assay.retrievers.postings import K1, B, Counts, Postings

TEXT = ""
"""The column of the texts, before those of fields."""
_ABOUT = "bm25/about"
_ALL = "bm25/all"
_COUNTED = "bm25/counted"
_LARGEST = 900_000_000
"""Bytes; SQLite takes no larger value."""


class Lexical(Struct, frozen=True, dict=True):
    """What is needed to search the words of an index, or of one of its lanes."""

    postings: Postings
    languages: tuple[str, ...]
    """Those of its chunks; a query is stemmed in each of them."""

    @cached_property
    def analyzers(self) -> list[Analyzer]:
        return [analyzer(language) for language in self.languages]

    def terms(self, query: str, fields: Mapping[str, float] | None = None) -> dict[str, float]:
        """What is looked for in the text and, where there is code, in the given fields by their weights."""
        found: dict[str, float] = dict(query_terms(query, self.analyzers))
        if fields and CODE in self.languages:
            found |= field_terms(query, fields)
        return {term: weight for term, weight in found.items() if weight}


_loaded: WeakKeyDictionary[Index, dict[str, Lexical]] = WeakKeyDictionary()


def prepare(index: Index) -> None:
    """Build the structures and keep them in the index, unless they are there and fit. Called when indexing ends."""
    if not _stored_languages(index):
        _keep(index, _build(index))


def load(index: Index, lane: Lane | None = None) -> Lexical:
    """The structure of all chunks, or of one lane with that lane's own statistics; read once for an open index.

    An index that is read-only, or was made elsewhere, gets its structures in memory.
    """
    lanes = set(index.lanes) if lane else set()
    name = "all" if lane is None or lanes == {lane} else lane
    loaded = _loaded.setdefault(index, {})
    if name not in loaded:
        if lane and lane not in lanes:
            loaded[name] = _structure(count_terms([], []), np.zeros(len(index), dtype=bool), ())
        elif stored := _read(index, name):
            loaded[name] = stored
        else:
            built = _build(index)
            loaded.update(built.structures)
            _keep(index, built)
    return loaded[name]


def row_languages(index: Index) -> list[str]:
    """The language of each chunk: the index's own if it was made for one, else that of the chunk's document."""
    setting = language_code(index.metadata.get("language", "auto"))
    if setting != "auto":
        return [CODE if lane == "code" else setting for lane in index.lanes]
    # Chunks without a source may come from anywhere: each is a document of its own.
    documents = [
        "" if lane == "code" else source or id_
        for source, id_, lane in zip(index.sources, index.ids, index.lanes, strict=True)
    ]
    first_ids = dict(zip(reversed(documents), reversed(index.ids), strict=True))
    told = {chunk.id: chunk.metadata.get("language") for chunk in index.chunks(first_ids.values()).values()}
    known = {document: told[id_] for document, id_ in first_ids.items() if isinstance(told[id_], str)} | {"": CODE}
    found = {}
    if first_ids.keys() - known:
        found = detect_each(pair for pair in zip(documents, index.texts(), strict=True) if pair[0] not in known)
    codes = {document: language_code(known.get(document) or found[document] or "en") for document in first_ids}
    return [codes[document] for document in documents]


class _Built(Struct, frozen=True):
    structures: dict[str, Lexical]
    """Of all chunks together and, where there are several, of each lane."""
    counted: Counted


def _build(index: Index) -> _Built:
    languages = row_languages(index)
    columns = _columns(index, languages)
    keys = row_keys(index.ids, columns)
    before = _before(index, keys, tuple(columns))
    counts = {field: count_terms(*column, before.get(field)) for field, column in columns.items()}
    lanes = np.array(index.lanes, dtype="U8")
    names = sorted(set(index.lanes)) if len(set(index.lanes)) > 1 else []
    members = {"all": np.ones(len(index), dtype=bool)} | {name: lanes == name for name in names}
    fields = {field: Postings.build(each, lanes == "code") for field, each in counts.items() if field != TEXT}
    found = {name: _structure(counts[TEXT], rows, languages) for name, rows in members.items()}
    structures = {
        name: _with_fields(lexical, fields) if CODE in lexical.languages else lexical for name, lexical in found.items()
    }
    return _Built(structures, Counted(keys, counts))


def _columns(index: Index, languages: list[str]) -> Columns:
    """What is counted: the texts, the tags of memories with them, and, where there is code, its names and its paths."""
    if "code" not in index.lanes:
        return {TEXT: (with_tags(index, index.texts()), languages)}
    units = units_of(index)
    fields = field_texts(len(index), units)
    return {TEXT: (with_tags(index, own_texts(index, units)), languages)} | {
        field: (texts, [field] * len(texts)) for field, texts in fields.items()
    }


def _before(index: Index, keys: Sequence[bytes], fields: Sequence[str]) -> dict[str, Before]:
    """What was counted for an earlier state of the index: most of it holds as a rule."""
    structure, counted = index.read_blob(_ALL), index.read_blob(_COUNTED)
    found = read_counted(structure, counted, _way(), fields) if structure and counted else None
    return found.before(keys) if found else {}


def _with_fields(lexical: Lexical, fields: Mapping[str, Postings]) -> Lexical:
    postings = lexical.postings
    for field, its in fields.items():
        postings = postings.with_field(prefix_of(field), its)
    return Lexical(postings, lexical.languages)


def _structure(counts: Counts, members: NDArray[np.bool_], languages: Sequence[str]) -> Lexical:
    inside = members[counts.rows]
    own = (
        counts
        if inside.all()
        else Counts(counts.vocabulary, counts.terms[inside], counts.rows[inside], counts.frequencies[inside])
    )
    present = {language for language, is_member in zip(languages, members, strict=False) if is_member}
    return Lexical(Postings.build(own, members), tuple(sorted(present)))


def _keep(index: Index, built: _Built) -> None:
    """What describes them is written last: a writer that is killed leaves them stale, not wrong."""
    if "fingerprint" not in index.metadata:
        return  # made elsewhere: not ours to write to
    label = _label(index)
    for name, structure in built.structures.items():
        data = structure.postings.to_bytes(label)
        if len(data) > _LARGEST:
            return
        index.write_blob(f"bm25/{name}", data)
    index.write_blob(_COUNTED, built.counted.to_bytes(label, _way()))
    languages = {name: structure.languages for name, structure in built.structures.items()}
    index.write_blob(_ABOUT, dump_json({"label": label.hex(), "languages": languages}).encode())


def _read(index: Index, name: str) -> Lexical | None:
    languages = _stored_languages(index)
    data = index.read_blob(f"bm25/{name}") if name in languages else None
    postings = Postings.from_bytes(data, _label(index)) if data else None
    return Lexical(postings, tuple(languages[name])) if postings else None


def _stored_languages(index: Index) -> dict[str, list[str]]:
    """The languages of each kept structure; nothing when there is none, or none that fits."""
    data = index.read_blob(_ABOUT)
    if not data:
        return {}
    about = json.loads(data)
    languages: dict[str, list[str]] = about["languages"] if about["label"] == _label(index).hex() else {}
    return languages


def _label(index: Index) -> bytes:
    """Of everything the structures depend on."""
    made_from = (index.fingerprint, index.metadata.get("language"), _way(), K1, B)
    return sha256(repr(made_from).encode()).digest()


def _way() -> bytes:
    """Of everything that counting depends on, besides what is counted."""
    import Stemmer

    return sha256(repr((VERSION, Stemmer.version())).encode()).digest()
