"""What is said about a case in HTML, for readers whose browser runs no script."""

from __future__ import annotations

from assay.report.blocks import Field, Item
from assay.report.cutting import cut
from assay.report.markup import Markup, element

WIDE = 40
"""A longer label stands above its text."""


def fields_html(item: Item, limit: int) -> Markup:
    """What is said about a case, each text cut where it is longer than that many bytes."""
    return element("dl", *(part for field in item.fields for part in _field(field, limit)), class_="fields")


def tags_line(item: Item) -> Markup:
    text = " · ".join(f"{name}: {value}" for name, value in item.tags.items())
    return element("p", text, class_="tags") if text else Markup("")


def _field(field: Field, limit: int) -> list[Markup]:
    label = element("dt", field.label, class_="wide" if len(field.label) > WIDE else None)
    return [label, element("dd", cut(field.text, limit), class_="mono" if field.mono else None)]
