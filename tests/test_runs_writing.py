"""One process at a time fills a run's folder, and a new one in which nothing came to stand goes again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.files import locked
from assay.runs.folder import RunFolder
from assay.runs.writing import writing

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


def test_a_lock_says_whose_it_is_if_that_is_known(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with locked(path, "busy", tmp_path):
        path.write_bytes(b"")
        with pytest.raises(AssayError, match=r"busy\. Try again when it is done"), locked(path, "busy", tmp_path):
            pass
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot be written"), locked(tmp_path / "file" / ".lock", "busy", tmp_path):
        pass
