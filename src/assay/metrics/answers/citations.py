"""Citations in an answer: which chunks it names, and whether they are the right ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePath

from msgspec import Struct

from assay.records import Score

_BRACKETS = re.compile(r"(?:\[([^\[\]\n]{1,200})\](?!\()|【([^【】\n]{1,200})】)")
_NUMBERS = re.compile(r"\d{1,4}(?:\s*[-–]\s*\d{1,4})?(?:\s*[,;]\s*\d{1,4}(?:\s*[-–]\s*\d{1,4})?)*")
_PAGE = re.compile(r"(.+?)[\s,]+(?:p|pp|page|pages)\.?\s*(\d+)", re.IGNORECASE)
_ID = re.compile(r"(?=.*\w)(?=.*[\d._/:-])\S+")
_SPAN = 50
"""A range of numbers longer than this is no citation but a figure."""


class Passage(Struct, frozen=True):
    """A chunk as the generator saw it; its number is its place in the prompt, from 1."""

    id: str
    source: str = ""
    page: int | None = None


class CitationScores(Struct, frozen=True):
    precision: Score
    recall: Score


def citations(answer: str) -> list[str]:
    """What the answer cites, each once, in its order: `[1]`, `[2, 4]`, `[1-3]`, `[doc p.3]`, `[chunk-id]`.

    Brackets around plain words (`[sic]`) and links are no citations.

    >>> citations("Force 4 [1, 3], signed [safety-manual.pdf p. 3] [sic].")
    ['1', '3', 'safety-manual.pdf p. 3']
    """
    found: dict[str, None] = {}
    for match in _BRACKETS.finditer(answer):
        text = _inside(match)
        if _NUMBERS.fullmatch(text):
            found.update(dict.fromkeys(_listed(text)))
        elif _is_citation(match):
            found[text] = None
    return list(found)


def _inside(match: re.Match[str]) -> str:
    return (match[1] or match[2]).strip()


def _is_citation(match: re.Match[str]) -> bool:
    text = _inside(match)
    if _NUMBERS.fullmatch(text):
        return bool(_listed(text))
    return bool(_PAGE.fullmatch(text) or _ID.fullmatch(text))


def without_citations(answer: str) -> str:
    """What the answer says, without its marks of citation; one that is nothing but marks stays as it is.

    >>> without_citations("Force 4 [1, 3], signed [sic] by her [safety-manual.pdf p. 3].")
    'Force 4, signed [sic] by her.'
    """
    parts, start = [], 0
    for match in filter(_is_citation, _BRACKETS.finditer(answer)):
        parts.append(answer[start : match.start()].rstrip(" \t\u00a0"))
        start = match.end()
    parts.append(answer[start:])
    return "".join(parts).strip() or answer


def citation_scores(answer: str, shown: Sequence[Passage], expected: Collection[str]) -> CitationScores:
    """Precision: citations of an expected chunk / citations. Recall: expected chunks that are cited / expected chunks.

    A citation of a page stands for every shown chunk of that page; one that leads to nothing that was shown is
    wrong. Undefined for an answer that cites nothing, and where no chunk is expected. After ALCE (Gao et al. 2023),
    with the expected chunks of the gold set in place of a model's opinion of what supports what.
    """
    cited = [set(resolve(mark, shown)) for mark in citations(answer)]
    if not cited or not expected:
        reason = "the answer cites nothing" if not cited else "no chunk is expected"
        return CitationScores(Score(None, "undefined", reason), Score(None, "undefined", reason))
    wanted = set(expected)
    precision = sum(bool(ids & wanted) for ids in cited) / len(cited)
    return CitationScores(Score(precision), Score(len(wanted & set().union(*cited)) / len(wanted)))


def resolve(mark: str, shown: Sequence[Passage]) -> list[str]:
    """The ids of the shown chunks a citation stands for."""
    if mark.isascii() and mark.isdigit():
        place = int(mark)
        return [shown[place - 1].id] if 1 <= place <= len(shown) else []
    if named := [passage.id for passage in shown if passage.id == mark]:
        return named
    page = _PAGE.fullmatch(mark)
    name, number = (page[1], int(page[2])) if page else (mark, None)
    return [
        passage.id
        for passage in shown
        if _is_called(passage.source, name) and (number is None or passage.page == number)
    ]


def _is_called(source: str, name: str) -> bool:
    """By the file's name, with or without its ending and folders."""
    path = PurePath(source.casefold())
    return bool(source) and name.strip().casefold() in (str(path), path.name, path.stem)


def _listed(text: str) -> list[str]:
    marks: list[str] = []
    for part in re.split(r"[,;]", text):
        first, _, last = re.sub(r"\s", "", part).replace("–", "-").partition("-")
        start, end = int(first), int(last or first)
        if start <= end <= start + _SPAN:
            marks += map(str, range(start, end + 1))
    return marks
