"""Every case of a run over lanes: what was expected, and what each variant found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.report.blocks import Facts, Field, Item, Passage, Ranking, Tone
from assay.report.numbers import format_value
from assay.runs.folder import RunFolder

Line = Mapping[str, Any]
SHOWN = 2000
"""Cases that are shown; the others are in the files."""
OUTCOMES: dict[str, Tone] = {"some beyond k": "bad", "undefined": "warn", "all within k": "good"}
"""Worst first."""


def case_items(run: RunFolder, misses: Sequence[Line]) -> list[Item]:
    """Those that some variant did not find whole stand first."""
    missed: dict[str, dict[str, Line]] = defaultdict(dict)
    for entry in misses:
        missed[entry["case_id"]][entry["variant"]] = entry
    texts = {unit["id"]: unit["text"] for entry in misses for unit in (*entry["beyond"], *entry["retrieved"])}
    rows: dict[str, list[Line]] = defaultdict(list)
    for row in run.results.rows():
        rows[row["case_id"]].append(row)
    chosen = sorted(rows, key=lambda id_: -len(missed.get(id_, ())))[:SHOWN]
    items = [_item(rows[id_], missed.get(id_, {}), texts) for id_ in chosen]
    return sorted(items, key=lambda item: list(OUTCOMES).index(item.tags["outcome"]))


def _item(rows: Sequence[Line], missed: Mapping[str, Line], texts: Mapping[str, str]) -> Item:
    first = rows[0]
    whole = all(row["status"] == "ok" for row in rows)
    outcome = "some beyond k" if missed else "all within k" if whole else "undefined"
    return Item(
        first["case_id"],
        first["question"],
        {"outcome": outcome, **first["tags"]},
        tuple(_fields(rows)),
        OUTCOMES[outcome],
        tuple(_facts(rows)),
        tuple(_rankings(rows, missed, texts)),
        routine=outcome == "all within k",
    )


def _fields(rows: Sequence[Line]) -> Iterator[Field]:
    first = rows[0]
    yield Field("Searched for", first["question"])
    if first["missing_expected_ids"]:
        yield Field("Expected, not in the index", ", ".join(first["missing_expected_ids"]))
    for row in rows:
        if row.get("error"):
            yield Field(f"{row['variant']} failed", str(row["error"].get("message", "")))


def _facts(rows: Sequence[Line]) -> Iterator[Facts]:
    for row in rows:
        shown = [(name, format_value(value, "share")) for name, value in row["scores"].items() if value is not None]
        if shown:
            yield Facts(f"{row['variant']}, k = {row['k']}", tuple(shown))


def _rankings(rows: Sequence[Line], missed: Mapping[str, Line], texts: Mapping[str, str]) -> Iterator[Ranking]:
    expected = rows[0]["expected_ids"]
    yield Ranking("Expected", tuple(Passage(id_, texts.get(id_, ""), expected=True) for id_ in expected))
    for row in rows:
        found = row.get("retrieved") or {"ids": [], "scores": [], "scale": ""}
        passages = [
            Passage(id_, texts.get(id_, ""), "", score, rank, expected=id_ in expected)
            for rank, (id_, score) in enumerate(zip(found["ids"], found["scores"], strict=True), 1)
        ]
        yield Ranking(f"Retrieved by {row['variant']}", tuple(passages), found["scale"] or "")
        if row["variant"] in missed:
            beyond = missed[row["variant"]]["beyond"]
            passages = [Passage(u["id"], u["text"], rank=u["rank"], expected=True) for u in beyond]
            yield Ranking(f"Beyond the first k of {row['variant']}", tuple(passages))
