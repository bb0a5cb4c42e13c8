"""The measures of one row, and what could not be measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.report.blocks import Column, Row, Table
from assay.report.html_blocks import blocks_html
from assay.report.markup import Markup, element
from assay.viewer.parts import NOTHING, folded


def scores(row: Mapping[str, Any], key: str) -> Markup:
    """Folded: for those who look into it."""
    undefined = row.get("undefined") or {}
    lines = tuple(Row((name, value, undefined.get(name))) for name, value in (row.get("scores") or {}).items())
    if not lines:
        return NOTHING
    columns = (Column("measure"), Column("value", "score"), *([Column("why not")] if undefined else []))
    rows = lines if undefined else tuple(Row(line.cells[:2]) for line in lines)
    return folded(f"Measures ({len(lines)})", blocks_html((Table(columns, rows),), key))


def tags(row: Mapping[str, Any]) -> Markup:
    """What segments are made of."""
    text = " · ".join(f"{name}: {value}" for name, value in row["tags"].items())
    return element("p", text, class_="tags") if text else NOTHING
