"""One process at a time fills a run's folder, and a new one in which nothing came to stand goes again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.runs.folder import RunFolder
from assay.runs.writing import is_being_written, writing

ROW = {"variant": "v", "case_id": "q1", "status": "ok", "scores": {}}
SESSION = {"timestamp": "2026-11-15T12:00:00", "seconds": 1.0, "working": 1.0, "cases": 0, "spent": 0.0}


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "manifest.json").write_text(json.dumps({"kind": "rag", "created": "now"}))
    return RunFolder(tmp_path / "r")


@pytest.mark.parametrize(
    ("new", "rows", "spent", "stays", "told"),
    [
        (True, 0, 0.0, False, "no such key. Mend it"),
        (True, 0, 0.5, True, "no such key. Mend it"),  # what was paid is on record
        (False, 0, 0.0, True, "no such key. Mend it"),
        (True, 1, 0.0, True, "no such key. Mend it. Go on with: assay run --resume r"),
    ],
)
def test_what_a_fault_leaves(run: RunFolder, new: bool, rows: int, spent: float, stays: bool, told: str) -> None:
    run.results.append([ROW] * rows)
    (run.path / "sessions.jsonl").write_text(json.dumps(SESSION | {"spent": spent}) + "\n")
    with pytest.raises(AssayError) as fault, writing(run, new=new):
        raise AssayError("no such key", hint="Mend it")
    assert str(fault.value) == told
    assert run.path.exists() is stays
    assert not (run.path / ".lock").exists()


def test_who_looks_on_sees_whether_it_is_being_written(run: RunFolder) -> None:
    assert not is_being_written(run)
    with writing(run, new=False):
        assert is_being_written(run)
    assert not is_being_written(run)
