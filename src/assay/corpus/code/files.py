"""Which source files are worth cutting. Left out, below the folder that is given:

- what `.gitignore` leaves out, and everything hidden;
- vendored code: folders called node_modules, vendor, third_party, site-packages, ... (`VENDORED`);
- build output: `target`, `dist`, `build`, `out` beside the file that builds them (`BUILT`);
- generated code: files named so (`*_pb2.py`, `*.pb.go`, `*.min.js`, `*.generated.ts`, ...) or marked so in their first
  lines (`DO NOT EDIT`, `@generated`), and minified ones (lines of more than 500 characters on average).

A file that is named itself is never left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
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
_MINIFIED = 500
_CPP = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected):)", re.MULTILINE
)
_CPP_WORDS = (b"class", b"namespace", b"template", b"using", b"public:", b"private:", b"protected:")


def _is_cpp(source: bytes) -> bool:
    """The words are looked for first, because that is quick and most headers hold none of them."""
    return b"::" in source or (any(word in source for word in _CPP_WORDS) and _CPP.search(source) is not None)


@cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: LANGUAGES.get(suffix) for suffix in LANGUAGES.names()}


def language_of(path: str, source: bytes = b"", language: str | None = None) -> Language:
    """By name if one is given, else by suffix; a `.h` is C++ only if it reads like it."""
    known = _by_suffix()
    suffix = Path(path).suffix.lower()
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


def unit_files(root: Path) -> Iterator[Path]:
    """The source files below a folder (or the one file that is named), sorted, without what the rules leave out."""
    if not root.is_dir():
        yield root
        return
    place = Path(os.path.realpath(root))
    yield from _below(root, place, Ignored.above(place), {str(place)})


def source_name(root: Path, file: Path) -> str:
    """What a file is called in ids: as seen from where a relative root was given (`src/a.py` for `src`), so that ids
    are the paths of the repository one stands in; below any other root, relative to it."""
    if root.is_absolute() or ".." in root.parts:
        return file.relative_to(root.parent if root == file else root).as_posix()
    return file.as_posix()


def _below(folder: Path, place: Path, ignored: Ignored, seen: set[str]) -> Iterator[Path]:
    """`place` is the folder as the rules see it: links inside the root are not resolved."""
    ignored = ignored.inside(place)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    siblings = {entry.name for entry in entries}
    for entry in entries:
        path, inner = folder / entry.name, place / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            real = os.path.realpath(path)
            if real in seen or is_passed_over(entry.name, siblings) or ignored.has(inner, is_folder=True):
                continue
            seen.add(real)
            yield from _below(path, inner, ignored, seen)
        elif is_source(path) and not ignored.has(inner, is_folder=False) and not is_generated(path):
            yield path


def is_passed_over(name: str, siblings: set[str]) -> bool:
    """A folder of vendored code or build output."""
    return name in VENDORED or not siblings.isdisjoint(BUILT.get(name, ()))


def is_generated(path: Path) -> bool:
    """By its name, its first lines, or the length of its lines."""
    if _GENERATED_NAME.search(path.name):
        return True
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return _GENERATED_MARK.search(head) is not None or len(head) > _MINIFIED * (head.count(b"\n") + 1)
