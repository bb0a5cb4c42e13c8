"""A list of cases in HTML: filters, search, and everything about a case when it is opened."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from assay.report.blocks import Field, Item, Items
from assay.report.markup import Markup, element, void
from assay.report.repeats import Place, Repeats

Choices = dict[str, dict[str, int]]
"""For each tag its values, the most frequent first, each with the number by which the script knows it."""

SHORT = 16
"""A list with longer ids shows them under the titles."""
WIDE = 40
"""A longer label stands above its text."""


class Texts(NamedTuple):
    """The long texts of a list and the beginning of their ids."""

    key: str
    repeats: Repeats

    def id(self, place: Place) -> str:
        return f"{self.key}x{place.item}-{place.field}"


def items_list(items: Items, key: str) -> Markup:
    """Without scripts the controls stay hidden and every item is there."""
    if not items.items:
        return element("p", items.empty, class_="note")
    choices = _choices(items)
    texts = Texts(key, Repeats(items))
    rows = [_item(number, item, choices, texts) for number, item in enumerate(items.items)]
    tall = any(len(item.id) > SHORT for item in items.items)
    return element("div", _controls(items, choices, key), *rows, class_="items tall" if tall else "items")


def _choices(items: Items) -> Choices:
    names = dict.fromkeys(name for item in items.items for name in item.tags)
    counts = {name: Counter(item.tags.get(name, "") for item in items.items) for name in names}
    return {
        name: {value: number for number, (value, _) in enumerate(_ranked(count))}
        for name, count in counts.items()
        if len(count) > 1
    }


def _ranked(count: Counter[str]) -> list[tuple[str, int]]:
    return sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))


def _controls(items: Items, choices: Choices, key: str) -> Markup:
    total = len(items.items)
    search = void("input", type="search", placeholder="Search", aria_label="Search", autocomplete="off", id=f"{key}q")
    selects = [_select(items, name, values) for name, values in choices.items()]
    shown = element("output", f"{total:,} of {total:,}", for_=f"{key}q")
    opener = element("button", "Open all", type="button")
    return element("div", search, *selects, shown, opener, class_="controls", hidden="")


def _select(items: Items, name: str, values: dict[str, int]) -> Markup:
    count = Counter(item.tags.get(name, "") for item in items.items)
    every = element("option", f"all ({len(items.items):,})", value="")
    options = [
        element("option", f"{value or '–'} ({count[value]:,})", value=number) for value, number in values.items()
    ]
    return element("label", f"{name} ", element("select", every, *options))


def _item(number: int, item: Item, choices: Choices, texts: Texts) -> Markup:
    """The attribute holds a number for each filter: text of the case is never part of an attribute's meaning."""
    numbers = " ".join(str(values[item.tags.get(name, "")]) for name, values in choices.items())
    first = next(iter(item.tags.values()), "")
    summary = element(
        "summary",
        element("code", item.id),
        element("span", item.title),
        *([element("em", first)] if first else []),
    )
    tags = [element("p", " · ".join(f"{name}: {value}" for name, value in item.tags.items()))] if item.tags else []
    fields = [part for index, field in enumerate(item.fields) for part in _field(field, Place(number, index), texts)]
    tone = None if item.tone == "plain" else item.tone
    return element("details", summary, *tags, element("dl", *fields), class_=tone, data_f=numbers or None)


def _field(field: Field, place: Place, texts: Texts) -> list[Markup]:
    """A label and its text. Text that stands above already is a link to it, which the script fills in."""
    label = element("dt", field.label, class_="wide" if len(field.label) > WIDE else None)
    mono = "mono" if field.mono else None
    first = texts.repeats.first(field.text)
    if first is None or first == place:
        return [label, element("dd", field.text, class_=mono, id=texts.id(first) if first else None)]
    link = element("a", f"The same as in {texts.repeats.name(first)}", href=f"#{texts.id(first)}")
    return [label, element("dd", link, class_=mono)]
