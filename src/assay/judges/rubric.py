"""Rubrics: Markdown files with written anchors for each grade of each dimension, in the package or the user's own."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError, unknown_name
from assay.files import read_text
from assay.judges.judgment import DIMENSIONS

_FOLDER = Path(__file__).parent
_TITLE = re.compile(r"# (?P<name>.+?), version (?P<version>\S+)")
_SECTION = re.compile(r"^## (\w+)[^\n]*\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ANCHOR = re.compile(r"^- ([1-5]): \S", re.MULTILINE)


class Rubric(Struct, frozen=True, kw_only=True):
    """What the grades mean."""

    name: str
    version: str
    language: str
    text: str

    @property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()


def load_rubric(name: str = "default", language: str = "en") -> Rubric:
    """One of the package, or a file: `default`, `rubrics/strict.md`."""
    path = Path(name)
    if path.suffix == ".md":
        return parse_rubric(read_text(path), language, str(path))
    known = {file.name.split(".")[0] for file in (_FOLDER / "rubrics").glob("*.md")}
    if name not in known:
        raise unknown_name("rubric", name, known)
    check_language(language)
    path = _FOLDER / "rubrics" / f"{name}.{language}.md"
    return parse_rubric(read_text(path), language, path.name)


def check_language(language: str) -> None:
    """The judge is instructed in a language the package has a text for."""
    known = {file.name.split(".")[1] for file in (_FOLDER / "prompts").glob("judge.*.md")}
    if language not in known:
        raise unknown_name("language of a judge", language, known)


@cache
def instructions(language: str) -> str:
    """What the judge is told beside the rubric."""
    check_language(language)
    return read_text(_FOLDER / "prompts" / f"judge.{language}.md")


def parse_rubric(text: str, language: str, where: str) -> Rubric:
    """A rubric must have a title with a version, and five anchors for each of the five dimensions."""
    title = _TITLE.match(text)
    if title is None:
        raise AssayError("no title", where=f"{where}:1", expected="'# NAME, version N' in the first line")
    anchors = {match[1]: (match.start(), _ANCHOR.findall(match[2])) for match in _SECTION.finditer(text)}
    for dimension in DIMENSIONS:
        if dimension not in anchors:
            raise AssayError(f"no section '## {dimension}'", where=where, hint=f"Needed: {', '.join(DIMENSIONS)}")
        start, found = anchors[dimension]
        if sorted(found) != list("12345"):
            line = text.count("\n", 0, start) + 1
            raise AssayError(
                f"{dimension} has anchors for {', '.join(found) or 'no grade'}",
                where=f"{where}:{line}",
                expected="one line '- N: ...' for each grade from 1 to 5",
            )
    return Rubric(name=title["name"], version=title["version"], language=language, text=text)
