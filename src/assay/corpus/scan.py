"""Which files a corpus is made of, and what they are called in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from assay.corpus.readers import CHUNK_READERS, MEMORY_READERS, READERS
from assay.errors import AssayError
from assay.records import Lane

_DATABASES = {".db", ".sqlite", ".sqlite3"}
_RUN = "a run of Assay: the questions stand in its reports"
_REPORT = "a report on a gold set: the questions stand in it"
"""A corpus that holds the questions of its own test finds them, and every measure is too good."""


class Sources(Struct, frozen=True, kw_only=True):
    """What a corpus is made of: folders and files, by lane."""

    documents: tuple[Path, ...] = ()
    code: tuple[Path, ...] = ()
    memories: tuple[Path, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        return (*self.documents, *self.code, *self.memories)


class Found(Struct, frozen=True):
    """A file that can be read."""

    path: Path
    name: str
    """Relative to the folder that was given, with `/`; the source of its chunks and the beginning of their ids."""
    size: int
    mtime_ns: int
    is_named: bool
    """Given itself rather than found in a folder: then a fault in ready-made chunks is the user's to mend."""
    lane: Lane = "document"

    @property
    def key(self) -> str:
        """What the index knows the file by; one file may be in several lanes."""
        return self.name if self.lane == "document" else f"{self.lane}:{self.name}"

    @property
    def is_ready(self) -> bool:
        """It holds chunks, rather than text that is cut into some."""
        return self.lane == "memory" or (self.lane == "document" and self.path.suffix.lower() in CHUNK_READERS.names())


def name_of(key: str) -> str:
    """A file's name as people know it: its key without the lane."""
    return key if lane_of(key) == "document" else key.partition(":")[2]


def lane_of(key: str) -> Lane:
    lane, _, name = key.partition(":")
    if name and lane == "memory":
        return "memory"
    return "code" if name and lane == "code" else "document"


class Problem(Struct, frozen=True):
    """A file that could not be used, and why."""

    file: str
    reason: str


class Scan(Struct, frozen=True):
    files: list[Found]
    problems: list[Problem]
    skipped: dict[str, int]
    """Suffixes no reader is for → number of files."""
    left_out: list[Problem]
    """What looks as if nobody wrote it: generated source files, runs and reports of Assay."""


def scan(sources: Sources, out: Path) -> Scan:
    """Files of the given folders (all below, hidden ones left out) and the given files, sorted by name."""
    result = Scan([], [], {}, [])
    seen: dict[str, Path] = {}
    for path in sources.documents:
        is_named = _is_file(path)
        for file in [path] if is_named else _walk(path, result):
            name = safe_name(file.relative_to(path.parent if is_named else path).as_posix())
            if file.name == out.name and _is_same(file, out):
                _refuse_own(file, is_named=is_named)
            elif not is_named and _is_report(file):
                result.left_out.append(Problem(name, _REPORT))
            elif not _is_beside_beir(file) and _is_first(seen, name, file):
                _add_document(result, file, name, is_named=is_named)
    _scan_code(sources.code, result)
    _scan_memories(sources.memories, result)
    result.files.sort(key=lambda found: found.key)
    named = {file.name for file in result.files if file.lane == "code"}
    result.left_out[:] = [each for each in result.left_out if each.file not in named]
    return result


def _scan_code(paths: Sequence[Path], result: Scan) -> None:
    from assay.corpus.code.files import UNREADABLE, is_source, source_name, unit_files

    seen: dict[str, Path] = {}
    for path in paths:
        is_named = _is_file(path)
        if is_named and not is_source(path):
            raise AssayError("no grammar for this kind of file", where=str(path), expected="source code")

        def left_out(file: Path, reason: str, root: Path = path) -> None:
            name = safe_name(source_name(root, file))
            told = result.problems if reason.startswith(UNREADABLE) else result.left_out
            told.append(Problem(f"{name}/" if file.is_dir() else name, reason))

        for file in unit_files(path, left_out):
            name = safe_name(source_name(path, file))
            if _is_first(seen, name, file):
                _add(result, file, name, is_named=is_named, lane="code")


def _scan_memories(paths: Sequence[Path], result: Scan) -> None:
    seen: dict[str, Path] = {}
    for path in paths:
        is_named = _is_file(path)
        for file in [path] if is_named else _walk(path, result):
            name = safe_name(file.relative_to(path.parent if is_named else path).as_posix())
            is_known = file.suffix.lower() in MEMORY_READERS.names()
            if is_named and not is_known:
                raise AssayError("holds no memories", where=str(path), expected=", ".join(MEMORY_READERS.names()))
            if is_known and _is_first(seen, name, file):
                _add(result, file, name, is_named=is_named, lane="memory")


def _is_file(path: Path) -> bool:
    if not path.exists():
        raise AssayError("no such file or folder", where=str(path))
    return not path.is_dir()


def _is_first(seen: dict[str, Path], name: str, file: Path) -> bool:
    """False for a file that was already found; two files of one name are an error."""
    known = seen.setdefault(name, file)
    if not _is_same(known, file):
        hint = "Index a folder that holds both, or rename one."
        raise AssayError(f"would be called '{name}', as {known} is", where=str(file), hint=hint)
    return known is file


def _add_document(result: Scan, file: Path, name: str, *, is_named: bool) -> None:
    suffix = file.suffix.lower()
    known = suffix in READERS.names() or (suffix in CHUNK_READERS.names() and (is_named or suffix not in _DATABASES))
    if not known:
        if is_named:
            known_suffixes = sorted({*READERS.names(), *CHUNK_READERS.names()})
            raise AssayError("no reader for this kind of file", where=name, expected=", ".join(known_suffixes))
        result.skipped[suffix or "no suffix"] = result.skipped.get(suffix or "no suffix", 0) + 1
        return
    _add(result, file, name, is_named=is_named, lane="document")


def _add(result: Scan, file: Path, name: str, *, is_named: bool, lane: Lane) -> None:
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
        result.files.append(Found(file, name, status.st_size, status.st_mtime_ns, is_named, lane))


def _walk(root: Path, result: Scan) -> Iterator[Path]:
    """Files below a folder. Links are followed; a folder that was already seen is not entered again, and one that
    cannot be read, or is a run, is told."""

    def name_of_folder(folder: str) -> str:
        return f"{safe_name(Path(folder).relative_to(root).as_posix())}/"

    def tell(fault: OSError) -> None:
        result.problems.append(Problem(name_of_folder(fault.filename), f"cannot be read: {fault.strerror}"))

    seen: set[str] = set()
    for folder, names, files in os.walk(root, onerror=tell, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            names.clear()
            continue
        seen.add(real)
        if Path(folder) != root and {"manifest.json", "results.jsonl"}.issubset(files):
            result.left_out.append(Problem(name_of_folder(folder), _RUN))
            names.clear()
            continue
        names[:] = sorted(name for name in names if not name.startswith("."))
        yield from (Path(folder) / name for name in sorted(files) if not name.startswith("."))


def _refuse_own(file: Path, *, is_named: bool) -> None:
    """An index found in its own corpus is passed over; one that is named to go into itself is a mistake."""
    if is_named:
        raise AssayError("is the index that would be written", where=str(file), hint="Choose another --out.")


def _is_report(file: Path) -> bool:
    """As `assay gold build` writes it beside the set: `gold.report.md` beside `gold.json`."""
    stem, dot, kind = file.name.rpartition(".report.")
    return bool(dot) and kind in {"html", "json", "md"} and file.with_name(f"{stem}.json").is_file()


def _is_beside_beir(file: Path) -> bool:
    """BEIR folders hold the questions beside the corpus, in the same form, and their judgements in a folder; those that
    `assay gold convert` writes also say what BEIR has no place for."""
    if file.parent.name == "qrels":
        return file.suffix == ".tsv" and (file.parent.parent / "corpus.jsonl").exists()
    return file.name in {"queries.jsonl", "assay.json"} and file.with_name("corpus.jsonl").exists()


def _is_same(a: Path, b: Path) -> bool:
    return os.path.realpath(a) == os.path.realpath(b)


def safe_name(name: str) -> str:
    """A name whose bytes are not UTF-8 is shown with replacement characters."""
    return os.fsencode(name).decode("utf-8", "replace")
