"""What a file says outside its units: its own documentation and the statements it runs. That is the module."""

from __future__ import annotations

import re
from bisect import insort

_LICENCE = re.compile(rb"copyright|licen[cs]ed under|SPDX-License|permission is hereby granted", re.IGNORECASE)
_DIRECTIVE = re.compile(
    rb"\s*(?:#(?:if|ifdef|ifndef|else|elif|endif|define|undef|pragma)\b|#!|extern\s+\"C\"\s*\{\s*$)"
)
_LEAST = 20
"""Letters; less is punctuation that was left over."""
_WORD = re.compile(rb"\w")


class Rest:
    """Collects what belongs to others, and gives what is left."""

    def __init__(self) -> None:
        self._dropped: list[tuple[int, int]] = []

    def drop(self, start: int, end: int) -> None:
        insort(self._dropped, (start, end))

    def comment(self, start: int, end: int, text: bytes) -> None:
        """The licence at the head of every file is nobody's documentation."""
        if start < 4096 and _LICENCE.search(text):
            self.drop(start, end)

    def lines(self, data: bytes) -> bytes:
        """The lines that are left, or nothing where they say nothing."""
        position, parts = 0, []
        for start, end in self._dropped:
            if start > position:
                parts.append(data[position:start])
            position = max(position, end)
        parts.append(data[position:])
        lines = (line.rstrip() for part in parts for line in part.split(b"\n"))
        kept = [line for line in lines if _WORD.search(line) and not _DIRECTIVE.match(line)]
        return b"\n".join(kept) if sum(map(len, kept)) >= _LEAST else b""
