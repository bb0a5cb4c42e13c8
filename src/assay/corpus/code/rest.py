"""What a file says outside its units: its own documentation and the statements it runs. That is the module."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_HEAD = 4096
"""Bytes in which a licence is looked for."""
_LICENSED = (b"licensed under", b"licenced under", b"spdx-license")
_DIRECTIVE = re.compile(
    rb"\s*(?:#(?:if|ifdef|ifndef|else|elif|endif|define|undef|pragma)\b|#!|extern\s+\"C\"\s*\{\s*$)"
)
_DIRECTIVE_SIGNS = (b"#", b"extern")
"""Quick to find."""
_LEAST = 20
"""Letters; less is punctuation that was left over."""
_WORD = re.compile(rb"\w")


def _has_licence(text: bytes) -> bool:
    text = text.lower()
    if b"copyright" in text or b"permission is hereby granted" in text:
        return True
    return b"licen" in text and any(sign in text for sign in _LICENSED)


def _comments(node: Node, kinds: tuple[str, ...]) -> Iterator[Node]:
    """Those at the head of a file, inside `#ifndef … #endif` too."""
    for child in node.children:
        if child.start_byte > _HEAD:
            return
        if child.type in kinds:
            yield child
        elif child.type.startswith("preproc_if"):
            yield from _comments(child, kinds)


class Rest:
    """Collects what belongs to others, and gives what is left."""

    def __init__(self) -> None:
        self._dropped: list[tuple[int, int]] = []

    def drop(self, start: int, end: int) -> None:
        self._dropped.append((start, end))

    def drop_licence(self, data: bytes, root: Node, kinds: tuple[str, ...]) -> None:
        """The licence at the head of every file is nobody's documentation."""
        if not _has_licence(data[:_HEAD]):
            return
        for node in _comments(root, kinds):
            if _has_licence(data[node.start_byte : node.end_byte]):
                self.drop(node.start_byte, node.end_byte)

    def lines(self, data: bytes) -> bytes:
        """The lines that are left, or nothing where they say nothing."""
        position, parts = 0, []
        for start, end in sorted(self._dropped):
            if start > position and not (part := data[position:start]).isspace():
                parts.append(part)
            position = max(position, end)
        parts.append(data[position:])
        kept = [line.rstrip() for line in b"\n".join(parts).split(b"\n") if _WORD.search(line)]
        rest = b"\n".join(kept)
        if any(sign in rest for sign in _DIRECTIVE_SIGNS):
            kept = [line for line in kept if not _DIRECTIVE.match(line)]
            rest = b"\n".join(kept)
        return rest if sum(map(len, kept)) >= _LEAST else b""
