"""The parser, and the query made from a language's table."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from assay.corpus.code.language import Language, load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

Event = tuple[int, int, int, str, "Node"]
"""Start, negative end, a number against ties, role (unit, wrapper, lead, import) and the node: in the order of the
file, what is around before what is inside."""
_WRAPPER_FIRST = {"lead": 0, "wrapper": 1, "import": 2, "unit": 3}


class _Grammar:
    """Made once for each language; the table it is made from is kept alive by the registry."""

    def __init__(self, language: Language):
        grammar = load_grammar(language)
        import tree_sitter

        self.parser = tree_sitter.Parser(grammar)
        self.query = tree_sitter.Query(grammar, pattern_of(language))
        self.faults = tree_sitter.Query(grammar, "(ERROR) @broken (MISSING) @broken")


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
    import tree_sitter

    captured = tree_sitter.QueryCursor(_grammar(language).query).captures(root)
    found: dict[tuple[int, str], Event] = {}
    for role, nodes in captured.items():
        rank = _WRAPPER_FIRST[role]
        for node in nodes:
            # A node may be found by several patterns.
            found[node.id, role] = (node.start_byte, -node.end_byte, rank, role, node)
    return sorted(found.values(), key=_place)


def _place(event: Event) -> tuple[int, int, int]:
    return event[:3]


def broken_at(language: Language, root: Node) -> int | None:
    """The first line the grammar could not make sense of."""
    if not root.has_error:
        return None
    import tree_sitter

    captured = tree_sitter.QueryCursor(_grammar(language).faults).captures(root)
    nodes = sorted((node for found in captured.values() for node in found), key=_span)
    # A fault is often wrapped in a larger one that begins where everything is still fine.
    inner = [node for node, after in pairwise(nodes) if after.start_byte >= node.end_byte] + nodes[-1:]
    return min((node.start_point.row + 1 for node in inner), default=1)


def _span(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte
