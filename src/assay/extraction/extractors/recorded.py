"""Answers that are there already: `recorded` (each sample's `mock_llm_response`), or `recorded:FILE` (JSON lines)."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.extraction.protocol import EXTRACTORS, Context, Output, Sample
from assay.extraction.told import read_output
from assay.files import read_jsonl
from assay.records import Fault
from assay.retrievers.answers import BadAnswer


@EXTRACTORS.register("recorded")
class Recorded:
    """Nothing is called: what is measured is the scorer itself, or what somebody else extracted."""

    tells_seconds = True
    paces_itself = True
    at_hand = True

    def __init__(self, context: Context) -> None:
        self._lines: dict[str, tuple[Any, str]] | None = None
        self.name, self.inputs = "recorded", {}
        if context.argument:
            path = Path(context.argument)
            path = path if path.exists() else Path(context.config.root) / path
            self._lines = _lines(path)
            self.name = f"recorded:{path.name}"
            self.inputs = {"recorded": sha256(path.read_bytes()).hexdigest()}

    async def extract(self, sample: Sample) -> Output:
        given, where = sample.recorded, sample.where
        if self._lines is not None:
            given, where = self._lines.get(sample.id, (None, ""))
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
        return sorted((self._lines or {}).keys() - samples)


def _lines(path: Path) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for number, line in read_jsonl(path):
        where = f"{path}:{number}"
        if not isinstance(line, dict) or not isinstance(line.get("id"), str | int):
            raise AssayError("the line has no 'id'", where=where, expected='{"id": ..., "records": [...]}')
        id_ = str(line["id"])
        if id_ in found:
            raise AssayError(f"'{id_}' is given twice, first at {found[id_][1]}", where=where)
        if "record" in line and "records" not in line:
            line = {**line, "records": [] if line["record"] is None else [line["record"]]}
        found[id_] = (line, where)
    return found
