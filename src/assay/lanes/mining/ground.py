"""What the cases are searched in: the sources of a commit, written out and indexed."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from assay.corpus.code.files import BUILT, is_source
from assay.corpus.index import Index
from assay.errors import AssayError
from assay.lanes.mining.git import Commit, Repository

BuildIndex = Callable[[Path, Path], None]
"""Folder of sources, file of the index."""
_RULES = {".gitignore", *(name for names in BUILT.values() for name in names)}


class Ground(Struct, frozen=True):
    """An indexed commit."""

    tree: dict[str, str]
    """Path → blob of its source files."""
    ids: frozenset[str]
    index: Path


class Grounds(Protocol):
    """The ground for each commit: a tree that does not hold its change."""

    def of(self, commit: Commit) -> Ground: ...


class Checkout:
    """The source files of one commit after another in a folder; only what differs is written."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        self.repository, self.folder = repository, folder
        self._tree: dict[str, str] = {}
        folder.mkdir(parents=True)

    def move_to(self, commit: str) -> dict[str, str]:
        tree = self._source_files(commit)
        for path in self._tree.keys() - tree.keys():
            (self.folder / path).unlink(missing_ok=True)
            self._remove_empty((self.folder / path).parent)
        for path, blob in tree.items():
            if self._tree.get(path) != blob:
                self._write(self.folder / path, blob)
        self._tree = tree
        return tree

    def require_sources(self, commit: str) -> None:
        """A partial clone names files whose contents it does not have."""
        listed = [path for path in self._tree if is_source(Path(path))]
        where = str(self.repository.path)
        if not listed:
            raise AssayError(
                f"commit {commit[:12]} has no source file", where=where, hint="Name another one with --base"
            )
        if not any((self.folder / path).is_file() for path in listed):
            what = f"none of the {len(listed)} source files of commit {commit[:12]} is in this clone"
            raise AssayError(what, where=where, hint="It may be a partial one: clone the repository without --filter")

    def _source_files(self, commit: str) -> dict[str, str]:
        """With those that decide what is passed over: rules of what is ignored, files that name build folders."""
        tree = self.repository.tree(commit)
        return {path: blob for path, blob in tree.items() if is_source(Path(path)) or Path(path).name in _RULES}

    def _write(self, target: Path, blob: str) -> None:
        content = self.repository.content(blob)
        if content is None:
            target.unlink(missing_ok=True)
            return
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except OSError as fault:
            if fault.errno != errno.ENAMETOOLONG:  # a name only a tree object can hold
                raise

    def _remove_empty(self, folder: Path) -> None:
        """A folder may be a file in the next tree."""
        while folder != self.folder:
            if folder.is_dir():
                if any(folder.iterdir()):
                    return
                folder.rmdir()
            folder = folder.parent


class BaseGround:
    """One commit for all: quick, and every case is of the same corpus."""

    def __init__(self, checkout: Checkout, base: str, index: Path, build: BuildIndex) -> None:
        tree = checkout.move_to(base)
        checkout.require_sources(base)
        build(checkout.folder, index)
        self._ground = Ground(tree, ids_of(index), index)

    def of(self, commit: Commit) -> Ground:  # noqa: ARG002 (the same for all)
        return self._ground


class ParentGrounds:
    """The parent of each commit: the nearest tree without its change. Each index starts from a copy of the last."""

    def __init__(self, checkout: Checkout, folder: Path, build: BuildIndex) -> None:
        self._checkout, self._folder, self._build = checkout, folder, build
        self._last: Path | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, commit: Commit) -> Ground:
        parent = commit.parents[0]
        index = self._folder / f"{parent[:12]}.db"
        tree = self._checkout.move_to(parent)
        if self._last is not None and not index.exists():
            shutil.copyfile(self._last, index)
        self._build(self._checkout.folder, index)
        self._last = index
        return Ground(tree, ids_of(index), index)


def ids_of(index: Path) -> frozenset[str]:
    with Index.open(index) as opened:
        return frozenset(opened.ids)
