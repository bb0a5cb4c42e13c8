"""The parser, and the query made from a language's table."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from assay.corpus.code.language import Language, load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

LEAD, WRAPPER, IMPORT, UNIT = range(4)
"""What a node was captured as."""
_ROLES = {"lead": LEAD, "wrapper": WRAPPER, "import": IMPORT, "unit": UNIT}
Event = tuple[int, int, int, int, "Node"]
"""Start, negative end, role, a number against ties, and the node: in the order of the file, what is around before what
is inside."""


class _Grammar:
    """Made once for each language; the table it is made from is kept alive by the registry."""

    def __init__(self, language: Language):
        grammar = load_grammar(language)
        import tree_sitter

        self.parser = tree_sitter.Parser(grammar)
        self.query = tree_sitter.Query(grammar, pattern_of(language))


_grammars: dict[int, _Grammar] = {}


def _grammar(language: Language) -> _Grammar:
    found = _grammars.get(id(language))
    if found is None:
        found = _grammars[id(language)] = _Grammar(language)
    return found


def parse(language: Language, data: bytes) -> Tree:
    return _grammar(language).parser.parse(data)


def pattern_of(language: Language) -> str:
    """The query for everything in the table."""
    anywhere = [kind for kind in language.units if kind not in language.places]
    parts = [f"({kind}) @unit" for kind in anywhere]
    parts += [pattern for patterns in language.places.values() for pattern in patterns]
    parts += [f"({kind}) @wrapper" for kind in (*language.wrappers, *language.single_wrappers)]
    parts += [f"({kind}) @lead" for kind in language.leads]
    parts += [f"({kind}) @import" for kind in language.imports]
    return "\n".join(parts)


def events(language: Language, root: Node) -> list[Event]:
    """Everything the query finds. A node that several patterns find is there several times."""
    import tree_sitter

    captured = tree_sitter.QueryCursor(_grammar(language).query).captures(root)
    number = count()
    return sorted(
        (node.start_byte, -node.end_byte, _ROLES[role], next(number), node)
        for role, nodes in captured.items()
        for node in nodes
    )


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
