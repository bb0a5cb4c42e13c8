"""Cases of lanes and kinds of retrieval questions in a report, from rows as a run writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.report.blocks import Chart, Item, Items, Note, Table
from assay.report.lanes import case_items
from assay.report.lanes.view import listed
from assay.report.retrieval import Cases
from assay.report.retrieval.measures import headline_numbers, headlines_section, left_out, measures_table
from assay.report.retrieval.segments import segment_sections
from assay.runs.folder import RunFolder


def row(id_: str, **more: Any) -> dict[str, Any]:
    found = {"scale": "bm25", "ids": ["u1", "u9"], "scores": [2.0, 1.0]}
    return {
        "variant": "bm25",
        "case_id": id_,
        "status": "ok",
        "question": f"where is {id_}?",
        "tags": {"lane": "code"},
        "k": 2,
        "expected_ids": ["u1", "u2"],
        "missing_expected_ids": [],
        "scores": {"recall@k": 0.5, "ndcg@k": None},
        "retrieved": found,
    } | more


def test_cases_that_were_not_found_whole_stand_first_with_what_lies_beyond(tmp_path: Path) -> None:
    rows = [row("fine"), row("gone", status="undefined", missing_expected_ids=["u2"], retrieved=None), row("missed")]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    unit = {"id": "u2", "text": "def u2(): ...", "rank": 7}
    miss = {"case_id": "missed", "variant": "bm25", "beyond": [unit], "retrieved": [{"id": "u1", "text": "def u1()"}]}
    missed, gone, fine = case_items(RunFolder(tmp_path), [miss])
    assert [missed.tags["outcome"], gone.tags["outcome"]] == ["some beyond k", "undefined"]
    assert (fine.id, fine.routine, missed.routine) == ("fine", True, False)
    expected, retrieved, beyond = missed.rankings
    assert [(p.id, p.text) for p in expected.passages] == [("u1", "def u1()"), ("u2", "def u2(): ...")]
    assert [(p.id, p.rank, p.expected) for p in retrieved.passages] == [("u1", 1, True), ("u9", 2, False)]
    assert [(p.id, p.rank) for p in beyond.passages] == [("u2", 7)]
    assert [field.text for field in gone.fields] == ["where is gone?", "u2"]
    assert gone.rankings[1].passages == ()


def test_difficulty_and_type_are_a_heat_map_where_there_are_several_of_both() -> None:
    interval = {"mean": 0.5, "low": 0.4, "high": 0.6, "n_scored": 4, "n_cases": 4}
    part = {"n": 4, "metrics": {"bm25": {"recall@5": interval}}}
    summary = {
        "decision": {"measure": "recall@5", "variant": "bm25"},
        "segments": {"difficulty": {"easy": part, "hard": part}},
        "measures": ["recall@5"],
        "variants": ["bm25"],
        "metrics": {"bm25": {"recall@5": interval}},
    }
    matrix = {("hard", "factual"): [0.0, 1.0], ("easy", "factual"): [1.0], ("odd", "scenario"): [0.0]}
    [section] = segment_sections(summary, Cases([], 4, matrix))
    heat = next(block for block in section.blocks if isinstance(block, Chart) and block.kind == "heat")
    assert [series.name for series in heat.series] == ["factual", "scenario"]
    assert [(p.x, p.y, p.n) for p in heat.series[0].points] == [("easy", 1.0, 1), ("hard", 0.5, 2), ("odd", None, None)]
    [plain] = segment_sections(summary, Cases([], 4, {("easy", "factual"): [1.0]}))
    assert not [block for block in plain.blocks if isinstance(block, Chart) and block.kind == "heat"]


def test_cases_of_lanes_that_a_page_has_no_room_for_are_counted() -> None:
    summary = {"results": [{"case_id": id_, "variant": v} for id_ in ("a", "b", "c") for v in ("bm25", "vector")]}
    items = [Item(id_, "", {}, ()) for id_ in ("a", "b", "c")]
    assert listed(summary, items) == (Items(tuple(items), "No case was searched."),)
    note, shown = listed(summary, items[:1])
    assert (note, shown) == (Note("2 cases more are in results.jsonl."), Items((items[0],), "No case was searched."))


def test_a_measure_without_any_value_is_left_out_and_the_reason_said_once() -> None:
    def interval(mean: float | None) -> dict[str, Any]:
        return {"mean": mean, "low": None, "high": None, "n_scored": 0 if mean is None else 4, "n_cases": 4}

    names = ["recall@1", "recall@5", "page_recall@1", "page_recall@5", "mrr@5"]
    values = {name: interval(None if name.startswith("page") else 0.5) for name in names}
    summary: dict[str, Any] = {
        "measures": names,
        "variants": ["bm25"],
        "metrics": {"bm25": values},
        "config": {"retrieval": {"k": [1, 5]}, "statistics": {"confidence": 0.95}},
        "decision": {"measure": "recall@5", "variant": "bm25"},
    }
    table, note = headlines_section(summary).blocks
    assert isinstance(table, Table)
    assert [row.cells[0] for row in table.rows] == ["recall@1", "recall@5", "mrr@5"]
    assert note == Note("Left out of every table: page_recall (no page is expected).")
    assert [row.cells[0] for row in measures_table(summary).rows] == ["recall@1", "recall@5", "mrr@5"]
    assert [number.measure for number in headline_numbers(summary)] == ["recall@5", "mrr@5"]
    summary["metrics"]["bm25"] = dict.fromkeys(names, interval(None))
    assert len(measures_table(summary).rows) == 5, "nothing could be measured: that is no reason to hide it"
    assert left_out(summary) == []
