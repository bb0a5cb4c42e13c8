"""Cases from history: a commit's message is the query, the units it changed are expected.

What is searched must not hold the change. The base is a tree without any of the changes, because none of the commits
is in its history: one index for all cases. What was added after the base is not expected, and a unit that already
stands in it as a commit left it (a change picked over from elsewhere) is left out. With `parents` each commit has its
own parent for its index: the nearest tree without its change, at the price of an index for each case.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from assay.corpus.code import Unit, units_of
from assay.corpus.code.files import is_source
from assay.errors import AssayError
from assay.files import write_json
from assay.lanes.cases import LaneCase
from assay.lanes.mining.git import Change, Commit, Repository
from assay.lanes.mining.ground import BaseGround, BuildIndex, Checkout, Ground, Grounds, ParentGrounds
from assay.lanes.mining.messages import query_of, why_not
from assay.lanes.mining.units import Version, changed_units
from assay.records import Progress, Step


class MineOptions(Struct, frozen=True, kw_only=True):
    repository: Path
    out: Path
    head: str = "HEAD"
    base: str | None = None
    """None: half of the main line back, at most `commits`."""
    commits: int = 200
    max_files: int = 20
    """Source files of a commit; with more it is no single thought."""
    max_units: int = 8
    parents: bool = False
    """The parent of each commit is indexed instead of one base."""

    @property
    def base_index(self) -> Path:
        """Beside the cases, under a name no index of somebody's corpus has by accident."""
        return self.out.with_suffix(".base.db")


class Mined(Struct, frozen=True, kw_only=True):
    """What was found and what was left out, by reason."""

    cases: tuple[LaneCase, ...]
    base: str
    head: str
    commits: int
    left_out: dict[str, int]
    index: str | None
    """Of all cases; None: each has its own."""
    is_shallow: bool = False
    """The clone has no more than a part of the history."""

    @property
    def told(self) -> dict[str, Any]:
        """How the cases were found."""
        counts = {"commits": self.commits, "cases": len(self.cases), "left_out": self.left_out}
        return {"base": self.base, "head": self.head, **counts}


class Edit(Struct, frozen=True):
    """A source file before and after a commit, both under the path it had before."""

    path: str
    before: Version
    after: Version


class Left(Exception):
    """A commit that gives no case, and why."""


def mine(options: MineOptions, build: BuildIndex, progress: Progress) -> Mined:
    """Index what is searched, look at every commit after the base, write the cases beside the index."""
    with Repository(options.repository) as repository, TemporaryDirectory(prefix="assay-") as temporary:
        head = repository.resolve(options.head)
        base = repository.resolve(options.base) if options.base else _base(repository, head, options.commits)
        grounds = _grounds(options, Checkout(repository, Path(temporary) / "tree"), base, build)
        miner = _Miner(repository, options, grounds)
        commits = list(repository.commits(base, head))
        is_shallow = repository.is_shallow()
        for number, commit in enumerate(commits, 1):
            miner.look(commit)
            progress(Step("commits", number, len(commits)))
    found = Mined(
        cases=tuple(miner.cases),
        base=base,
        head=head,
        commits=len(commits),
        left_out=dict(sorted(miner.left_out.items())),
        index=None if options.parents else options.base_index.name,
        is_shallow=is_shallow,
    )
    write_json(options.out, as_file(found))
    return found


def _grounds(options: MineOptions, checkout: Checkout, base: str, build: BuildIndex) -> Grounds:
    if options.parents:
        return ParentGrounds(checkout, options.out.with_suffix(".parents"), build)
    return BaseGround(checkout, base, options.base_index, build)


def as_file(mined: Mined) -> dict[str, Any]:
    """The case file: what it is about, how it was made, the cases."""
    cases = [_without_empty(msgspec.to_builtins(case)) for case in mined.cases]
    return {"index": mined.index, "mined": mined.told, "cases": cases}


def _without_empty(case: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in case.items() if value is not None}


def _base(repository: Repository, head: str, furthest: int) -> str:
    line = repository.first_parents(head)
    back = min(furthest, len(line) // 2)
    if not back:
        hint = "The clone is shallow; git fetch --unshallow brings the rest" if repository.is_shallow() else None
        what = "the history is too short to learn from"
        raise AssayError(what, where=str(repository.path), expected="two commits", hint=hint)
    return line[back]


class _Miner:
    def __init__(self, repository: Repository, options: MineOptions, grounds: Grounds) -> None:
        self.repository, self.options, self.grounds = repository, options, grounds
        self.cases: list[LaneCase] = []
        self.left_out: Counter[str] = Counter()
        self._queries: set[str] = set()

    def look(self, commit: Commit) -> None:
        try:
            self.cases.append(self._case(commit))
        except Left as reason:
            self.left_out[str(reason)] += 1

    def _case(self, commit: Commit) -> LaneCase:
        if len(commit.parents) != 1:
            raise Left("merge" if commit.parents else "no parent")
        if reason := why_not(commit.message):
            raise Left(reason)
        query = query_of(commit.message)
        if query in self._queries:
            raise Left("same message as another")
        units, ground = self._expected(commit)
        self._queries.add(query)
        return LaneCase(
            id=f"commit-{commit.sha[:12]}",
            description=commit.subject[:120],
            lane="code",
            spec_id=commit.sha,
            spec_content=query,
            expected_ids=tuple(unit.id for unit in units),
            tags={"language": units[0].language},
            index=f"{ground.index.parent.name}/{ground.index.name}" if self.options.parents else None,
        )

    def _expected(self, commit: Commit) -> tuple[list[Unit], Ground]:
        """The units that a search of the ground should bring back."""
        edits = self._edits(commit)
        changed = [(edit, unit) for edit in edits for unit in changed_units(edit.before, edit.after)]
        if not changed:
            raise Left("only new units" if any(map(_has_new, edits)) else "only formatting, comments or imports")
        kept = [(edit, unit) for edit, unit in changed if "test" not in unit.tags]
        if not kept:
            raise Left("only tests")
        if len(kept) > self.options.max_units:
            raise Left("too large")
        ground = self.grounds.of(commit)
        there = [(edit, unit) for edit, unit in kept if unit.id in ground.ids]
        if not there:
            raise Left("only units that are not in the base")
        fresh = [unit for edit, unit in there if not self._is_in(ground, unit, edit)]
        if not fresh:
            raise Left("already in the base")
        return fresh, ground

    def _edits(self, commit: Commit) -> list[Edit]:
        """Each changed source file before and after. A new file has no units that could be found."""
        changes = [change for change in self.repository.changes(commit) if is_relevant(change)]
        if not changes:
            raise Left("no source file")
        if len(changes) > self.options.max_files:
            raise Left("too large")
        changes = [change for change in changes if change.old_blob != change.new_blob]
        if not changes:
            raise Left("only renames or file modes")
        edits = [
            Edit(change.old_path, self._version(change.old_path, change.old_blob), self._later(change))
            for change in changes
            if change.old_path and is_source(Path(change.old_path))
        ]
        if not edits:
            raise Left("only new files")
        return edits

    def _later(self, change: Change) -> Version:
        """Under the old path, so that a renamed file keeps its ids."""
        return self._version(change.old_path or "", change.new_blob)

    def _version(self, path: str, blob: str | None) -> Version:
        if blob is None:
            return Version("", [])
        content = self.repository.content(blob)
        if content is None:
            raise Left("a file is too large or not in this clone")
        return Version(content.decode("utf-8", "replace"), units_of(path, content))

    def _is_in(self, ground: Ground, unit: Unit, edit: Edit) -> bool:
        """The index holds the unit as the commit left it: a search would find the change itself."""
        stands = _text_of(self._version(edit.path, ground.tree.get(edit.path)), unit.id)
        return stands is not None and stands == _text_of(edit.after, unit.id)


def _text_of(version: Version, id_: str) -> str | None:
    return next((unit.text for unit in version.units if unit.id == id_), None)


def _has_new(edit: Edit) -> bool:
    return bool({unit.id for unit in edit.after.units} - {unit.id for unit in edit.before.units})


def is_relevant(change: Change) -> bool:
    return any(path is not None and is_source(Path(path)) for path in (change.old_path, change.new_path))
