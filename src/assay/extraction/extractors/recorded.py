"""Answers that are there already: `recorded` (each sample's `mock_llm_response`), or `recorded:FILE` (JSON lines)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, KeysView
from hashlib import file_digest
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.extraction.protocol import EXTRACTORS, Context, Output, Sample
from assay.extraction.told import read_output
from assay.files import read_jsonl
from assay.on_disk import OnDisk
from assay.records import Fault
from assay.retrievers.answers import BadAnswer


@EXTRACTORS.register("recorded")
class Recorded:
    """Nothing is called: what is measured is the scorer itself, or what somebody else extracted."""

    tells_seconds = True
    paces_itself = True
    at_hand = True

    def __init__(self, context: Context) -> None:
        self._lines: _Lines | None = None
        self.name, self.inputs = "recorded", {}
        if context.argument:
            path = Path(context.argument)
            path = path if path.exists() else Path(context.config.root) / path
            self._lines = _Lines(path)
            self.name = f"recorded:{path.name}"
            with path.open("rb") as file:
                self.inputs = {"recorded": file_digest(file, "sha256").hexdigest()}

    async def extract(self, sample: Sample) -> Output:
        given, where = sample.recorded, sample.where
        if self._lines is not None:
            given, where = self._lines.get(sample.id)
        if given is None:
            missing = "no line of the file is about this sample" if self._lines is not None else "no mock_llm_response"
            return Output(fault=Fault("extract", missing))
        try:
            return read_output(given)
        except BadAnswer as fault:
            return Output(fault=Fault("extract", f"{where}: {fault}"))

    async def close(self) -> None:
        """Nothing is open."""

    def unknown(self, samples: set[str]) -> list[str]:
        """Ids of lines that no sample has."""
        return sorted(self._lines.ids - samples) if self._lines else []


class _Lines:
    """The outputs of a file by id: checked at once, and read from disk when their sample comes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, int] = {}
        self._numbers = array("q")
        self._values: OnDisk[Any] = OnDisk(dict, self._read(), "the outputs")

    @property
    def ids(self) -> KeysView[str]:
        return self._places.keys()

    def get(self, id_: str) -> tuple[Any, str]:
        """The line and where it stands; None if there is none."""
        place = self._places.get(id_)
        return (None, "") if place is None else (self._values[place], self._where(place))

    def _where(self, place: int) -> str:
        return f"{self._path}:{self._numbers[place]}"

    def _read(self) -> Iterator[Any]:
        for number, line in read_jsonl(self._path):
            where = f"{self._path}:{number}"
            if not isinstance(line, dict) or not isinstance(line.get("id"), str | int):
                raise AssayError("the line has no 'id'", where=where, expected='{"id": ..., "records": [...]}')
            id_ = str(line["id"])
            if id_ in self._places:
                raise AssayError(f"'{id_}' is given twice, first at {self._where(self._places[id_])}", where=where)
            if "record" in line and "records" not in line:
                line = {**line, "records": [] if line["record"] is None else [line["record"]]}
            self._places[id_] = len(self._numbers)
            self._numbers.append(number)
            yield line
