"""How a measure went from run to run: which runs, their intervals, the baselines taken from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.report.blocks import Chart, Mark
from assay.report.trend import LAST, Step, measure_of, steps_of, trend_section
from assay.runs.folder import RunFolder


def interval(mean: float) -> dict[str, Any]:
    return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n_scored": 40, "n_cases": 40}


def write_run(root: Path, name: str, mean: float, *, keep: bool = True, **more: Any) -> None:
    entry = {
        "timestamp": f"2026-11-15T07:1{len(name) % 10}:00+00:00",
        "kind": "extraction",
        "run": name,
        "client": "orrin",
        "corpus": "samples",
        "questions": 40,
        "metrics": {"f1": mean},
        **more,
    }
    with (root / "history.jsonl").open("a") as file:
        file.write(json.dumps(entry) + "\n")
    if keep:
        (root / name).mkdir()
        summary = {
            "kind": entry["kind"],
            "client": entry["client"],
            "corpus": {"name": entry["corpus"]},
            "intervals": {"f1": interval(mean)},
        }
        (root / name / "run_summary.json").write_text(json.dumps(summary))


def steps(root: Path, name: str) -> list[Step]:
    return steps_of(RunFolder(root / name), root, root / "baselines")


def test_runs_of_the_same_kind_client_and_corpus_up_to_this_one(tmp_path: Path) -> None:
    write_run(tmp_path, "a", 0.5)
    write_run(tmp_path, "other-kind", 0.1, kind="rag", keep=False)
    write_run(tmp_path, "other-client", 0.1, client="acme", keep=False)
    write_run(tmp_path, "other-corpus", 0.1, corpus="else", keep=False)
    write_run(tmp_path, "bb", 0.6)
    write_run(tmp_path, "later", 0.9)
    assert [step.name for step in steps(tmp_path, "bb")] == ["a", "bb"]
    assert [step.interval["low"] for step in steps(tmp_path, "bb")] == pytest.approx([0.4, 0.5])


def test_a_run_that_is_gone_has_its_mean_and_no_interval(tmp_path: Path) -> None:
    write_run(tmp_path, "gone", 0.5, keep=False)
    write_run(tmp_path, "here", 0.6)
    first, second = steps(tmp_path, "here")
    assert (first.interval["mean"], first.interval["low"], first.interval["n_scored"]) == (0.5, None, 40)
    assert second.interval["high"] == pytest.approx(0.7)


def test_a_run_that_history_does_not_know_has_no_trend(tmp_path: Path) -> None:
    write_run(tmp_path, "known", 0.5)
    (tmp_path / "unknown").mkdir()
    (tmp_path / "unknown" / "run_summary.json").write_text((tmp_path / "known" / "run_summary.json").read_text())
    assert steps(tmp_path, "unknown") == []


def test_only_the_last_runs_are_shown(tmp_path: Path) -> None:
    for number in range(LAST + 5):
        write_run(tmp_path, f"run-{number:02}", 0.5)
    found = steps(tmp_path, f"run-{LAST + 4:02}")
    assert [found[0].name, found[-1].name, len(found)] == ["run-05", f"run-{LAST + 4:02}", LAST]


def test_the_baselines_that_runs_became_are_known_by_their_versions(tmp_path: Path) -> None:
    write_run(tmp_path, "a", 0.5)
    write_run(tmp_path, "bb", 0.6)
    (tmp_path / "baselines").mkdir()
    for version, name in ((3, "a"), (4, "of another run")):
        path = tmp_path / "baselines" / f"baseline_orrin_v{version}__2026-11-15__q40.json"
        path.write_text(json.dumps({"promoted_from": name}))
    assert [step.baseline for step in steps(tmp_path, "bb")] == [3, None]


def test_a_series_is_drawn_with_its_baselines_marked_and_runs_of_one_minute_told_apart() -> None:
    when = "2026-11-15T07:18:35+00:00"
    given = [Step("a", when, interval(0.5), 3), Step("b", when, interval(0.6)), Step("c", when, interval(0.7))]
    [section] = trend_section(given, "f1")
    chart = section.blocks[0]
    assert isinstance(chart, Chart)
    assert [point.x for point in chart.series[0].points] == ["11-15 07:18", "11-15 07:18 (2)", "11-15 07:18 (3)"]
    assert chart.marks == (Mark("11-15 07:18", "v3"),)
    assert trend_section(given[:1], "f1") == [], "one run is no series"
    [plain] = trend_section([given[1], given[2]], "f1")
    assert "Dotted" not in str(plain.blocks[1])


@pytest.mark.parametrize(
    ("summary", "measure"),
    [({"kind": "rag"}, "pass_rate"), ({"kind": "retrieval", "decision": {"measure": "recall@7"}}, "recall@7")],
)
def test_each_kind_has_its_measure(summary: dict[str, Any], measure: str) -> None:
    assert measure_of(summary) == measure
