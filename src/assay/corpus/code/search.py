"""The way through a syntax tree to its units. Most of a tree is statements and expressions, with nothing of interest in
them: what is no place for units is gone into only if its text has a sign of one, as `fn` or `class`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.corpus.code.language import Describe, Language, load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

NOTHING, UNIT, WRAPPER, GROUP, LEAD, IMPORT = range(6)
"""What a node is found as."""
_NEVER, _BY_SIGN, _BY_BRACE, _ALWAYS = range(4)
"""Whether to look inside."""

Role = tuple[int, Describe | None, int | None, int]
"""What a node is found as, how it is described, the field to look into instead of the node, and whether to."""
Rows = dict[int, Role | None]
"""By the number of a node type; None: of no interest."""
Event = tuple[int, Describe | None, "Node"]

_CLOSED: Role = (NOTHING, None, None, _BY_SIGN)
_OPEN: Role = (NOTHING, None, None, _ALWAYS)
_ERROR = 0xFFFF
_LEAVES = ("identifier", "type_identifier", "field_identifier", "property_identifier", "primitive_type", "string")
"""In all languages."""

_LINE = 200
"""Bytes; of a longer line the beginning is not looked at."""


class Grammar:
    """A language's parser and tables, made once; the language is kept alive by the registry."""

    def __init__(self, language: Language) -> None:
        self._grammar, self.language = load_grammar(language), language
        import tree_sitter

        self.parser: Parser = tree_sitter.Parser(self._grammar)
        self.tables: tuple[dict[int, Rows], dict[int, Rows]] = ({}, {})
        """Of places inside and at the top: the roles of the nodes in a node of that type, made when first asked for."""
        self.through = {self._number(kind) for kind in (*language.around, *language.through)}
        """What stands in these at the top of a file still stands at its top."""
        kinds = range(self._grammar.node_kind_count)
        self._plain: Rows = {n: _CLOSED if self._grammar.node_kind_is_named(n) else None for n in kinds}
        self._signs = [(each.word.encode(), each.compiled(), each.unless) for each in language.signs]

    def _number(self, kind: str) -> int:
        return self._grammar.id_for_node_kind(kind, True) or -1

    def rows(self, place: int, *, is_top: bool) -> Rows:
        """The roles of nodes in a node of that type."""
        found = self.tables[is_top].get(place)
        if found is None:
            found = self.tables[is_top][place] = self._made(place, is_top=is_top)
        return found

    def _made(self, place: int, *, is_top: bool) -> Rows:
        language = self.language
        rows = {**self._plain, _ERROR: _OPEN}
        within = next((table for kind, table in language.within.items() if self._number(kind) == place), {})
        for kind in language.kinds(_LEAVES):
            places = language.places.get(kind)
            is_here = places is None or any(self._number(each) == place for each in places)
            inner = within.get(kind) or (language.units.get(kind) if is_here else None)
            describe = (is_top and language.outermost.get(kind)) or inner
            rows[self._number(kind)] = self._role(kind, describe, is_top=is_top)
        return rows

    def _role(self, kind: str, describe: Describe | None, *, is_top: bool) -> Role | None:
        language = self.language
        roles = (
            (WRAPPER, language.wrappers),
            (GROUP, language.single_wrappers),
            (LEAD, language.attributes),
            (IMPORT, language.imports),
        )
        found = UNIT if describe else next((role for role, kinds in roles if kind in kinds), NOTHING)
        field = language.bodies.get(kind)
        number = None if field is None else self._grammar.field_id_for_name(field)
        if kind in language.comments or kind in language.imports or kind in language.leaves or kind in _LEAVES:
            return (found, describe, None, _NEVER) if found else None
        if kind in (*language.holders, *language.wrappers) or (is_top and self._number(kind) in self.through):
            return found, describe, number, _ALWAYS
        return found, describe, number, _BY_BRACE if kind in language.braced else _BY_SIGN

    def signs(self, data: bytes, start: int, end: int) -> list[int]:
        """Where in a part of a file something may begin a unit, in order, with an end that is behind all."""
        found: list[int] = []
        for word, sign, unless in self._signs:
            first = data.find(word, start, end)
            if first < 0:
                continue
            # Of `) {` this is neither in the parentheses nor in the braces.
            places = [each.end() - 2 for each in sign.finditer(data, first, end)]
            found += places if unless is None else [each for each in places if not unless(_line(data, each))]
        found.sort()
        found.append(end)
        return found


def _line(data: bytes, end: int) -> bytes:
    """What stands before a place on its line, with the end of the line above, but no more than so many bytes."""
    start = max(0, end - _LINE)
    return data[max(start, data.rfind(b"\n", start, end)) : end]


_grammars: dict[int, Grammar] = {}


def grammar_of(language: Language) -> Grammar:
    found = _grammars.get(id(language))
    if found is None:
        found = _grammars[id(language)] = Grammar(language)
    return found


class _Inside:
    """Where to look, in one file."""

    def __init__(self, grammar: Grammar, data: bytes) -> None:
        self._grammar, self._data, self._openers = grammar, data, grammar.language.openers
        self._braces = grammar.language.braces
        self._signs, self._covered = [len(data)], 0
        """The signs in the last outermost node that was asked for, and where it ends."""

    def of(self, node: Node, field: int | None, look: int, rows: Rows) -> Node | None:
        """The node to go on with, if there may be units in it."""
        if field is not None:
            inner = node.child_by_field_id(field)
            if inner is None:
                return None
            node, look = inner, _ALWAYS if look == _ALWAYS else (rows[inner.kind_id] or _CLOSED)[3]
        if look == _ALWAYS or node.has_error:
            return node
        start, end = node.start_byte, node.end_byte
        if look == _BY_BRACE:
            return None if self._data.find(b"{", start, end) < 0 else node
        if start >= self._covered:
            if self._data.startswith(self._openers, start):
                return node
            if not self._cover(start, end):
                return None
        return node if self._signs[bisect_left(self._signs, start)] < end else None

    def _cover(self, start: int, end: int) -> bool:
        for brace in self._braces:
            if self._data.find(brace, start + 1, end) >= 0:
                self._signs, self._covered = self._grammar.signs(self._data, start, end), end
                return True
        return False


def search(grammar: Grammar, root: Node, data: bytes) -> Iterator[Event]:
    """In the order of the file, what is around before what is inside."""
    inside, through, find = _Inside(grammar, data).of, grammar.through, data.find
    is_top, tables = True, grammar.tables
    frames: list[tuple[Iterator[Node], Rows, bool]] = []
    rows, children = grammar.rows(root.kind_id, is_top=True), iter(root.children)
    while True:
        for node in children:
            role = rows[node.kind_id]
            if role is None:
                continue
            found, describe, field, look = role
            if found:
                yield found, describe, node
            if look == _NEVER:
                continue
            inner: Node | None = node
            if field is not None or look == _BY_SIGN:
                inner = inside(node, field, look, rows)
            elif look == _BY_BRACE and find(b"{", node.start_byte, node.end_byte) < 0 and not node.has_error:
                continue
            if inner is not None:
                frames.append((children, rows, is_top))
                place = inner.kind_id
                is_top = is_top and place in through
                rows = tables[is_top].get(place) or grammar.rows(place, is_top=is_top)
                children = iter(inner.children)
                break
        else:
            if not frames:
                return
            children, rows, is_top = frames.pop()
