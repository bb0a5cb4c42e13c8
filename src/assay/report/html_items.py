"""A list of cases in HTML: filters, search, and everything about a case when it is opened.

The cases are data from which the page's script makes rows; without one, those worth looking into are there in brief.
"""

from __future__ import annotations

from collections import Counter

from assay.report.blocks import Items
from assay.report.html_item import fields_html, tags_line
from assay.report.island import packed
from assay.report.markup import Markup, element, void

Choices = dict[str, dict[str, int]]
"""For each tag its values, the most frequent first, each with the number by which the script knows it."""

SHORT = 16
"""A list with longer ids shows them under the titles."""
BRIEF, CUT = 100, 400
"""Cases that are written out for readers without a script, and bytes of each of their texts."""


def items_list(items: Items, key: str) -> Markup:
    if not items.items:
        return element("p", items.empty, class_="note")
    choices = _choices(items)
    data = element("script", Markup(packed(items, choices)), type="application/json")
    tall = any(len(item.id) > SHORT for item in items.items)
    rows = element("div", class_="rows")
    more = element("button", "Show more", type="button", class_="more", hidden="")
    parts = [_controls(items, choices, key), rows, more, _noscript(items), data]
    return element("div", *parts, class_="items tall" if tall else "items", id=key)


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
    search = void(
        "input", type="search", placeholder="Search  /", aria_label="Search", autocomplete="off", id=f"{key}q"
    )
    selects = [_select(items, name, values) for name, values in choices.items()]
    shown = element("output", f"{total:,} of {total:,}", for_=f"{key}q")
    keys = element("span", "j k move · Enter opens · Esc closes", class_="keys", aria_hidden="true")
    return element("div", search, *selects, keys, shown, class_="controls", role="search", hidden="")


def _select(items: Items, name: str, values: dict[str, int]) -> Markup:
    count = Counter(item.tags.get(name, "") for item in items.items)
    every = element("option", f"all ({len(items.items):,})", value="")
    options = [
        element("option", f"{value or '–'} ({count[value]:,})", value=number) for value, number in values.items()
    ]
    return element("label", f"{name} ", element("select", every, *options, aria_label=name))


def _noscript(items: Items) -> Markup:
    """A browser that runs scripts takes this as text and shows none of it."""
    worth = [item for item in items.items if not item.routine]
    rows = [
        element(
            "details",
            element("summary", element("code", item.id), element("span", item.title)),
            element("div", tags_line(item), fields_html(item, CUT), class_="case"),
            class_=None if item.tone == "plain" else item.tone,
        )
        for item in worth[:BRIEF]
    ]
    left = len(items.items) - len(rows)
    note = [element("p", f"{left:,} more with a script.", class_="note")] if left else []
    return element("noscript", element("div", *rows, *note, class_="rows"))
