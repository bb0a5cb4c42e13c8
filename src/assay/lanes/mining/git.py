"""A git repository, read by its plumbing. Names and messages are data: nothing of them is ever run or parsed as option.

Only `git` itself is started, never a hook, a pager, an external diff or a fetch, whatever the repository's own
configuration says.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from msgspec import Struct

from assay.errors import AssayError

LARGEST = 1_000_000
"""Bytes of a source file; a larger one was not written by a person."""
_REGULAR = {"100644", "100755"}
_SAFE = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.quotePath=false", "--no-pager")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_EXTERNAL_DIFF": "",
    "LC_ALL": "C.UTF-8",
}


class Commit(Struct, frozen=True):
    """One commit; a merge has several parents, the first one of a history none."""

    sha: str
    parents: tuple[str, ...]
    message: str

    @property
    def subject(self) -> str:
        return self.message.strip().partition("\n")[0].strip()


class Change(Struct, frozen=True):
    """A file before and after a commit; None where it was not there, or was no regular file."""

    status: str
    """M, A, D, R (renamed), C (copied), T (another kind of file)."""
    old_path: str | None
    new_path: str | None
    old_blob: str | None
    new_blob: str | None


class Repository:
    """Read only. To be used as a context: one `git cat-file` serves all contents."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._contents: subprocess.Popen[bytes] | None = None
        self.run("rev-parse", "--git-dir")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._contents is not None:
            self._contents.communicate()
            self._contents = None

    def run(self, *arguments: str) -> bytes:
        """What git prints; its fault is one line of ours."""
        try:
            done = subprocess.run(  # noqa: S603 (a list of arguments, no shell)
                self._command(*arguments), capture_output=True, check=False, env=_environment()
            )
        except FileNotFoundError:
            raise AssayError("git is not installed", hint="Mining cases reads the history with it") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise AssayError(f"git: {said.removeprefix('fatal: ')}", where=str(self.path))
        return done.stdout

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "-C", str(self.path), *_SAFE, *arguments]

    def resolve(self, revision: str) -> str:
        """The commit a revision names."""
        try:
            found = self.run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        except AssayError as fault:
            if "single revision" not in fault.what:
                raise
            is_empty = not self.run("rev-list", "--all", "--max-count=1").strip()
            what = "the repository has no commit yet" if is_empty else f"no commit is called '{revision}'"
            raise AssayError(what, where=str(self.path)) from None
        return found.decode("ascii").strip()

    def is_shallow(self) -> bool:
        """Cloned without the beginning of its history."""
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def first_parents(self, head: str) -> list[str]:
        """The main line, newest first."""
        return self.run("rev-list", "--first-parent", head, "--").decode("ascii").split()

    def commits(self, base: str, head: str) -> Iterator[Commit]:
        """What is in the history of `head` but not in that of `base`, newest first and children before parents."""
        listed = self.run(
            "log", "-z", "--topo-order", "--encoding=UTF-8", "--no-show-signature", "--no-notes", "--no-mailmap",
            "--format=tformat:%H%n%P%n%B", head, f"^{base}", "--",
        )  # fmt: skip
        for entry in listed.split(b"\0"):
            if entry.strip():
                sha, parents, message = entry.decode("utf-8", "replace").split("\n", 2)
                yield Commit(sha, tuple(parents.split()), message)

    def changes(self, before: str, after: str) -> Iterator[Change]:
        """The files in which two commits differ. Names that are not UTF-8 are not ours to search."""
        listed = self.run(
            "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-commit-id", "-M", "--no-ext-diff", "--no-textconv",
            before, after, "--",
        )  # fmt: skip
        fields = iter(listed.split(b"\0"))
        for head in fields:
            if head:
                old_mode, new_mode, old_blob, new_blob, status = head.decode("ascii").lstrip(":").split(" ")
                old = new = _name(next(fields))
                if status[0] in "RC":
                    new = _name(next(fields))
                yield Change(
                    status[0],
                    old if old_mode in _REGULAR else None,
                    new if new_mode in _REGULAR else None,
                    old_blob if old_mode in _REGULAR else None,
                    new_blob if new_mode in _REGULAR else None,
                )

    def tree(self, commit: str) -> dict[str, str]:
        """Path → blob of every regular file with a name that can be written: no links, no submodules."""
        files = {}
        for entry in self.run("ls-tree", "--full-tree", "-r", "-z", commit, "--").split(b"\0"):
            head, _, name = entry.partition(b"\t")
            path = _name(name)
            if path and is_safe(path):
                mode, _, blob = head.decode("ascii").split(" ")
                if mode in _REGULAR:
                    files[path] = blob
        return files

    def content(self, blob: str) -> bytes | None:
        """None for what is too large or not there (a shallow or partial clone)."""
        source, sink = self._pipes()
        sink.write(f"{blob}\n".encode("ascii"))
        sink.flush()
        head = source.readline().split()
        if len(head) != 3:
            return None
        size = int(head[2])
        data = source.read(size + 1)[:size]
        return data if size <= LARGEST else None

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._contents is None:
            self._contents = subprocess.Popen(  # noqa: S603
                self._command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        assert self._contents.stdin
        assert self._contents.stdout
        return self._contents.stdout, self._contents.stdin


def _environment() -> dict[str, str]:
    """Ours, without what would point git at another repository; the user's own configuration stays."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or "CONFIG" in key}
    return kept | _ENVIRONMENT


def _name(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def is_safe(path: str) -> bool:
    """A path that stays below the folder it is written to."""
    parts = path.split("/")
    return all(part not in {"", ".", ".."} and part.lower() != ".git" for part in parts) and "\\" not in path
