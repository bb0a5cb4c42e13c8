"""One question of the gold set: all its leaves, the chunk its answer stands in, and what people say of it."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.corpus.index import Index
from assay.errors import AssayError
from assay.files import dump_json
from assay.gold.leaves import LEAVES, faults
from assay.report.html import Link
from assay.report.markup import Markup, element, join
from assay.report.numbers import MISSING
from assay.report.text import clip
from assay.viewer.choice import Choice
from assay.viewer.gold_set import gold_of
from assay.viewer.label_form import gold_form, others
from assay.viewer.pages.gold import ORDERS, chosen, entries_of
from assay.viewer.parts import NOTHING, fields, link, section
from assay.viewer.question_list import filters_of
from assay.viewer.refusal import not_found
from assay.viewer.visit import Content, Data, View, Visit, address

TITLE = 120


def data(visit: Visit) -> Data:
    id_, shown = visit.wanted("id"), gold_of(visit)
    if id_ not in shown.places:
        raise not_found(f"the gold set has no question '{clip(id_, TITLE)}'")
    item = shown.items[shown.places[id_]]
    ids = [entry.id for entry in chosen(entries_of(visit), Choice.of(visit.query, tuple(ORDERS)))]
    place = ids.index(id_) if id_ in ids else None
    labels = visit.desk.gold_labels().get(id_, {})
    return {
        "view": "gold_question",
        "id": id_,
        "form": shown.form,
        "title": item.question,
        "answer": item.answer,
        "question": item.raw,
        "faults": {fault.path: fault.reason for fault in faults(item.raw)} if shown.gold else {},
        "chunk": _chunk(visit, item.chunk_id),
        "labels": [msgspec.to_builtins(label) for label in labels.values()],
        "place": None if place is None else place + 1,
        "found": len(ids),
        "previous": ids[place - 1] if place else None,
        "next": ids[place + 1] if place is not None and place + 1 < len(ids) else None,
    }


def _chunk(visit: Visit, id_: str | None) -> Data | None:
    path = visit.desk.places.index
    if not id_ or not path.is_file():
        return None
    try:
        with Index.open(path) as index:
            chunk = index.chunks([id_]).get(id_)
    except AssayError:
        return None
    return None if chunk is None else {"id": id_, "text": chunk.text, "source": chunk.source, "page": chunk.page}


def show(data: Data, visit: Visit) -> Content:
    pairs = [("Expected answer", _answer(data)), ("Right too", _accepted(data["question"]))]
    left = element("div", fields(pairs, "fields plain"), _passage(data["chunk"]), *_groups(data))
    aside = _aside(data, visit) if data["form"] == "schema-v2" else NOTHING
    body = join([_steps(data, visit), element("div", left, aside, class_="split") if aside else left])
    trail = (Link("Gold set", address("/gold", filters_of(visit.query))),)
    return Content(title=clip(data["title"], TITLE * 3), subtitle=data["id"], body=body, trail=trail)


def _answer(data: Data) -> str:
    question = data["question"]
    impossible = (
        question["content"].get("is_impossible") if "content" in question else not question.get("answerable", True)
    )
    return data["answer"] or ("None: it cannot be answered." if impossible else MISSING)


def _accepted(question: Any) -> str | None:
    """Of a gold set or of a case, as they stand in the file."""
    content = question.get("content")
    found = content.get("accepted_answers") if isinstance(content, dict) else question.get("accepted")
    return " · ".join(map(str, found or ())) or None


def _aside(data: Data, visit: Visit) -> Markup:
    """Where people say what they think of it; with plain cases nobody would read that."""
    mine = next((each for each in data["labels"] if each.get("rater", "") == visit.rater), None)
    in_queue = "queue" in visit.query
    then = address("/gold/next", {"after": data["id"]}) if in_queue and not mine else visit.with_query()
    form = gold_form(visit, "/gold/labels", data["id"], mine, then)
    return element("aside", element("h2", "Is it a good question?"), form, others(data["labels"], visit.rater))


def _steps(data: Data, visit: Visit) -> Markup:
    def beside(id_: str) -> str:
        return address("/gold/question", {"id": id_, **filters_of(visit.query)})

    if "queue" in visit.query:
        steps = [link("Next of the sample", address("/gold/next", {"after": data["id"]}), "next")]
    else:
        steps = [
            link("Previous", beside(data["previous"]), "previous") if data["previous"] else NOTHING,
            element("span", f"{data['place']:,} of {data['found']:,}") if data["place"] else NOTHING,
            link("Next", beside(data["next"]), "next") if data["next"] else NOTHING,
        ]
    return element("div", *steps, class_="pager", role="navigation", aria_label="Questions")


def _passage(chunk: Data | None) -> Markup:
    if chunk is None:
        return NOTHING
    page = f", page {chunk['page']}" if chunk["page"] is not None else ""
    where = element("p", f"{chunk['id']} · {chunk['source']}{page}", class_="intro")
    return section("The chunk", where, element("p", chunk["text"], class_="passage"))


def _groups(data: Data) -> list[Markup]:
    """The 46 leaves in their groups; one that does not count says why. Of a plain case whatever it has."""
    if data["form"] != "schema-v2":
        return [section("case", fields([(key, _value(data["question"], key)) for key in data["question"]]))]
    groups: dict[str, list[tuple[str, str | None]]] = {}
    for leaf in LEAVES:
        value, fault = _value(data["question"], leaf.path), data["faults"].get(leaf.path)
        text = element("span", f"{value} ({fault})", class_="leaf-bad") if fault else value
        groups.setdefault(leaf.group or "question", []).append((leaf.key, text))
    return [section(name, fields(pairs)) for name, pairs in groups.items()]


def _value(question: Any, path: str) -> str:
    value = question
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if value is None or value in ("", [], (), {}):
        return MISSING
    return value if isinstance(value, str) else dump_json(value)


VIEW = View("/gold/question", data, show)
