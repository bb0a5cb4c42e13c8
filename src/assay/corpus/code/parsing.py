"""The parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.corpus.code.language import Language
from assay.corpus.code.search import grammar_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


def parse(language: Language, data: bytes) -> Tree:
    return grammar_of(language).parser.parse(data)


def broken_at(root: Node, data: bytes) -> int | None:
    """The first line the grammar could not make sense of. A fault is often wrapped in a larger one that begins where
    everything is still fine: the innermost counts."""
    node: Node | None = root if root.has_error else None
    start = None
    while node is not None:
        start = node.start_byte
        node = next((child for child in node.children if child.has_error or child.is_missing), None)
    # Counted, because asking a node for its row (`start_point.row`) frees a number too often in tree-sitter 0.26.
    return None if start is None else data.count(b"\n", 0, start) + 1
