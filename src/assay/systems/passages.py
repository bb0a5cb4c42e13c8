"""Retrieved passages as others tell them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from msgspec.structs import replace

from assay.retrievers.answers import LONGEST_ID, BadAnswer, read_score
from assay.systems.fields import described, lookup, well_formed
from assay.systems.protocol import Passage

ID = ("id", "chunk_id", "node_id", "doc_id", "document_id")
SOURCE = ("source", "filename", "file_name", "source_filename", "file", "document", "file_path", "url")
PAGE = ("page_label", "page", "page_number")
"""LangChain's PDF readers count `page` from 0; their `page_label` is what stands on the page."""
SCORE = ("score", "relevance_score", "similarity")
TEXT = ("text", "content", "page_content", "snippet")

Strings = Literal["id", "source", "text"]


def read_passages(told: Any, strings: Strings) -> tuple[Passage, ...]:
    """In the order told. `strings` says what a passage is that is only a string."""
    if isinstance(told, str):
        return (Passage(text=well_formed(told)),)
    if isinstance(told, Mapping) or not hasattr(told, "__iter__"):
        raise BadAnswer(f"the passages are {described(told)}; expected a list")
    return tuple([_passage(entry, number, strings) for number, entry in enumerate(told, 1)])


def _passage(entry: Any, number: int, strings: Strings) -> Passage:
    if isinstance(entry, str):
        return _named(entry, number, strings)
    if isinstance(entry, list | tuple):
        if len(entry) != 2:
            raise BadAnswer(f"passage {number} is {described(entry)}; expected (passage, score)")
        return replace(_passage(entry[0], number, strings), score=_score(entry[1], number))
    if isinstance(entry, int | UUID) and not isinstance(entry, bool):
        return Passage(id=_id(entry, number))
    return _read(entry, number)


def _named(text: str, number: int, strings: Strings) -> Passage:
    if strings == "text":
        return Passage(text=well_formed(text))
    return Passage(id=_id(text, number)) if strings == "id" else Passage(source=well_formed(text))


def _read(entry: Any, number: int) -> Passage:
    """Its own fields, then those of what it wraps (LlamaIndex's `node`), then those of its `metadata`."""
    inner = lookup(entry, ("node",))
    places = [place for place in (entry, inner, _metadata(entry), _metadata(inner)) if place is not None]
    passage = Passage(
        id=_id(_first(places, ID), number),
        source=_string(places, SOURCE),
        page=_page(places),
        score=_score(_first(places, SCORE), number),
        text=_text(entry if inner is None else inner),
    )
    if passage.id is None and passage.source is None and passage.text is None:
        raise BadAnswer(f"passage {number} is {described(entry)}; expected an id, a source or a text")
    return passage


def _metadata(value: Any) -> Any:
    found = lookup(value, ("metadata",))
    return found if isinstance(found, Mapping) else None


def _first(places: list[Any], names: tuple[str, ...]) -> Any:
    for place in places:
        found = lookup(place, names)
        if found is not None:
            return found
    return None


def _string(places: list[Any], names: tuple[str, ...]) -> str | None:
    for place in places:
        for name in names:
            found = lookup(place, (name,))
            if isinstance(found, str) and found:
                return well_formed(found)
    return None


def _page(places: list[Any]) -> int | None:
    """A number; roman numerals and the like are not pages one can compare."""
    for place in places:
        for name in PAGE:
            found = lookup(place, (name,))
            if isinstance(found, float) and found.is_integer():
                found = int(found)
            if isinstance(found, str) and found.strip().isdecimal():
                found = int(found[:9])
            if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
                return found
    return None


def _id(value: Any, number: int) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | UUID):
        raise BadAnswer(f"the id of passage {number} is {described(value)}; expected a text")
    text = well_formed(str(value))
    if len(text) > LONGEST_ID:
        raise BadAnswer(f"the id of passage {number} has {len(text)} characters; expected at most {LONGEST_ID}")
    return text


def _score(value: Any, number: int) -> float | None:
    return None if value is None else read_score(value, number)


def _text(entry: Any) -> str | None:
    content = None if isinstance(entry, Mapping) else getattr(entry, "get_content", None)
    found = content() if callable(content) else lookup(entry, TEXT)
    return well_formed(str(found)) if isinstance(found, str) else None
