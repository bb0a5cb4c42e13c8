"""Where the units of a commit stand in the base: files and units that were given another name since are followed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from assay.corpus.chunking import id_part
from assay.lanes.mining.changes import Changed, Changes
from assay.lanes.mining.git import Commit


class Origin(Struct, frozen=True):
    """A unit of the base."""

    path: str
    id: str


class Trail(Struct, frozen=True):
    """From a commit back to the base; what is not told has the name it had there."""

    paths: dict[str, str | None] = {}
    """Path now → path in the base; None: another file than the one that has this path there."""
    units: dict[str, Origin | None] = {}
    """Id, under the path its file has in the base → the unit there; None: another than the one of this id there."""

    def origin(self, id_: str, path: str) -> Origin | None:
        """Of a unit of the file at that path; None: it is not in the base."""
        home = self._home(id_, path)
        return home and self.units.get(home.id, home)

    def _home(self, id_: str, path: str) -> Origin | None:
        """Its name, if only its file has another one."""
        there = self.paths.get(path, path)
        if there is None:
            return None
        return Origin(there, f"code:{id_part(there)}::" + id_.removeprefix(f"code:{id_part(path)}::"))

    def then(self, changed: Changed) -> Trail:
        """One commit further."""
        moved = [(each.old_path, each.new_path) for each in changed.changes if each.status == "R"]
        paths: dict[str, str | None] = {old: None for old, _ in moved if old}
        paths |= {new: self.paths.get(old, old) for old, new in moved if old and new}
        before = {id_: edit.before.path for edit in changed.edits for id_ in edit.before.ids}
        after = {id_: edit.after.path for edit in changed.edits for id_ in edit.after.ids}
        pairs = changed.renamed.ids.items()
        units: dict[str, Origin | None] = {home.id: None for old, _ in pairs if (home := self._home(old, before[old]))}
        units |= {home.id: self.origin(old, before[old]) for old, new in pairs if (home := self._home(new, after[new]))}
        return Trail(self.paths | paths, self.units | units)


class Trails:
    """Of every commit after the base, each shown once, parents first."""

    def __init__(self, changes: Changes, base: str) -> None:
        self._changes, self._base = changes, base
        self._known = {base: Trail()}

    def of(self, sha: str) -> Trail:
        """A commit that was never shown is older than the base: then that is looked at from there."""
        if sha not in self._known:
            self._known[sha] = Trail().then(self._changes.between(self._base, sha))
        return self._known[sha]

    def follow(self, commit: Commit) -> None:
        before = joined([self.of(parent) for parent in commit.parents] or [Trail()])
        if len(commit.parents) == 1:
            before = before.then(self._changes.between(commit.parents[0], commit.sha))
        self._known[commit.sha] = before


def joined(trails: Sequence[Trail]) -> Trail:
    """Of a merge: what one of its parents calls otherwise. The first goes before, and what is none of the base's for
    another line is so for that line alone."""
    first, *others = trails
    paths: dict[str, str | None] = {}
    units: dict[str, Origin | None] = {}
    for trail in reversed(others):
        paths |= {now: then for now, then in trail.paths.items() if then}
        units |= {now: then for now, then in trail.units.items() if then}
    return Trail(paths | first.paths, units | first.units)
