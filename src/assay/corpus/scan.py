"""Which files a corpus is made of, and what they are called in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from assay.corpus.readers import CHUNK_READERS, READERS
from assay.errors import AssayError

_DATABASES = {".db", ".sqlite", ".sqlite3"}


class Found(Struct, frozen=True):
    """A file that can be read."""

    path: Path
    name: str
    """Relative to the folder that was given, with `/`; the source of its chunks and the beginning of their ids."""
    size: int
    mtime_ns: int
    is_named: bool
    """Given itself rather than found in a folder: then a fault in ready-made chunks is the user's to mend."""

    @property
    def is_ready(self) -> bool:
        return self.path.suffix.lower() in CHUNK_READERS.names()


class Problem(Struct, frozen=True):
    """A file that could not be used, and why."""

    file: str
    reason: str


class Scan(Struct, frozen=True):
    files: list[Found]
    problems: list[Problem]
    skipped: dict[str, int]
    """Suffixes no reader is for → number of files."""


def scan(paths: Sequence[Path], out: Path) -> Scan:
    """Files of the given folders (all below, hidden ones left out) and the given files, sorted by name."""
    result = Scan([], [], {})
    seen: dict[str, Path] = {}
    for path in paths:
        if not path.exists():
            raise AssayError("no such file or folder", where=str(path))
        is_named = not path.is_dir()
        root = path.parent if is_named else path
        for file in [path] if is_named else _walk(path):
            name = safe_name(file.relative_to(root).as_posix())
            if file.name == out.name and _is_same(file, out):
                _refuse_own(file, is_named=is_named)
                continue
            if _is_beir_queries(file):
                continue
            if name in seen and not _is_same(seen[name], file):
                hint = "Index a folder that holds both, or rename one."
                raise AssayError(f"would be called '{name}', as {seen[name]} is", where=str(file), hint=hint)
            if name not in seen:
                seen[name] = file
                _add(result, file, name, is_named=is_named)
    result.files.sort(key=lambda found: found.name)
    return result


def _add(result: Scan, file: Path, name: str, *, is_named: bool) -> None:
    suffix = file.suffix.lower()
    known = suffix in READERS.names() or (suffix in CHUNK_READERS.names() and (is_named or suffix not in _DATABASES))
    if not known:
        if is_named:
            known_suffixes = sorted({*READERS.names(), *CHUNK_READERS.names()})
            raise AssayError("no reader for this kind of file", where=name, expected=", ".join(known_suffixes))
        result.skipped[suffix or "no suffix"] = result.skipped.get(suffix or "no suffix", 0) + 1
        return
    try:
        status = file.stat()
    except OSError as fault:
        result.problems.append(Problem(name, f"cannot be read: {fault.strerror}"))
        return
    if not stat.S_ISREG(status.st_mode):
        result.problems.append(Problem(name, "not a regular file"))
    elif not os.access(file, os.R_OK):
        result.problems.append(Problem(name, "cannot be read: Permission denied"))
    else:
        result.files.append(Found(file, name, status.st_size, status.st_mtime_ns, is_named))


def _walk(root: Path) -> Iterator[Path]:
    """Files below a folder. Links are followed; a folder that was already seen is not entered again."""
    seen: set[str] = set()
    for folder, names, files in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            names.clear()
            continue
        seen.add(real)
        names[:] = sorted(name for name in names if not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(files) if not name.startswith("."))


def _refuse_own(file: Path, *, is_named: bool) -> None:
    """An index found in its own corpus is passed over; one that is named to go into itself is a mistake."""
    if is_named:
        raise AssayError("is the index that would be written", where=str(file), hint="Choose another --out.")


def _is_beir_queries(file: Path) -> bool:
    """BEIR folders hold the questions beside the corpus, in the same form."""
    return file.name == "queries.jsonl" and file.with_name("corpus.jsonl").exists()


def _is_same(a: Path, b: Path) -> bool:
    return os.path.realpath(a) == os.path.realpath(b)


def safe_name(name: str) -> str:
    """A name whose bytes are not UTF-8 is shown with replacement characters."""
    return os.fsencode(name).decode("utf-8", "replace")
