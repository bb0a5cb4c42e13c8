"""A gold set on its way in: a pipe is read once and kept, and a file that changes while it is read is refused."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from assay.errors import AssayError
from assay.files import parse_json

STDIN = Path("-")
_KEPT: dict[tuple[str, int, int], Path] = {}
"""What was read from pipes, by name and node: it can be read only once, and is asked for several times. The copies
are gone with the process."""


def resting(path: Path) -> Path:
    """A path that can be read again and again: the given one, or a copy of what comes through a pipe.

    `-` is standard input. A copy is named after its form, which a pipe's name does not tell.
    """
    if not is_passing(path):
        return path
    node = path.stat() if path.exists() else None
    return _kept((str(path), node.st_dev, node.st_ino) if node else (str(path), 0, 0), path)


def is_passing(path: Path) -> bool:
    """Whether it is no file of its own: a pipe, standard input, what a shell puts under /dev/fd."""
    if not path.exists():
        return path == STDIN
    beyond = path.is_relative_to("/dev") or path.is_relative_to("/proc")
    return not path.is_dir() and (beyond or not path.is_file())


def _kept(key: tuple[str, int, int], path: Path) -> Path:
    if key not in _KEPT:
        try:
            data = path.read_bytes() if path.exists() else sys.stdin.buffer.read()
        except OSError as fault:
            raise AssayError(f"cannot be read: {fault.strerror}", where=str(path)) from None
        folder = mkdtemp(prefix="assay-")
        atexit.register(rmtree, folder, ignore_errors=True)
        name = "stdin" if path.name in {"-", "stdin"} else "pipe"
        copy = Path(folder) / f"{name}{_ending(data)}"
        copy.write_bytes(data)
        _KEPT[key] = copy
    return _KEPT[key]


def _ending(data: bytes) -> str:
    """By what is there: a JSON document, JSON lines, or a table. What is broken is told by who reads it."""
    text = data.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith(("{", "[")):
        return ".csv"
    try:
        document = parse_json(text, "")
    except AssayError:
        return ".jsonl" if text.startswith("{") and "\n" in text.strip() and _is_json(text.splitlines()[0]) else ".json"
    is_line = isinstance(document, dict) and document.keys().isdisjoint({"questions", "cases", "data"})
    return ".jsonl" if is_line else ".json"


def _is_json(line: str) -> bool:
    try:
        parse_json(line, "")
    except AssayError:
        return False
    return True


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """What is read inside is one state of the file, or of the folder's files: its hash is that of its questions."""
    before = _state(path)
    yield
    if _state(path) != before:
        raise AssayError("changed while it was read", where=str(path), hint="Start again")


def _state(path: Path) -> list[tuple[int, int, int, int]]:
    """A file that is written anew in place has another time, one that is replaced another node."""
    files = [path / "queries.jsonl", *sorted((path / "qrels").glob("*.tsv"))] if path.is_dir() else [path]
    found = [file.stat() for file in files if file.exists()]
    return [(each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for each in found]
