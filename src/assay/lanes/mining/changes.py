"""The source files of two commits that differ, cut into units."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from assay.corpus.code.files import VENDORED, is_source
from assay.lanes.mining.git import Change, Repository
from assay.lanes.mining.renames import Edit, renamed_units
from assay.lanes.mining.units import Renamed, Version

_KEPT = 200
"""Versions of files: what one commit left is what the next one finds."""


class Changed(Struct, frozen=True):
    changes: tuple[Change, ...]
    """Of source files."""
    edits: tuple[Edit, ...] = ()
    """The same, cut, if they are not too many: without those that were only moved."""
    renamed: Renamed = Renamed()
    is_whole: bool = True
    """False: a file is too large, or not in this clone."""


class Changes:
    def __init__(self, repository: Repository, max_files: int) -> None:
        self._repository, self._max_files = repository, max_files
        self._version = lru_cache(_KEPT)(self._read)
        self.between = lru_cache(4)(self._between)
        """Of two commits: what is different in the second."""

    def _between(self, before: str, after: str) -> Changed:
        changes = tuple(change for change in self._repository.changes(before, after) if _is_source(change))
        if len(changes) > self._max_files:
            return Changed(changes)
        edits, kept, is_whole = [], [], True
        for change in changes:
            versions = self._versions(change)
            if versions is None:
                is_whole = False
            elif not any(version.is_binary for version in versions):
                kept.append(change)
                edits += [Edit(*versions)] if change.old_blob != change.new_blob else []
        return Changed(tuple(kept), tuple(edits), renamed_units(edits), is_whole)

    def _versions(self, change: Change) -> tuple[Version, Version] | None:
        """Both under the old path, so that a renamed file keeps its ids."""
        path = change.old_path or change.new_path or ""
        before, after = self._version(path, change.old_blob), self._version(path, change.new_blob)
        return (before, after) if before is not None and after is not None else None

    def version(self, path: str, blob: str | None) -> Version | None:
        """None for what cannot be read; without a blob, a file without units."""
        return self._version(path, blob)

    def _read(self, path: str, blob: str | None) -> Version | None:
        content = None if blob is None else self._repository.content(blob)
        return None if blob and content is None else Version.read(path, content)


def _is_source(change: Change) -> bool:
    return any(path is not None and _is_ours(Path(path)) for path in (change.old_path, change.new_path))


def _is_ours(path: Path) -> bool:
    return is_source(path) and VENDORED.isdisjoint(path.parts)
