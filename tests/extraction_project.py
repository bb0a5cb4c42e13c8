"""A few samples on disk, as the tests of extraction use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.runs.folder import RunFolder, find_run


def event(title: str, start: str, action: str = "create", **more: Any) -> dict[str, Any]:
    return {"action": action, "title": title, "start_time": start, **more}


def sidecar(expected: list[dict[str, Any]], recorded: Any = None, **more: Any) -> dict[str, Any]:
    """`recorded` None: as expected."""
    said = [{k: v for k, v in each.items() if k in SAID} for each in expected] if recorded is None else recorded
    data = {"reference_datetime": "2026-03-02T09:00:00+01:00", "expected_events": expected, "mock_llm_response": said}
    return data | more


SAID = ("action", "title", "start_time", "end_time", "location")


def write_sample(root: Path, name: str, data: dict[str, Any] | str | None, text: str = "Lunch at noon?") -> Path:
    """`name.txt` and, unless None, its sidecar; a text is written as it is."""
    path = root / f"{name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if data is not None:
        written = data if isinstance(data, str) else json.dumps(data, indent=1, ensure_ascii=False)
        path.with_name(path.stem + ".expected.json").write_text(written, encoding="utf-8")
    return path


LUNCH = event("Lunch", "2026-03-02T12:00:00")
DINNER = event("Dinner", "2026-03-02T19:00:00", end_time="2026-03-02T21:00:00", location="Chez Ana")


def make(root: Path) -> None:
    """Five samples in three categories: right, half right, invented, empty, and one without a sidecar."""
    (root / "assay.yaml").write_text("statistics: {resamples: 200}\n")
    samples = root / "samples"
    write_sample(samples, "crud/right", sidecar([LUNCH, DINNER], [{**LUNCH, "confidence": "high"}, DINNER]))
    late = {**DINNER, "start_time": "2026-03-02T22:00:00", "confidence": "low"}
    write_sample(samples, "crud/half", sidecar([LUNCH, DINNER], [late, {**LUNCH, "confidence": "high"}]))
    write_sample(samples, "hard/invented", sidecar([], [{**LUNCH, "confidence": "medium"}]))
    write_sample(samples, "hard/nothing", sidecar([], []))
    write_sample(samples, "loose", sidecar([LUNCH], category="other", tolerance="strict"))


def last(project: Path) -> RunFolder:
    return find_run(project / "runs", "last")


def rows(project: Path) -> dict[str, dict[str, Any]]:
    """The results of the last run by sample."""
    return {row["case_id"]: row for row in last(project).results.rows()}
