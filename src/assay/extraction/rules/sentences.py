"""A conversation as sentences. Names of speakers, quoted mails (`>`), markup and signatures are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

LONGEST = 1_000
"""Characters; what is longer without an end is cut, so that no text costs more than its length."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>")
_SIGNATURE = re.compile(r"^--\s*$", re.MULTILINE)
_SPEAKER = re.compile(r"^(?:\[[^\]\n]{1,30}\]\s*)?(?:[^\W\d_][\w'’.-]{0,30}(?: [\w'’.-]{1,30}){0,2})\s?:\s+")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_END = re.compile(r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bSt\.)(?<=[.!?;…])[\"'”»)]?\s+(?!\d{1,2}h?\b\s*(?:am|pm)\b)")
_SHORT_LINE, _FULL_LINE = 60, 100
"""A line is put to the one before if that has at least the second length, or the first and it begins small."""


class Sentence(Struct, frozen=True):
    """Some words that end, and the last short line without an end above them."""

    text: str
    heading: str = ""


def sentences(text: str) -> list[Sentence]:
    """In the order of the text."""
    found: list[Sentence] = []
    heading = ""
    for line in _lines(text):
        match = _SPEAKER.match(line)
        said = line[match.end() :] if match else _BULLET.sub("", line)
        found += [Sentence(part[:LONGEST], heading) for part in map(str.strip, _END.split(said)) if part]
        if not match and len(line) < _SHORT_LINE and line[-1:] not in ".!?;,":
            heading = line.rstrip(":").strip()
    return found


def _lines(text: str) -> Iterator[str]:
    """Lines with those that were wrapped put together again; a blank line always ends one."""
    text = _SIGNATURE.split(_TAG.sub(" ", _COMMENT.sub(" ", text)), maxsplit=1)[0]
    whole = ""
    for line in text.splitlines():
        line = line.strip()
        if _goes_on(whole, line):
            whole = f"{whole} {line}"
            continue
        if whole and not whole.startswith(">"):
            yield whole
        whole = line
    if whole and not whole.startswith(">"):
        yield whole


def _goes_on(whole: str, line: str) -> bool:
    if (
        not line
        or len(whole) > 10 * LONGEST
        or whole[-1:] in set(".!?;:")
        or _BULLET.match(line)
        or _SPEAKER.match(line)
    ):
        return False
    return len(whole) >= (_SHORT_LINE if line[0].islower() else _FULL_LINE)
