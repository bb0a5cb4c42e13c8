"""`.gitignore` files, as git reads them: those above the folder up to the repository's root, and those below."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.errors import MissingExtra

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Rules(Struct, frozen=True):
    """The patterns of one file, which hold below its folder."""

    folder: Path
    patterns: GitIgnoreSpec


class Ignored:
    """Rules gathered on the way down a tree; the deepest that says anything decides."""

    def __init__(self, rules: tuple[Rules, ...] = ()) -> None:
        self._rules = rules

    @classmethod
    def above(cls, root: Path) -> Ignored:
        """The rules a repository sets for a folder inside it; none if they leave out that very folder, because
        somebody who names it wants it."""
        chain = [root, *root.parents]
        top = next((folder for folder in chain if (folder / ".git").exists()), None)
        ignored = cls()
        if top is not None:
            ignored = ignored._with(top / ".git" / "info" / "exclude", top)
            for folder in reversed(chain[1 : chain.index(top) + 1]):
                ignored = ignored.inside(folder)
        return cls() if top != root and ignored.has(root, is_folder=True) else ignored

    def inside(self, folder: Path) -> Ignored:
        return self._with(folder / ".gitignore", folder)

    def _with(self, file: Path, folder: Path) -> Ignored:
        if not os.path.isfile(file):  # noqa: PTH113 (in a closed folder there is none, rather than a fault)
            return self
        try:
            from pathspec import GitIgnoreSpec
        except ImportError:
            raise MissingExtra("pathspec", "code", "reading .gitignore") from None
        try:
            lines = file.read_text("utf-8", "replace").splitlines()
        except OSError:
            return self
        return Ignored((*self._rules, Rules(folder, GitIgnoreSpec.from_lines(lines))))

    def has(self, path: Path, *, is_folder: bool) -> bool:
        for rules in reversed(self._rules):
            name = path.relative_to(rules.folder).as_posix() + ("/" if is_folder else "")
            decided = rules.patterns.check_file(name).include
            if decided is not None:
                return decided
        return False
