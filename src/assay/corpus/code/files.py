"""Which source files are worth cutting. Left out, below the folder that is given:

- what `.gitignore` leaves out, and everything hidden;
- vendored code: folders called node_modules, vendor, third_party, site-packages, ... (`VENDORED`);
- build output: `target`, `dist`, `build`, `out` beside the file that builds them (`BUILT`);
- generated code: files named so (`*_pb2.py`, `*.pb.go`, `*.min.js`, `*.generated.ts`, ...) or marked so in their first
  lines (`DO NOT EDIT`, `@generated`), and minified ones (lines of more than 500 characters on average);
- binary files that are named like source, as videos called `.ts`.

A file that is named itself is never left out.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from assay.corpus.code.ignore import Ignored
from assay.corpus.code.language import LANGUAGES, Language
from assay.errors import unknown_name

VENDORED = {"node_modules", "bower_components", "jspm_packages", "vendor", "vendored", "_vendor", "third_party"}
VENDORED |= {"third-party", "thirdparty", "site-packages", "dist-packages", "__pycache__", "venv", "virtualenv"}
VENDORED |= {"Pods", "Carthage"}
_BUILDERS = ("package.json", "pyproject.toml", "setup.py", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts")
BUILT = dict.fromkeys(("target", "dist", "build", "out"), (*_BUILDERS, "CMakeLists.txt", "Makefile"))
"""Folders that are build output when one of these files stands beside them."""

_GENERATED_NAME = re.compile(
    r"_pb2(?:_grpc)?\.pyi?$|\.pb(?:\.gw)?\.go$|\.pb\.(?:h|cc)$|[._-]min\.[cm]?js$|[._]generated\.\w+$|\.gen\.\w+$"
    r"|^zz_generated|[._-]bundle\.js$|\.g\.ts$",
    re.IGNORECASE,
)
_GENERATED_MARK = re.compile(
    rb"^[^\n\w]*(?:code generated\b.*\bdo not edit|@generated\b|(?:this file (?:is|was) )?(?:auto(?:matically)?[- ]?"
    rb"generated)\b.*(?:do not (?:edit|modify|change)|by\b))",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 2048
_BINARY_HEAD = 8000
"""Bytes in which git, too, looks for a NUL."""
_MINIFIED = 500
_CPP = {
    word: re.compile(word + further)
    for word, further in {
        b"class": rb"\s+\w",
        b"namespace": rb"\b",
        b"template": rb"\s*<",
        b"using": rb"\s+\w",
        b"public:": b"",
        b"private:": b"",
        b"protected:": b"",
    }.items()
}
"""With nothing before it on its line."""
_SCOPE = re.compile(rb"::")
"""So short that an expression finds it quicker than `in`."""


def _is_cpp(source: bytes) -> bool:
    """Each pattern begins with a word, because that is quick to find."""
    return _SCOPE.search(source) is not None or any(
        not source[source.rfind(b"\n", 0, found.start()) + 1 : found.start()].strip()
        for word, pattern in _CPP.items()
        if word in source
        for found in pattern.finditer(source)
    )


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: LANGUAGES.get(suffix) for suffix in LANGUAGES.names()}


def language_of(path: str, source: bytes = b"", language: str | None = None) -> Language:
    """By name if one is given, else by suffix; a `.h` is C++ only if it reads like it."""
    known = _by_suffix()
    suffix = path[path.rfind(".") :].lower() if "." in path else ""
    if language is None:
        if suffix not in known:
            raise unknown_name("kind of source file", suffix or path, known)
        return known[".c"] if suffix == ".h" and not _is_cpp(source) else known[suffix]
    by_name: dict[str, Language] = {}
    for each in known.values():
        # Of the grammars of one language the one for this suffix is best.
        if each.name not in by_name or suffix in each.suffixes:
            by_name[each.name] = each
    if language not in by_name:
        raise unknown_name("programming language", language, by_name)
    return by_name[language]


def is_source(path: Path) -> bool:
    return path.suffix.lower() in _by_suffix()


UNREADABLE = "cannot be read"
"""A reason that is a fault, not a rule."""
LeftOut = Callable[[Path, str], None]
"""Called with each folder or file that looks as if nobody wrote it, and why."""


def unit_files(root: Path, left_out: LeftOut = lambda _path, _reason: None) -> Iterator[Path]:
    """The source files below a folder (or the one file that is named), sorted, without what the rules leave out."""
    if not root.is_dir():
        yield root
        return
    place = Path(os.path.realpath(root))
    yield from _Tree(left_out, {str(place)}).below(root, place, Ignored.above(place))


def source_name(root: Path, file: Path) -> str:
    """What a file is called in ids: as seen from where a relative root was given (`src/a.py` for `src`), so that ids
    are the paths of the repository one stands in; below any other root, relative to it."""
    if root.is_absolute() or ".." in root.parts:
        return file.relative_to(root.parent if root == file else root).as_posix()
    return file.as_posix()


class _Tree:
    """The way down from a root."""

    def __init__(self, left_out: LeftOut, seen: set[str]) -> None:
        self._left_out, self._seen = left_out, seen

    def below(self, folder: Path, place: Path, ignored: Ignored) -> Iterator[Path]:
        """`place` is the folder as the rules see it: links inside the root are not resolved."""
        ignored = ignored.inside(place)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as fault:
            self._left_out(folder, f"{UNREADABLE}: {fault.strerror}")
            return
        siblings = {entry.name for entry in entries}
        for entry in entries:
            path, inner = folder / entry.name, place / entry.name
            is_folder = entry.is_dir()
            if (
                entry.name.startswith(".")
                or not (is_folder or is_source(path))
                or ignored.has(inner, is_folder=is_folder)
            ):
                continue
            reason = folder_reason(entry.name, siblings) if is_folder else file_reason(path)
            if reason is not None:
                self._left_out(path, reason)
            elif not is_folder:
                yield path
            elif (real := os.path.realpath(path)) not in self._seen:
                self._seen.add(real)
                yield from self.below(path, inner, ignored)


def folder_reason(name: str, siblings: set[str]) -> str | None:
    """Why a folder is passed over; None: it is not."""
    if name in VENDORED:
        return "vendored code"
    return None if siblings.isdisjoint(BUILT.get(name, ())) else "build output"


def is_binary(source: bytes) -> bool:
    """With a NUL near its beginning, unless that is UTF-16 and says so."""
    return source.find(b"\0", 0, _BINARY_HEAD) >= 0 and not source.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


BINARY = "binary, no source code"


def file_reason(path: Path) -> str | None:
    """Why a file is passed over: it is binary, or taken for generated by its name, its first lines, or the length of
    its lines. None: it is not."""
    if _GENERATED_NAME.search(path.name):
        return "named as generated code is"
    try:
        # To open a pipe is to wait for its writer.
        if not path.is_file():
            return None
        with path.open("rb") as file:
            head = file.read(_BINARY_HEAD)
    except OSError:
        return None
    if is_binary(head):
        return BINARY
    head = head[:_HEAD]
    if _GENERATED_MARK.search(head) is not None:
        return "marked as generated"
    is_minified = len(head) > _MINIFIED * (head.count(b"\n") + 1)
    return f"minified: more than {_MINIFIED} characters a line" if is_minified else None
