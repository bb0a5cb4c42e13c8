"""What every format is: read into schema v2 without losing a field, written from it without inventing one.

What schema v2 has no place for is kept on the question under the format's own name, and comes back when the set is
written in that format again. What a format has no place for goes out under `assay`, and comes back when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.gold.grounds import Grounds
from assay.gold.leaves import ANSWERABLE, LEAVES, Leaf
from assay.registry import Registry

OURS = "assay"
PASSAGE = "passage"
ACCEPTED = "accepted_answers"
"""Beside `content.expected_answer`, where a question has several: they are right too. No leaf of the schema."""
Raw = dict[str, Any]


class Bundle(Struct, frozen=True, kw_only=True):
    """A gold set on its way from one format to another."""

    raws: tuple[Raw, ...]
    version: Raw = {}
    passages: Mapping[str, Raw] = {}
    """Chunk id → `text`, `source` and what else is known, where the format carries its own texts."""
    beside: Raw = {}
    """What stands beside the questions in a schema-v2 file."""


class Order(Struct, frozen=True, kw_only=True):
    """How to read or write."""

    columns: Mapping[str, str] = {}
    """Leaf → name of the column, for CSV, JSON lines and lists of rows."""
    grounds: Grounds | None = None
    """The corpus, where texts are needed that the set itself does not carry."""
    negatives: int = 5
    """Hard negatives of a triplet."""


class Format(Struct, frozen=True, kw_only=True):
    """`write` gives file contents by name, '' being the file asked for, and the questions that could not be written,
    with the reason. A format without one of the two can only be written, or only be read."""

    name: str
    read: Callable[[Path, Order], Bundle] | None = None
    write: Callable[[Bundle, Order], Written] | None = None


class Written(Struct, frozen=True):
    """The files, and what could not go into them."""

    files: dict[str, str]
    lost: dict[str, str] = {}
    """Question id → why it is not there."""


FORMATS: Registry[Format] = Registry("format", "assay.gold.formats")


def blank(id_: str, question: str) -> Raw:
    """A question with every leaf: what is not known is null, an empty text or an empty list, as the schema allows."""
    raw: Raw = {}
    for leaf in LEAVES:
        holder = raw
        for group in leaf.group.split(".") if leaf.group else ():
            if not isinstance(holder.get(group), dict):
                holder[group] = {}
            holder = holder[group]
        holder[leaf.key] = _unknown(leaf)
    raw["id"], raw["content"]["question"] = id_, question
    raw["content"]["is_impossible"] = False
    raw["classification"]["hard_type"] = ANSWERABLE
    return raw


def _unknown(leaf: Leaf) -> Any:
    if leaf.nullable or leaf.values or leaf.kinds in {("number",), ("filled",), ("flag",), ("any",)}:
        return None
    return [] if "list" in leaf.expected else ""


def passages_of(bundle: Bundle, order: Order) -> dict[str, Raw]:
    """The texts of the questions' chunks, from the set itself or from the corpus."""
    wanted = [raw["provenance"]["chunk_id"] for raw in bundle.raws if raw["provenance"].get("chunk_id")]
    found = {id_: dict(bundle.passages[id_]) for id_ in wanted if id_ in bundle.passages}
    missing = [id_ for id_ in wanted if id_ not in found]
    if order.grounds and missing:
        for chunk in order.grounds.chunks(missing).values():
            found[chunk.id] = {"text": chunk.text, "source": chunk.source, "page": chunk.page}
    return found


def kept(raw: Raw, name: str) -> Raw:
    """What the format left on the question when it was read."""
    found = raw.get(name)
    return dict(found) if isinstance(found, dict) else {}


def for_others(raw: Raw, *names: str) -> Raw:
    """The whole question, without what a format of these names kept on it: it stands where it came from."""
    return {key: value for key, value in raw.items() if key not in names}


_COUNTED = frozenset({"schema", "question_count", "unanswerable_count"})
"""Of the version, what every schema-v2 file is given anew."""


def file_for_others(bundle: Bundle, name: str) -> Raw:
    """What a schema-v2 file says of itself, to go out beside the questions; nothing where it says nothing."""
    says = bundle.version.keys() - _COUNTED - {name}
    return {OURS: {"version": bundle.version, "beside": bundle.beside}} if says or bundle.beside else {}


def several(answers: Iterable[str]) -> Raw:
    """The leaf and the key beside it: the first is expected, the others are right too, each once."""
    first, *others = dict.fromkeys(answer for answer in answers if answer.strip()) or ("",)
    return {"expected_answer": first} | ({ACCEPTED: others} if others else {})


def file_restored(data: Raw) -> tuple[Raw, Raw] | None:
    """(version, beside) of the schema-v2 file that was written out."""
    found = data.get(OURS)
    parts = (found.get("version"), found.get("beside")) if isinstance(found, dict) else ()
    return parts if len(parts) == 2 and all(isinstance(part, dict) for part in parts) else None  # type: ignore[return-value]


def carried(bundle: Bundle) -> list[Raw]:
    """The questions for a format of rows alone: the first tells what the file says of itself, and the first on each
    chunk brings its text, where the set has texts of its own."""
    notes: list[Raw] = [{} for _ in bundle.raws]
    seen: set[str] = set()
    for raw, note in zip(bundle.raws, notes, strict=True):
        id_ = _chunk_of(raw)
        if id_ in bundle.passages and id_ not in seen:
            note[PASSAGE] = {"id": id_, **bundle.passages[id_]}
            seen.add(id_)
    if notes:
        notes[0] |= file_for_others(bundle, "").get(OURS, {})
    return [
        raw | {OURS: note} if note and OURS not in raw else raw for raw, note in zip(bundle.raws, notes, strict=True)
    ]


def gathered(raws: Iterable[Raw]) -> Bundle:
    """The set that was carried so; rows may have been moved or left out since."""
    version, beside, passages = dict[str, Any](), dict[str, Any](), dict[str, Raw]()
    plain = []
    for raw in raws:
        note = raw.get(OURS)
        if not isinstance(note, dict) or not note.keys() <= {"version", "beside", PASSAGE}:
            plain.append(raw)
            continue
        version, beside = file_restored(raw) or (version, beside)
        passage = note.get(PASSAGE)
        if isinstance(passage, dict) and isinstance(passage.get("id"), str) and isinstance(passage.get("text"), str):
            passages[passage["id"]] = {key: value for key, value in passage.items() if key != "id"}
        plain.append({key: value for key, value in raw.items() if key != OURS})
    return Bundle(raws=tuple(plain), version=version, beside=beside, passages=passages)


def _chunk_of(raw: Raw) -> str:
    provenance = raw.get("provenance")
    id_ = provenance.get("chunk_id") if isinstance(provenance, dict) else None
    return id_ if isinstance(id_, str) else ""


def restored(item: Raw, id_: str, question: str) -> Raw:
    """The question that was written out, with its text as it is now; or a blank one."""
    raw = item.get(OURS)
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), dict):
        return blank(id_, question)
    content = raw["content"] | {"question": question}
    return raw | {"id": id_, "content": content}
