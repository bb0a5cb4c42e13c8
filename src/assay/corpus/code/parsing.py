"""The parser, and the query made from a language's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.corpus.code.language import UNIT, WRAPPER, Language, load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

Event = tuple[int, int, int, int, "Node"]
"""Start, negative end, role, a number against ties, and the node: in the order of the file, what is around before what
is inside."""


class Captured(Struct, frozen=True):
    """What the query finds in a file. A node that several patterns find is there several times."""

    events: list[Event]
    """Units, and what is wrapped around them."""
    attributes: list[Node]
    """And comments."""
    imports: list[Node]


class _Grammar:
    """Made once for each language; the table it is made from is kept alive by the registry."""

    def __init__(self, language: Language) -> None:
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
    wrappers = (*language.wrappers, *language.single_wrappers)
    parts += [f"({kind}) @wrapper" for kind in wrappers if kind not in language.places]
    parts += [f"({kind}) @lead" for kind in language.attributes]
    parts += [f"({kind}) @import" for kind in language.imports]
    return "\n".join(parts)


def captured(language: Language, root: Node) -> Captured:
    import tree_sitter

    found = tree_sitter.QueryCursor(_grammar(language).query).captures(root)
    nodes = [(WRAPPER, node) for node in found.get("wrapper", [])]
    nodes += [(UNIT, node) for node in found.get("unit", [])]
    if language.outermost is not None:
        nodes += language.outermost(root)
    events = [(node.start_byte, -node.end_byte, role, number, node) for number, (role, node) in enumerate(nodes)]
    return Captured(sorted(events), found.get("lead", []), found.get("import", []))


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
