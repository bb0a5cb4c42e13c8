"""Long texts that occur again: many questions find the same chunks, and a report writes each of them once."""

from __future__ import annotations

from msgspec import Struct

from assay.report.blocks import Items

LONG = 200
"""Shorter text is not worth a pointer."""


class Place(Struct, frozen=True):
    """A field of an item, by their numbers."""

    item: int
    field: int


class Repeats:
    """Where each long text of a list that occurs more than once stands first."""

    def __init__(self, items: Items) -> None:
        self._items = items
        found: dict[str, list[Place]] = {}
        for number, item in enumerate(items.items):
            for index, field in enumerate(item.fields):
                if len(field.text) >= LONG:
                    found.setdefault(field.text, []).append(Place(number, index))
        self._first = {text: places[0] for text, places in found.items() if len(places) > 1}

    def first(self, text: str) -> Place | None:
        """The place where the text is written in full, if it occurs more than once."""
        return self._first.get(text)

    def name(self, place: Place) -> str:
        """What to call a place: the id of its item."""
        return self._items.items[place.item].id
