"""The texts a question needs: passages the generator saw, chunks of the index. Only those are read."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.corpus.index import Index
from assay.errors import AssayError
from assay.runs.folder import RunFolder
from assay.runs.passages import FILE_NAME
from assay.runs.results import Row
from assay.viewer.visit import Visit


class _Passage(Struct, frozen=True):
    key: str
    text: str = ""


class _Key(Struct, frozen=True):
    key: str


def seen_texts(visit: Visit, run: RunFolder, rows: Iterable[Row]) -> dict[str, str]:
    """Key → text of every passage in the context of these rows."""
    wanted = {passage["text"] for row in rows for passage in row.get("context") or ()}
    path = run.path / FILE_NAME
    if not wanted or not path.exists():
        return {}
    places = visit.desk.made.get(("passages", run.name), (path,), lambda: _places(path))
    found = {}
    with path.open("rb") as file:
        for key in wanted & places.keys():
            file.seek(places[key])
            found[key] = _text(file.readline())
    return found


def _places(path: Path) -> dict[str, int]:
    """Where each text stands. A line that a crash has torn is skipped."""
    places, start = {}, 0
    decode = msgspec.json.Decoder(_Key).decode
    with path.open("rb") as file:
        for line in file:
            with suppress(msgspec.MsgspecError):
                places[decode(line).key] = start
            start += len(line)
    return places


def _text(line: bytes) -> str:
    try:
        return msgspec.json.decode(line, type=_Passage).text
    except msgspec.MsgspecError:
        return ""


def chunks_of(visit: Visit, run: RunFolder, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Text, source and page by id, if the index is still the one the run searched."""
    path = visit.desk.places.index
    wanted = run.manifest.get("fingerprint", {}).get("index")
    if not wanted or not path.is_file():
        return {}
    try:
        with Index.open(path) as index:
            if index.metadata.get("fingerprint") != wanted:
                return {}
            found = index.chunks(ids)
    except AssayError:
        return {}
    return {id_: {"text": chunk.text, "source": chunk.source, "page": chunk.page} for id_, chunk in found.items()}
