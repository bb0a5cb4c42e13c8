"""Cases of the lanes: what is looked for, in which lane, and which units should come back.

A file is a list of cases, or an object that names their index too: `{"index": "base.db", "cases": [...]}`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from assay.errors import AssayError
from assay.files import line_of, parse_json, read_text
from assay.records import Lane
from assay.validation import Keys, convert

Source = Literal["builtin", "json"]
Text = Annotated[str, Meta(min_length=1)]


class LaneCase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case as a person writes it."""

    id: Text
    description: str = ""
    """For people."""
    lane: Lane
    spec_id: str = ""
    """Where the case comes from: a ticket, a commit."""
    spec_content: Text
    """What is searched for."""
    expected_ids: tuple[str, ...]
    k: Annotated[int, Meta(ge=1)] | None = None
    tags: dict[str, str] = {}
    """What segments are made of, besides the lane."""
    index: str | None = None
    """Where it is searched, if not where the other cases of its file are."""


class CaseFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cases together with the index they are about."""

    index: str | None = None
    """Relative to the file, as those of single cases."""
    mined: dict[str, Any] = {}
    """How the cases were found, where they were; for people."""
    cases: tuple[LaneCase, ...]


class Placed(Struct, frozen=True, kw_only=True):
    """A case and where it stands."""

    case: LaneCase
    source: Source
    place: Callable[[], str]
    """`file:line`; asked only where there is a fault to tell, because the line has to be looked for."""
    index: Path | None
    """What its file says it is about; None: whatever is asked for."""


def read_cases(path: Path, source: Source = "json") -> list[Placed]:
    """The cases of a file. Every fault names file and line."""
    text = read_text(path)
    data = parse_json(text, str(path))

    def place(keys: Keys) -> str:
        return f"{path}:{line_of(text, keys)}"

    if isinstance(data, list):
        file = convert({"cases": data}, CaseFile, lambda keys: place(keys[1:]))
        root: Keys = ()
    elif isinstance(data, dict):
        file, root = convert(data, CaseFile, place), ("cases",)
    else:
        raise AssayError("not a case file", where=f"{path}:1", expected='a list of cases, or {"cases": [...]}')
    for at, case in enumerate(file.cases):
        if not case.spec_content.strip():
            raise AssayError("spec_content is blank", where=place((*root, at)), expected="what is searched for")
    return [
        Placed(case=case, source=source, place=partial(place, (*root, at)), index=path.parent / name if name else None)
        for at, case in enumerate(file.cases)
        for name in [case.index or file.index]
    ]


def unique(cases: Iterable[Placed]) -> tuple[Placed, ...]:
    """The cases by id; an id that is there twice is an error that names both places."""
    seen: dict[str, Placed] = {}
    for placed in cases:
        first = seen.setdefault(placed.case.id, placed)
        if first is not placed:
            raise AssayError(f"id '{placed.case.id}' occurs twice, first at {first.place()}", where=placed.place())
    return tuple(seen[id_] for id_ in sorted(seen))


def in_lane(cases: Sequence[Placed], lane: Lane | None) -> tuple[Placed, ...]:
    """Those of one lane, or all."""
    return tuple(placed for placed in cases if lane is None or placed.case.lane == lane)


def sha256_of(cases: Iterable[Placed]) -> str:
    """A hash of what the cases say, wherever they stand."""
    from msgspec.json import encode

    return hashlib.sha256(encode([(placed.source, placed.case) for placed in cases])).hexdigest()
