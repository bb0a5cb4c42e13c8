"""Cases met with their index: which expected ids are there at all, and how far is searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.corpus.index import Index
from assay.lanes.cases import LaneCase, Placed, Source
from assay.records import Case, Lane


class Missing(Struct, frozen=True):
    """An expected id that no search of the lane can bring back."""

    case_id: str
    expected_id: str
    index: str
    lane: Lane | None
    """Where the id is instead; None: it is not in the index."""
    near: str | None = None
    """The only unit of that symbol in another file: the file was moved, or another folder was indexed."""

    def __str__(self) -> str:
        why = f"is in the lane {self.lane}" if self.lane else "is not in the index"
        return f"{self.expected_id} {why} ({self.index}){f'; did you mean {self.near}?' if self.near else ''}"


class Task(Struct, frozen=True, kw_only=True):
    """A case ready to be searched for."""

    case: Case
    """As retrieval knows it: expected are only those that can be found."""
    lane: Lane
    k: int
    source: Source
    index: Path
    expected_ids: tuple[str, ...]
    """All of them, as the case says."""
    missing: tuple[Missing, ...]

    @property
    def id(self) -> str:
        return self.case.id

    @property
    def missing_ids(self) -> tuple[str, ...]:
        return tuple(entry.expected_id for entry in self.missing)


class Cut(Struct, frozen=True):
    """How far is searched: `asked` (on the command line) before the case's own k before the default."""

    default: int
    asked: int | None = None

    def of(self, case: LaneCase) -> int:
        return self.asked or case.k or self.default


def make_tasks(cases: Sequence[Placed], indexes: Mapping[Path, Index], default: Path, cut: Cut) -> tuple[Task, ...]:
    """One task a case, in the order of the cases."""
    lanes = {path: dict(zip(index.ids, index.lanes, strict=True)) for path, index in indexes.items()}
    sources = {path: dict(zip(index.ids, index.sources, strict=True)) for path, index in indexes.items()}
    tasks = []
    for placed in cases:
        path = placed.index or default
        tasks.append(_task(placed, path, lanes[path], sources[path], cut.of(placed.case)))
    return tuple(_with_near(tasks, indexes))


def _with_near(tasks: Sequence[Task], indexes: Mapping[Path, Index]) -> Iterator[Task]:
    """Every index is gone through once, for all that is missing from it."""
    wanted: dict[Path, dict[str, list[str]]] = {task.index: {} for task in tasks}
    for task in tasks:
        wanted[task.index] |= {_symbol(id_): [] for id_ in task.missing_ids if _symbol(id_)}
    for path, found in wanted.items():
        for id_ in indexes[path].ids if found else ():
            if (symbol := _symbol(id_)) in found:
                found[symbol].append(id_)
    for task in tasks:
        found = wanted[task.index]
        missing = [each if each.lane else replace(each, near=_near(each.expected_id, found)) for each in task.missing]
        yield replace(task, missing=tuple(missing)) if missing else task


def _near(id_: str, found: Mapping[str, Sequence[str]]) -> str | None:
    """If there are several, the one in a file of the same name."""
    there = found.get(_symbol(id_), ())
    alike = there if len(there) == 1 else [each for each in there if _file(each) == _file(id_)]
    return alike[0] if len(alike) == 1 else None


def _symbol(id_: str) -> str:
    return id_.partition("::")[2] if id_.startswith("code:") else ""


def _file(id_: str) -> str:
    return id_.partition("::")[0].rpartition("/")[2].removeprefix("code:")


def _task(placed: Placed, index: Path, lanes: Mapping[str, Lane], sources: Mapping[str, str], k: int) -> Task:
    case = placed.case
    expected = tuple(dict.fromkeys(case.expected_ids))
    missing = tuple(
        Missing(case.id, id_, index.name, lanes.get(id_)) for id_ in expected if lanes.get(id_) != case.lane
    )
    absent = {entry.expected_id for entry in missing}
    found = [id_ for id_ in expected if id_ not in absent]
    tags: dict[str, str] = {"lane": case.lane, "origin": placed.source}
    if found:
        tags["source"] = sources[found[0]]
    return Task(
        case=Case(
            id=case.id,
            question=case.spec_content,
            expected=dict.fromkeys(found, 1),
            tags={**case.tags, **tags},
            lane=case.lane,
        ),
        lane=case.lane,
        k=k,
        source=placed.source,
        index=index,
        expected_ids=expected,
        missing=missing,
    )
