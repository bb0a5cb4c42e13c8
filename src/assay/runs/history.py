"""One line for each finished run, so that a trend can be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.files import append_line, dump_json, read_jsonl

FILE_NAME = "history.jsonl"


def record(root: Path, entry: dict[str, Any]) -> None:
    append_line(root / FILE_NAME, dump_json(entry))


def read(root: Path, kind: str | None = None) -> list[dict[str, Any]]:
    path = root / FILE_NAME
    entries = [value for _, value in read_jsonl(path)] if path.exists() else []
    return [entry for entry in entries if kind is None or entry.get("kind") == kind]
