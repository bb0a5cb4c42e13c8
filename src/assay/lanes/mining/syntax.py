"""What a file says to the machine: its syntax tree without comments, documentation and everything that is layout.

The tree holds what parentheses, semicolons and last commas are for, so that those may come and go as formatters like.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from assay.corpus.code.files import language_of
from assay.corpus.code.parsing import parse

if TYPE_CHECKING:
    from tree_sitter import Node

Token = tuple[int, str, str]
"""How deep a node lies, its type, and its text if nothing is in it."""
Span = tuple[int, int]
"""Bytes of a file: the first, and the first after it."""

_GROUPS = {"parenthesized_expression", "parenthesized_type"}
"""As good as not there."""
_LISTS = {"block", "statement_list", "module", "program", "source_file", "translation_unit"}
"""May begin where their first part does, and be no longer than it."""
_SAME = {"tuple": "expression_list", "tuple_pattern": "pattern_list"}
"""With parentheses and without."""
_MAYBE_GROUPED = {*_GROUPS, *_SAME, "import_from_statement", "with_clause"}
_CLOSING = {")", "]", "}", ">"}
_LISTED_BY_EITHER = {"interface_body", "object_type"}
"""Whose parts stand between commas or semicolons."""
_LAID_OUT = {"preproc_arg", "jsx_text"}
"""Leaves whose white space is layout."""
_ESCAPE = re.compile(r"\\([\s\S])")
_NUMBERS = {"float", "number", "float_literal", "number_literal"}
_OPEN_END = re.compile(r"^(?=\.)|(?<=\.)(?!\d)")
_PARAMETER = re.compile(rb"\(\s*([\w$]+)\s*,?\s*\)")


class Syntax:
    """Of one file."""

    def __init__(self, path: str, data: bytes) -> None:
        self._language, self._data = language_of(path, data), data
        self._tree = parse(self._language, data)

    def tokens(self, span: Span, without: Sequence[Span] = ()) -> list[Token]:
        """Of the nodes that begin there, but for those of other places inside; depth is counted from the highest."""
        holes = _outermost(without)
        found = [(depth, *said) for depth, node in self._nodes(span, holes) if (said := self._said(node))]
        highest = min((depth for depth, *_ in found), default=0)
        return [(depth - highest, kind, text) for depth, kind, text in found]

    def _nodes(self, span: Span, holes: Sequence[Span]) -> Iterator[tuple[int, Node]]:
        """In the order of the file."""
        (start, end), starts = span, [first for first, _ in holes]
        open_, has_begun = [(0, self._tree.root_node)], False
        while open_:
            depth, node = open_.pop()
            first, last = node.start_byte, node.end_byte
            _, hole = holes[before - 1] if (before := bisect_right(starts, first)) else (0, 0)
            if last <= start or first >= end or last <= hole or self._is_aside(node):
                continue
            is_seen = node.type not in _GROUPS
            is_around = self._data[end:last].strip() or (node.type in _LISTS and not has_begun)
            if is_seen and first >= max(start, hole) and not is_around:
                has_begun = True
                yield depth, node
            if not self._is_leaf(node):
                parts = self._parts(node)
                open_ += [(depth + is_seen, part) for part in reversed(parts)]

    def _is_aside(self, node: Node) -> bool:
        kind = node.type
        if kind in self._language.comments or (node.is_extra and kind != "ERROR"):
            return True
        if self._language.name != "python" or kind != "expression_statement":
            return False
        # A string that nobody takes is documentation.
        return [child.type for child in node.named_children] in (["string"], ["concatenated_string"])

    def _is_leaf(self, node: Node) -> bool:
        return not node.child_count or _is_plain_string(node) or self._lone_parameter(node) is not None

    def _parts(self, node: Node) -> list[Node]:
        """Without what the tree itself tells."""
        parts = [part for part in node.children if not self._is_aside(part)]
        if node.type in _MAYBE_GROUPED:
            parts = [part for part in parts if part.type not in {"(", ")"}]
        following = zip_longest(parts, parts[1:])
        return [part for part, after in following if not _is_idle(node, part, after)]

    def _said(self, node: Node) -> tuple[str, str] | None:
        kind = _SAME.get(node.type, node.type)
        if _is_plain_string(node):
            return kind, self._string(node)
        if (parameter := self._lone_parameter(node)) is not None:
            return "identifier", parameter
        text = "" if node.child_count else self._text(node.start_byte, node.end_byte)
        if kind == "string_start":
            return kind, text.strip("'\"").lower()
        if kind == "string_end":
            return None
        if kind in _NUMBERS:
            return kind, _OPEN_END.sub("0", text.lower().replace("e+", "e"))
        if kind in _LAID_OUT:
            text = " ".join(text.split())
            return (kind, text) if text else None
        return kind, text

    def _text(self, start: int, end: int) -> str:
        return self._data[start:end].decode("utf-8", "replace")

    def _string(self, node: Node) -> str:
        """Whichever quotes are around it."""
        first, last = node.children[0], node.children[-1]
        prefix = self._text(first.start_byte, first.end_byte).strip("'\"").lower()
        content = self._text(first.end_byte, last.start_byte)
        return prefix + "'" + (content if "r" in prefix else _ESCAPE.sub(_unescaped, content))

    def _lone_parameter(self, node: Node) -> str | None:
        """`(a) => …` is `a => …`."""
        if node.type != "formal_parameters" or node.parent is None or node.parent.type != "arrow_function":
            return None
        found = _PARAMETER.fullmatch(self._data, node.start_byte, node.end_byte)
        return found[1].decode("utf-8", "replace") if found else None


def _outermost(spans: Sequence[Span]) -> list[Span]:
    """In order, without those inside others."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda each: (each[0], -each[1])):
        if not found or span[1] > found[-1][1]:
            found.append(span)
    return found


def _unescaped(found: re.Match[str]) -> str:
    """Which quote must be escaped depends on those around it."""
    return found[1] if found[1] in "'\"" else found[0]


def _is_plain_string(node: Node) -> bool:
    """In one of two kinds of quotes, with nothing to be computed in it."""
    return node.type == "string" and node.child_count > 1 and not any(c.type == "interpolation" for c in node.children)


def _is_idle(around: Node, part: Node, after: Node | None) -> bool:
    """A comma or semicolon that only ends or parts what the tree holds apart."""
    if part.type in {";", "empty_statement"}:
        return not around.type.startswith("for")
    return part.type == "," and (after is None or after.type in _CLOSING or around.type in _LISTED_BY_EITHER)
