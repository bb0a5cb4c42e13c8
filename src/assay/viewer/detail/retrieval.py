"""What each variant found for a question, in documents or in lanes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.report.markup import Markup, element, join
from assay.report.numbers import format_value
from assay.viewer.detail.scores import scores, tags
from assay.viewer.parts import fields, folded, section
from assay.viewer.visit import Data


def question(row: Mapping[str, Any], chunks: Mapping[str, Data]) -> Markup:
    missing = row.get("missing_expected_ids") or [id_ for id_ in row["expected_ids"] if chunks and id_ not in chunks]
    expected = [_chunk(id_, chunks.get(id_), "expected", is_open=True) for id_ in row["expected_ids"]]
    pairs = [("Not in the index", ", ".join(missing) or None)]
    return join([tags(row), fields(pairs), *([section("Expected", *expected)] if expected else [])])


def variant(row: Mapping[str, Any], failure: Mapping[str, Any] | None, chunks: Mapping[str, Data]) -> Markup:
    """One section for each variant."""
    error = row.get("error")
    rank = row.get("rank")
    pairs = [
        ("Error", f"{error['phase']}: {error['message']}" if error else None),
        ("First expected at rank", None if error else str(rank) if rank else "not found"),
        ("Diagnosis", f"{failure['diagnosis']}: {failure['explanation']}" if failure else None),
        ("Not scored", row.get("reason")),
    ]
    found = row.get("retrieved") or {"ids": (), "scores": (), "scale": ""}
    expected = set(row["expected_ids"])
    results = [
        _chunk(
            id_,
            chunks.get(id_),
            f"{number}. {found['scale']} {format_value(score, 'score')}",
            is_open=False,
            good=id_ in expected,
        )
        for number, (id_, score) in enumerate(zip(found["ids"], found["scores"], strict=False), 1)
    ]
    return section(row["variant"], fields(pairs), *results, scores(row, f"scores-{row['variant']}"))


def _chunk(id_: str, chunk: Data | None, said: str, *, is_open: bool, good: bool = False) -> Markup:
    """A result with its text, where the index that was searched is still there."""
    sign = " ✓ expected" if good else ""
    name = f"{said}: {id_}{sign}"
    if chunk is None:
        return element("p", name, class_="good unfold" if good else "unfold")
    page = f", page {chunk['page']}" if chunk["page"] is not None else ""
    body = join(
        [element("p", f"{chunk['source']}{page}", class_="intro"), element("p", chunk["text"], class_="passage")]
    )
    return folded(name, body, is_open=is_open, class_="fold good" if good else "fold")
