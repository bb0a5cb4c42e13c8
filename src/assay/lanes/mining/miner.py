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

from assay.corpus.code import Unit
from assay.errors import AssayError
from assay.files import write_json
from assay.lanes.cases import LaneCase
from assay.lanes.mining.changes import Changed, Changes
from assay.lanes.mining.git import Commit, Repository
from assay.lanes.mining.ground import BaseGround, BuildIndex, Checkout, Ground, Grounds, ParentGrounds
from assay.lanes.mining.messages import query_of, why_not
from assay.lanes.mining.renames import Edit
from assay.lanes.mining.trail import Origin, Trail, Trails
from assay.lanes.mining.units import changed_units
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


class Left(Exception):
    """A commit that gives no case, and why."""


def mine(options: MineOptions, build: BuildIndex, progress: Progress) -> Mined:
    """Index what is searched, look at every commit after the base, write the cases beside the index."""
    if options.out.is_dir():
        raise AssayError("is a folder", where=str(options.out), expected="a file for the cases, as in --out cases.json")
    with Repository(options.repository) as repository, TemporaryDirectory(prefix="assay-") as temporary:
        head = repository.resolve(options.head)
        base = repository.resolve(options.base) if options.base else _base(repository, head, options.commits)
        commits = list(repository.commits(base, head))
        if not commits:
            what = f"no commit of {options.head} comes after {options.base}"
            raise AssayError(what, where=str(repository.path), hint="Name an older base, or a later --head")
        grounds = _grounds(options, Checkout(repository, Path(temporary) / "tree"), base, build)
        miner = _Miner(repository, options, grounds, base)
        is_shallow = repository.is_shallow()
        for number, commit in enumerate(reversed(commits), 1):
            miner.look(commit)
            progress(Step("commits", number, len(commits)))
    found = Mined(
        cases=tuple(reversed(miner.cases)),
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
    """Shown every commit once, parents first."""

    def __init__(self, repository: Repository, options: MineOptions, grounds: Grounds, base: str) -> None:
        self.options, self.grounds = options, grounds
        self._changes = Changes(repository, options.max_files)
        self._trails = Trails(self._changes, base)
        self.cases: list[LaneCase] = []
        self.left_out: Counter[str] = Counter()
        self._queries: set[str] = set()

    def look(self, commit: Commit) -> None:
        try:
            self.cases.append(self._case(commit))
        except Left as reason:
            self.left_out[str(reason)] += 1
        if not self.options.parents:
            self._trails.follow(commit)

    def _case(self, commit: Commit) -> LaneCase:
        if len(commit.parents) != 1:
            raise Left("merge" if commit.parents else "no parent")
        if reason := why_not(commit.message):
            raise Left(reason)
        query = query_of(commit.message)
        if query in self._queries:
            raise Left("same message as another")
        ids, language, ground = self._expected(commit)
        self._queries.add(query)
        return LaneCase(
            id=f"commit-{commit.sha[:12]}",
            description=commit.subject[:120],
            lane="code",
            spec_id=commit.sha,
            spec_content=query,
            expected_ids=ids,
            tags={"language": language},
            index=f"{ground.index.parent.name}/{ground.index.name}" if self.options.parents else None,
        )

    def _expected(self, commit: Commit) -> tuple[tuple[str, ...], str, Ground]:
        """The units that a search of the ground should bring back, and their language."""
        kept = self._changed(self._changes.between(commit.parents[0], commit.sha))
        ground = self.grounds.of(commit)
        trail = Trail() if self.options.parents else self._trails.of(commit.parents[0])
        origins = [(trail.origin(unit.id, edit.before.path), edit, unit) for edit, unit in kept]
        there = [(origin, edit, unit) for origin, edit, unit in origins if origin and origin.id in ground.ids]
        if not there:
            raise Left("only units that are not in the base")
        fresh = [(origin, unit) for origin, edit, unit in there if not self._is_in(ground, origin, edit, unit)]
        if not fresh:
            raise Left("already in the base")
        return tuple(origin.id for origin, _ in fresh), fresh[0][1].language, ground

    def _changed(self, changed: Changed) -> list[tuple[Edit, Unit]]:
        """Every unit that somebody may look for, or why there is none."""
        if len(changed.changes) > self.options.max_files:
            raise Left("too large")
        if not changed.is_whole:
            raise Left("a file is too large or not in this clone")
        if not changed.changes:
            raise Left("no source file")
        if not changed.edits:
            raise Left("only renames or file modes")
        found = [
            (edit, unit) for edit in changed.edits for unit in changed_units(edit.before, edit.after, changed.renamed)
        ]
        if not found:
            raise Left(_why_none(changed))
        kept = [(edit, unit) for edit, unit in found if "test" not in unit.tags]
        if not kept:
            raise Left("only tests")
        if len(kept) > self.options.max_units:
            raise Left("too large")
        return kept

    def _is_in(self, ground: Ground, origin: Origin, edit: Edit, unit: Unit) -> bool:
        """The index holds the unit as the commit left it: a search would find the change itself."""
        stands = self._changes.version(origin.path, ground.tree.get(origin.path))
        if stands is None or unit.id not in edit.after.ids or origin.id not in stands.ids:
            return False
        return stands.ids[origin.id].text == edit.after.ids[unit.id].text


def _why_none(changed: Changed) -> str:
    new = {id_ for edit in changed.edits for id_ in edit.after.ids.keys() - edit.before.ids.keys()}
    if new - set(changed.renamed.ids.values()):
        is_new_file = not any(edit.before.units for edit in changed.edits)
        return "only new files" if is_new_file else "only new units"
    return "only renames or file modes" if changed.renamed.ids else "only formatting, comments or imports"
