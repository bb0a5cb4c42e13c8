"""Sentences, by their marks alone: enough to look at what an answer says piece by piece."""

from __future__ import annotations

import re

_ABBREVIATIONS = r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bcf\.)(?<!\bp\.)(?<!\bpp\.)"
_END = re.compile(rf"([.!?…]{_ABBREVIATIONS}[\"”»)\]]*)\s+(?!\d)")
_BREAK = re.compile(r"(?:^|\n\s*\n|\n)\s*[-*•]\s+|\n\s*\n")


def sentences(text: str) -> list[str]:
    """The text cut after `.`, `!`, `?` or `…` before white space, at empty lines and at list marks.

    >>> sentences("No. The limit, see p. 4, is Force 4. Is that clear?")
    ['No.', 'The limit, see p. 4, is Force 4.', 'Is that clear?']
    """
    parts = _BREAK.split(_END.sub("\\1\n\n", text))
    return [piece for piece in (" ".join(part.split()) for part in parts) if piece]
