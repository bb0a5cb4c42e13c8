"""Outputs that are there already: `recorded:FILE`, one JSON object a line, each with the id of its question.

`{"id": "q1", "answer": "...", "contexts": ["...", ...]}`, any of the spellings of `told.py`, or a `results.jsonl` of
Assay itself. Every line is read once at the start, so that a mistake is found before anything is judged; after that a
line is read again when its question comes, so that a large file needs no memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from assay.errors import AssayError
from assay.files import parse_json
from assay.records import Case, Fault
from assay.retrievers.answers import BadAnswer
from assay.systems.fields import described, well_formed
from assay.systems.finished import finished
from assay.systems.protocol import SYSTEMS, Context, Output
from assay.systems.told import read_output

ID = ("question_id", "case_id", "id")
PASSAGES = "passages.jsonl"
"""Beside a `results.jsonl`: the texts of its contexts, each once, by key."""


class _Place(NamedTuple):
    start: int
    line: int


@SYSTEMS.register("recorded")
class Recorded:
    """Tells what was recorded, times and tokens included. Nothing is called."""

    def __init__(self, context: Context) -> None:
        if not context.argument:
            raise AssayError("'recorded' names no file", expected="recorded:FILE")
        path, beside_settings = Path(context.argument), Path(context.config.root) / context.argument
        self._path = path if path.exists() else beside_settings
        self.name = f"recorded:{self._path.name}"
        self._index = context.index
        self._recall_k = context.config.run.pipeline.recall_k
        self._texts = _texts(self._path.with_name(PASSAGES))
        self._places: dict[str, _Place] = {}
        self.inputs = {"recorded": self._scan()}

    async def run(self, case: Case) -> Output:
        place = self._places.get(case.id)
        if place is None:
            return Output(fault=Fault("unknown", f"'{self._path.name}' has no output for this question"))
        with self._path.open("rb") as file:
            file.seek(place.start)
            return self._output(self._parsed(file.readline(), place.line), place.line)

    async def close(self) -> None:
        """Nothing is open."""

    def _scan(self) -> str:
        """Where each question's line begins; the hash of the file."""
        digest = sha256()
        for start, number, data in _lines(self._path):
            digest.update(data)
            if data.strip():
                row = self._parsed(data, number)
                self._output(row, number)
                id_ = self._id(row, number)
                if id_ in self._places:
                    raise self._fault(number, f"the question '{id_}' is in line {self._places[id_].line}, too")
                self._places[id_] = _Place(start, number)
        if not self._places:
            raise AssayError("no output is recorded here", where=str(self._path), expected="one JSON object a line")
        return digest.hexdigest()

    def _parsed(self, data: bytes, number: int) -> dict[str, Any]:
        try:
            text = data.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise self._fault(number, "not UTF-8") from None
        row = parse_json(text.strip(), str(self._path), number)
        if not isinstance(row, dict):
            raise self._fault(number, described(row), "a JSON object")
        return row

    def _id(self, row: dict[str, Any], number: int) -> str:
        found = next((row[name] for name in ID if row.get(name) is not None), None)
        if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
            raise self._fault(number, "no id of the question", " or ".join(ID))
        return str(found)

    def _output(self, row: dict[str, Any], number: int) -> Output:
        if "judgment" in row:
            row = _of_a_run(row, self._texts)
        try:
            output = finished(read_output(row), self._index, self._recall_k)
        except BadAnswer as fault:
            raise self._fault(number, str(fault)) from None
        return replace(output, scale=row["scale"] if isinstance(row.get("scale"), str) else None)

    def _fault(self, number: int, what: str, expected: str | None = None) -> AssayError:
        return AssayError(what, where=f"{self._path}:{number}", expected=expected)


def _of_a_run(row: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    """A row of `results.jsonl` as an output: texts in place of their keys, the judge's part of the time taken off."""
    context = row.get("context")
    if isinstance(context, list):
        context = [_with_text(entry, texts) for entry in context]
    timing = row.get("timing")
    if isinstance(timing, dict) and timing.get("total") is not None:
        timing = timing | {"total": max(0.0, timing["total"] - (timing.get("judge") or 0.0))}
    return row | {"context": context, "timing": timing}


def _with_text(entry: Any, texts: dict[str, str]) -> Any:
    return entry | {"text": texts.get(str(entry.get("text")))} if isinstance(entry, dict) else entry


def _texts(path: Path) -> dict[str, str]:
    """A line that cannot be read was torn by a crash: its text is not known."""
    if not path.exists():
        return {}
    texts: dict[str, str] = {}
    for _, _, data in _lines(path):
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(data)
            texts[str(row["key"])] = well_formed(row["text"])
    return texts


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """(where it begins, its number, the line) of each."""
    start = 0
    try:
        with path.open("rb") as file:
            for number, data in enumerate(file, 1):
                yield start, number, data
                start += len(data)
    except FileNotFoundError:
        raise AssayError("no such file", where=str(path)) from None
    except OSError as fault:
        raise AssayError(f"cannot be read: {fault.strerror}", where=str(path)) from None
