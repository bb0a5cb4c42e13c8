"""SQuAD 1.1 and 2.0: articles, paragraphs, questions with the places of their answers."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.files import dump_json, line_of, parse_json, read_text
from assay.gold.formats.protocol import (
    ACCEPTED,
    FORMATS,
    OURS,
    Bundle,
    Format,
    Order,
    Raw,
    Written,
    file_for_others,
    file_restored,
    for_others,
    kept,
    passages_of,
    restored,
    several,
)
from assay.validation import convert

NAME = "squad"


class _Answer(Struct, frozen=True):
    text: str


class _Item(Struct, frozen=True):
    id: str | int
    question: str
    answers: list[_Answer] | None = None
    is_impossible: bool = False


class _Paragraph(Struct, frozen=True):
    context: str
    qas: list[_Item]


class _Article(Struct, frozen=True):
    paragraphs: list[_Paragraph]
    title: str | None = None


class _Shape(Struct, frozen=True):
    """What must be there; whatever else is there is kept."""

    data: list[_Article]


def read(path: Path, order: Order) -> Bundle:  # noqa: ARG001
    text = read_text(path)
    data = parse_json(text, str(path))
    if not isinstance(data, dict) or not isinstance(data.get("data"), list):
        raise AssayError("not a SQuAD file", where=str(path), expected='{"version": ..., "data": [...]}')
    convert(data, _Shape, lambda keys: f"{path}:{line_of(text, keys)}")
    raws, passages = [], {}
    for number, article in enumerate(data["data"]):
        for at, paragraph in enumerate(article["paragraphs"]):
            chunk_id = chunk_of(paragraph["context"])
            place = {"article": number, "paragraph": at, "title": article.get("title")}
            passages[chunk_id] = {"text": paragraph["context"], "source": article.get("title") or ""}
            beside = {
                "article": _rest(article, "paragraphs", "title"),
                "paragraph": _rest(paragraph, "context", "qas"),
            }
            raws += [_raw(item, chunk_id, place | beside_of(beside)) for item in paragraph["qas"]]
    version, beside_all = file_restored(data) or ({NAME: _rest(data, "data")}, {})
    return Bundle(raws=tuple(raws), version=version, passages=passages, beside=beside_all)


def chunk_of(context: str) -> str:
    """An id of the text alone: the same paragraph is the same chunk."""
    return f"squad-{hashlib.sha256(context.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def beside_of(found: dict[str, Raw]) -> Raw:
    """What articles and paragraphs carry beside what SQuAD names; mostly nothing."""
    return {"beside": found} if any(found.values()) else {}


def _rest(item: Raw, *known: str) -> Raw:
    return {key: value for key, value in item.items() if key not in known}


def _raw(item: Raw, chunk_id: str, place: Raw) -> Raw:
    answers = item.get("answers") or []
    raw = restored(item, str(item["id"]), item["question"])
    own = item.get(OURS) is not None
    raw["content"]["is_impossible"] = bool(item.get("is_impossible", False))
    raw["content"]["expected_answer"] = raw["content"]["expected_answer"] or ""
    if not own:
        raw["content"] |= several(answer["text"] for answer in answers)
        raw["provenance"] |= {"chunk_id": chunk_id, "docs": [place["title"]] if place["title"] else []}
        raw["classification"]["answer_type"] = "unanswerable" if raw["content"]["is_impossible"] else "extractive"
        raw["classification"]["hard_type"] = None if raw["content"]["is_impossible"] else "ANSWERABLE"
        raw["processing"]["answer_source"] = "chunk" if answers else None
        raw[NAME] = place | {"item": _rest(item, "question")}
    return raw


def write(bundle: Bundle, order: Order) -> Written:
    """Grouped as they were read; else one article for each document and one paragraph for each chunk."""
    passages, lost = passages_of(bundle, order), dict[str, str]()
    articles: dict[Any, Raw] = {}
    for raw in bundle.raws:
        was, id_ = kept(raw, NAME), raw["provenance"].get("chunk_id") or ""
        if id_ not in passages:
            lost[raw["id"]] = "the text of its chunk is not known; name the index with --index"
            continue
        source = passages[id_].get("source") or ""
        beside = was.get("beside", {})
        title = {} if was and was["title"] is None else {"title": was.get("title", source)}
        article = articles.setdefault(
            was.get("article", source), {"raw": {**title, **beside.get("article", {})}, "paragraphs": {}}
        )
        paragraph = article["paragraphs"].setdefault(
            was.get("paragraph", id_),
            {"context": passages[id_]["text"], "qas": [], **beside.get("paragraph", {})},
        )
        item = _item(raw, was, paragraph["context"])
        if item is None:
            lost[raw["id"]] = "its answer is not a quote of its chunk"
        else:
            paragraph["qas"].append(item)
    data = [article["raw"] | {"paragraphs": list(article["paragraphs"].values())} for article in articles.values()]
    head = bundle.version.get("squad", {"version": "v2.0"})
    return Written({"": dump_json({**head, **file_for_others(bundle, NAME), "data": data}) + "\n"}, lost)


def _item(raw: Raw, was: Raw, context: str) -> Raw | None:
    """As it was where nothing changed; with the place of the answer found again where something did."""
    content, item = raw["content"], dict(was.get("item", {}))
    texts = [content.get("expected_answer") or "", *(content.get(ACCEPTED) or ())]
    before = several(answer["text"] for answer in item.get("answers") or [])
    same = before == several(texts) and bool(item.get("is_impossible", False)) == bool(content["is_impossible"])
    if item and same:
        return {**item, "id": item["id"], "question": content["question"]}
    answers = []
    if not content["is_impossible"]:
        first, *others = (quote_of(text, context) for text in texts)
        if first is None:
            return None
        answers = [{"text": found[0], "answer_start": found.start()} for found in (first, *others) if found]
    made = {"id": raw["id"], "question": content["question"], "answers": answers}
    return item | made | {"is_impossible": bool(content["is_impossible"]), OURS: for_others(raw, NAME)}


def quote_of(text: str, context: str) -> re.Match[str] | None:
    """The answer as it stands in the context, whatever its case, line breaks and kinds of apostrophe and dash."""
    words = [re.escape(word).replace("’", "'").replace("'", "['’ʼ]").replace("\\-", "[-‐‑–]") for word in text.split()]
    return re.search(r"\s+".join(words), context, re.IGNORECASE) if words else None


FORMATS.register(NAME)(Format(name=NAME, read=read, write=write))
