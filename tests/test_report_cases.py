"""Cases of lanes and kinds of retrieval questions in a report, from rows as a run writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.report.blocks import Chart
from assay.report.lanes import case_items
from assay.report.retrieval import Cases
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
    }
    matrix = {("hard", "factual"): [0.0, 1.0], ("easy", "factual"): [1.0], ("odd", "scenario"): [0.0]}
    [section] = segment_sections(summary, Cases([], 4, matrix))
    heat = next(block for block in section.blocks if isinstance(block, Chart) and block.kind == "heat")
    assert [series.name for series in heat.series] == ["factual", "scenario"]
    assert [(p.x, p.y, p.n) for p in heat.series[0].points] == [("easy", 1.0, 1), ("hard", 0.5, 2), ("odd", None, None)]
    [plain] = segment_sections(summary, Cases([], 4, {("easy", "factual"): [1.0]}))
    assert not [block for block in plain.blocks if isinstance(block, Chart) and block.kind == "heat"]
