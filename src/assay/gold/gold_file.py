"""A gold file as it is: typed questions to work with, and the raw ones, so that nothing in it is lost."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.errors import AssayError
from assay.files import parse_json, read_text
from assay.gold.intake import resting
from assay.gold.schema import Question, parse_gold


class GoldFile(Struct, frozen=True, kw_only=True):
    """One schema-v2 file."""

    name: str
    sha256: str
    version: dict[str, Any]
    raws: tuple[Any, ...]
    questions: tuple[Question, ...]
    beside: dict[str, Any] = {}
    """What stands in the file beside version and questions."""


def require_gold(path: Path) -> None:
    """A new folder has no gold set, so what to do next is told."""
    if not path.exists():
        hint = "Name a gold set, or set paths.gold in assay.yaml; assay init writes one to begin with"
        raise AssayError("no such file", where=str(path), hint=hint)


def read_gold_file(path: Path) -> GoldFile:
    """Read strictly; a fault names its line."""
    path = resting(path)
    require_gold(path)
    if path.is_dir() or path.suffix in {".jsonl", ".ndjson", ".csv", ".tsv"}:
        hint = f"Make it one with: assay gold convert {path} --to schema-v2 --out gold.json"
        raise AssayError("not a schema-v2 file", where=str(path), hint=hint)
    text = read_text(path)
    data = parse_json(text, str(path))
    questions = parse_gold(data, text, str(path))
    if not questions:
        raise AssayError("holds no question at all", where=str(path))
    return GoldFile(
        name=path.name,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        version=data.get("version", {}),
        raws=tuple(data["questions"]),
        questions=questions,
        beside={key: value for key, value in data.items() if key not in {"version", "questions"}},
    )
