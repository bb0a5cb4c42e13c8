"""Every question of a retrieval run: what was expected, and what each variant found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.files import read_jsonl
from assay.report.blocks import Block, Column, Facts, Field, Item, Items, Note, Passage, Ranking, Row, Table, Tone
from assay.report.comparison import HEADLINES
from assay.report.numbers import format_value
from assay.report.text import are, counted
from assay.retrieval.diagnosis import CUT, MEANING, is_missed
from assay.runs.folder import FAILURES, RunFolder

Line = Mapping[str, Any]
SHOWN = 2000
"""Questions that are shown; the others are in the files."""
OUTCOMES: dict[str, Tone] = {"none": "bad", "some": "warn", "all": "good"}
"""By how many variants found a question's chunk; worst first."""


class Cases(Struct, frozen=True):
    """What the report needs of the results."""

    items: list[Item]
    total: int
    matrix: dict[tuple[str, str], list[float]]
    """Values of the deciding measure of the best variant by difficulty and type."""


def cases_of(run: RunFolder, *, questions: bool = True) -> Cases:
    """Of a great many questions, those that some variant missed come before those that all found."""
    failures = failures_of(run) if questions else []
    failed: dict[str, dict[str, Line]] = defaultdict(dict)
    for entry in failures:
        failed[entry["case_id"]][entry["variant"]] = entry
    known = _known(failures)
    rows: dict[str, list[Line]] = defaultdict(list)
    for row in run.results.rows():
        rows[row["case_id"]].append(row)
    chosen = sorted(rows, key=lambda id_: -sum(map(_is_missed, rows[id_])))[: SHOWN if questions else 0]
    items = [_item(rows[id_], failed.get(id_, {}), known) for id_ in chosen]
    return Cases(sorted(items, key=_place), len(rows), _matrix(run.summary, rows))


def failures_of(run: RunFolder) -> list[dict[str, Any]]:
    path = run.path / FAILURES
    return [entry for _, entry in read_jsonl(path)] if path.exists() else []


def failures_blocks(summary: Line, cases: Cases) -> tuple[Block, ...]:
    items = Items(tuple(cases.items), "No question was tested.")
    left = cases.total - len(cases.items)
    more = [Note(f"{counted(left, 'question')} more {are(left)} in results.jsonl.")] if left else []
    if summary["diagnosis"] is None:
        rule = f"A question is missed when nothing expected is among the first {CUT}."
        return (Note(f"Not examined: {summary['not_examined']}. {rule}"), *more, items)
    variants = summary["variants"]
    columns = (Column("diagnosis"), *(Column(variant, "integer") for variant in variants), Column("meaning"))
    counts = summary["diagnosis"]
    rows = tuple(Row((name, *(counts[v][name] for v in variants), text)) for name, text in MEANING.items())
    note = Note(f"A question fails when no expected chunk is among the first {CUT}.")
    return (note, Table(columns, rows), *more, items)


def _place(item: Item) -> int:
    return list(OUTCOMES).index(item.tags["found by"])


def _known(failures: Sequence[Line]) -> dict[str, Line]:
    """Chunks whose text some failure tells."""
    return {chunk["id"]: chunk for entry in failures for chunk in (*entry["expected"], *entry["retrieved"])}


def _matrix(summary: Line, rows: Mapping[str, Sequence[Line]]) -> dict[tuple[str, str], list[float]]:
    best, measure = summary["decision"]["variant"], summary["decision"]["measure"]
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in (row for variants in rows.values() for row in variants if row["variant"] == best):
        level, kind = row["tags"].get("difficulty"), row["tags"].get("question_type")
        value = row["scores"].get(measure)
        if level and kind and value is not None:
            found[level, kind].append(value)
    return found


def _item(rows: Sequence[Line], failed: Mapping[str, Line], known: Mapping[str, Line]) -> Item:
    first = rows[0]
    missed = [row for row in rows if _is_missed(row)]
    outcome = "all" if not missed else "none" if len(missed) == len(rows) else "some"
    why = next((failed[row["variant"]]["diagnosis"] for row in rows if row["variant"] in failed), "–")
    return Item(
        first["case_id"],
        first["question"],
        {"found by": outcome, "diagnosis": why, **first["tags"]},
        tuple(_fields(rows, failed)),
        OUTCOMES[outcome],
        tuple(_facts(rows, failed)),
        tuple(_rankings(rows, known)),
        routine=outcome == "all",
    )


def _is_missed(row: Line) -> bool:
    return row["status"] == "error" or bool(is_missed(row["scores"]))


def _fields(rows: Sequence[Line], failed: Mapping[str, Line]) -> Iterator[Field]:
    told = next(iter(failed.values()), {})
    yield Field("Question", rows[0]["question"])
    if pages := rows[0].get("expected_pages"):
        yield Field("Expected pages", ", ".join(f"{document} p. {page}" for document, page in pages))
    if told.get("answer"):
        yield Field("Expected answer", told["answer"])
    for row in rows:
        if row["status"] == "error":
            yield Field(f"{row['variant']} failed", str((row.get("error") or {}).get("message", "")))
    for variant, entry in failed.items():
        rank = f"rank {entry['rank']} in a deep search" if entry["rank"] else "not found in a deep search"
        alike = "" if entry["similarity"] is None else f"; similarity {format_value(entry['similarity'], 'share')}"
        words = ", ".join(entry["shared_words"]) or "none"
        told_by = f"{entry['diagnosis']}: {entry['explanation']}; {rank}{alike}; words in common: {words}"
        yield Field(f"Missed by {variant}", told_by)


def _facts(rows: Sequence[Line], failed: Mapping[str, Line]) -> Iterator[Facts]:
    """Where the first expected chunk stands: as measured, or as a deeper search found it."""
    ranks = {row["variant"]: row.get("rank") or failed.get(row["variant"], {}).get("rank") for row in rows}
    told = tuple((variant, str(rank) if rank else "not found") for variant, rank in ranks.items())
    if rows[0]["expected_ids"]:
        yield Facts("Rank of the first expected chunk", told)
    for row in rows:
        shown = {name: v for name, v in row["scores"].items() if name.partition("@")[0] in HEADLINES and v is not None}
        if shown:
            yield Facts(row["variant"], tuple((name, format_value(v, "share")) for name, v in shown.items()))


def _rankings(rows: Sequence[Line], known: Mapping[str, Line]) -> Iterator[Ranking]:
    expected = rows[0]["expected_ids"]
    yield Ranking("Expected", tuple(_passage(id_, known) for id_ in expected))
    for row in rows:
        found = row.get("retrieved") or {"ids": [], "scores": [], "scale": ""}
        passages = [
            Passage(id_, *_told(id_, known), score, rank, expected=id_ in expected)
            for rank, (id_, score) in enumerate(zip(found["ids"], found["scores"], strict=True), 1)
        ]
        yield Ranking(f"Retrieved by {row['variant']}", tuple(passages), found["scale"] or "")


def _passage(id_: str, known: Mapping[str, Line]) -> Passage:
    return Passage(id_, *_told(id_, known), expected=True)


def _told(id_: str, known: Mapping[str, Line]) -> tuple[str, str]:
    """A chunk's text and where it stands, as far as the run tells."""
    chunk = known.get(id_)
    if chunk is None:
        return "", ""
    if not chunk["in_index"]:
        return "", "not in the index"
    page = f" p. {chunk['page']}" if chunk["page"] is not None else ""
    return chunk["text"], f"{chunk['source']}{page}"
