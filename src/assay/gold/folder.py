"""The folder of a build: one file for each phase, each naming the input it was made from.

A phase whose file is there and was made from the same input is not done again; one whose input changed is. A folder
belongs to one build: other settings or another corpus are refused, never mixed in.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.errors import AssayError
from assay.files import dump_json, parse_json, read_text, write_json

T = TypeVar("T")

ABOUT = "build.json"
STRATA = "chunk_strata.json"
LOG = "generation_log.jsonl"
VALIDATED = "validated.json"
VALIDATED_AGAIN = "validated-2.json"
REJECTED = "rejected_questions.json"
ENRICHED = "enriched.json"
SELECTION = "selection.json"
SECOND = "second_round.json"


def digest(value: Any) -> str:
    """Of anything that can be JSON; of bytes as they are."""
    data = value if isinstance(value, bytes) else dump_json(msgspec.to_builtins(value)).encode("utf-8", "replace")
    return sha256(data).hexdigest()


class BuildFolder:
    """`about` is what the build is: whatever changes it makes another build."""

    def __init__(self, path: Path, about: dict[str, Any], today: str) -> None:
        self.path = path
        self.identity = digest(about)
        self.date = self._open(parse_json(dump_json(about), str(path)), today)

    def _open(self, about: dict[str, Any], today: str) -> str:
        """The day the build began: a build that goes on tomorrow gives the same set."""
        file = self.path / ABOUT
        if not file.exists():
            write_json(file, {"identity": self.identity, "date": today, "about": about})
            return today
        before = parse_json(read_text(file), str(file))
        if not isinstance(before, dict) or not {"identity", "date", "about"} <= before.keys():
            raise AssayError("not what a build writes", where=str(file), hint="Name another --folder")
        if before.get("identity") != self.identity:
            if not self._holds_work():
                clear(self.path)
                return self._open(about, today)
            old = before.get("about", {})
            raise AssayError(
                f"holds another build: {'; '.join(_changes(old, about))}",
                where=str(self.path),
                hint="Give the same options as before, build anew with --fresh, or name another --folder",
            )
        return str(before["date"])

    def _holds_work(self) -> bool:
        """Phase 0 alone costs nothing: a dry run does not bind the next one to its options."""
        return any(path.name not in {ABOUT, STRATA} for path in self.path.iterdir())

    def file(self, name: str) -> Path:
        return self.path / name

    def phase(self, name: str, made_from: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What that phase gave: read if it was made from the same input, else made and written."""
        file = self.path / name
        if file.exists():
            found: dict[str, Any] = parse_json(read_text(file), str(file))
            if isinstance(found, dict) and found.get("input") == made_from:
                return found
        data = {"input": made_from} | make()
        write_json(file, data)
        return data

    def typed(self, name: str, data: Any, kind: type[T]) -> T:
        """What a phase wrote, as records. A file that somebody edited wrongly is told, not trusted."""
        try:
            return msgspec.convert(data, kind)
        except msgspec.ValidationError as fault:
            hint = "Delete the file: the phase is done again"
            raise AssayError(f"not what the phase writes: {fault}", where=str(self.path / name), hint=hint) from None


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted({*old, *new}):
        was, now = old.get(key), new.get(key)
        if was != now:
            short = all(isinstance(value, int | float | str) and len(str(value)) <= 20 for value in (was, now))
            yield f"{key} was {was}, is {now}" if short else f"{key} changed"


def clear(path: Path) -> None:
    """Only a folder that a build has made is deleted."""
    if path.exists():
        if not (path / ABOUT).exists() and any(path.iterdir()):
            raise AssayError("not the folder of a build", where=str(path), hint="Name another --folder")
        shutil.rmtree(path)
