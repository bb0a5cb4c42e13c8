"""Text of unknown origin, made harmless to look at before any renderer escapes it for its own format."""

from __future__ import annotations

import re

from assay.report.blocks import Tone

MARKS: dict[Tone, str] = {"plain": "", "good": "✓", "warn": "!", "bad": "✗"}
"""What a tone looks like where there is no colour, or where a reader cannot tell colours apart."""

_ACTS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, line and paragraph ends, those that turn the direction, and what no file can hold."""
_SHOWN = {"\x7f": "␡", "\u2028": "\n", "\u2029": "\n"}


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    sign = chr(0x2400 + ord(character)) if character < " " else f"⟨U+{ord(character):04X}⟩"
    return _SHOWN.get(character, sign)


def visible(text: str) -> str:
    """The text with nothing in it that acts: control characters, bidirectional overrides and characters that no
    file can hold become visible signs. Line ends of any kind become a newline."""
    if text.isprintable():
        return text
    return _ACTS.sub(_shown, text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Visible text with each run of white space folded to one space."""
    return " ".join(visible(text).split())


def clip(text: str, limit: int) -> str:
    """At most `limit` characters; what was cut is marked."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def clip_middle(text: str, limit: int) -> str:
    """At most `limit` characters, keeping both ends: file names differ at either."""
    if len(text) <= limit:
        return text
    head = limit // 2
    return f"{text[:head].rstrip()}…{text[len(text) - (limit - head - 1) :].lstrip()}"


def moment(text: str) -> str:
    """`2026-11-15T07:18:35.331+00:00` as a person would say it; what is no such time stays as it is."""
    return f"{text[:10]} {text[11:16]} UTC" if text[10:11] == "T" and text.endswith("+00:00") else text


def counted(number: int, one: str, many: str = "") -> str:
    """`1 question`, `2 questions`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def are(number: int) -> str:
    return "is" if number == 1 else "are"


def was(number: int) -> str:
    return "was" if number == 1 else "were"
