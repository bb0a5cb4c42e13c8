"""The one walker for all languages: a query finds the nodes of a language's table, and one pass over them in the order
of the file gives each unit its doc comment, its decorators, what it is part of, and its name."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.corpus.chunking import id_part
from assay.corpus.code.files import language_of
from assay.corpus.code.language import HOLDERS, UNIT, Description, Language
from assay.corpus.code.leads import Leads
from assay.corpus.code.naming import Candidate, names_of
from assay.corpus.code.parsing import Event, broken_at, captured, parse
from assay.corpus.code.rest import Rest
from assay.corpus.code.unit import Unit
from assay.corpus.content import clean
from assay.corpus.readers.text import decode

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 8_000
"""Characters of a unit's text; a longer one is cut at the end of a line."""

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing)/|(?:^|/)(?:test_[^/]*|conftest)\.\w+$"
    r"|[^/]_(?:test|tests|spec)\.\w+$|\.(?:test|spec)\.\w+$|[^/](?:Test|Tests|IT)\.java$"
)
_VALUES = frozenset({"constant", "variable"})
_BODIES = frozenset({"function", "method"})
"""Kinds whose values are their own business; in C a place inside `#if` does not tell."""
_NO_LINE_END = re.compile(rb"[^\n]")


class Extraction(Struct, frozen=True):
    """What one file gives."""

    units: list[Unit]
    language: str
    broken_at: int | None = None
    """The first line that does not parse; everything around it was cut all the same."""


def units_of(path: str, source: bytes, language: str | None = None) -> list[Unit]:
    """The units of a file in their order. `path` stands in their ids, and tells the language if none is given
    (python, rust, typescript, ...)."""
    return extract(path, source, language).units


def extract(path: str, source: bytes, language: str | None = None) -> Extraction:
    """The units of a file, and whether it could be parsed. Needs the extra `code`."""
    table = language_of(path, source, language)
    data = _utf8(source)
    parsed = _blanked(table, data)
    tree = parse(table, parsed)
    nodes = captured(table, tree.root_node)
    walk = _Walk(path, table, Leads(parsed, table, nodes.attributes), parsed)
    found = walk.run(nodes.events)
    for node in nodes.imports:
        walk.rest.drop(node.start_byte, node.end_byte)
    walk.rest.drop_licence(data, tree.root_node, table.comments)
    place = id_part(path)
    units = [_unit(place, data, table, each, name) for each, name in zip(found, names_of(found), strict=True)]
    if rest := walk.rest.lines(data):
        module = Candidate(symbol=None, kind="module", start=0, end=len(rest), line=1, tags=walk.file_tags)
        unit = _unit(place, rest, table, module, "module@1")
        units.insert(0, replace(unit, last_line=data.rstrip().count(b"\n") + 1))
    return Extraction(units, table.name, broken_at(tree.root_node, data))


def _blanked(language: Language, data: bytes) -> bytes:
    """What the grammar would stumble over, as spaces for the parser alone."""
    for sign, pattern in language.noise:
        if sign in data:
            data = _compiled(pattern).sub(_blank, data)
    return data


def _blank(found: re.Match[bytes]) -> bytes:
    blank = bytearray(_NO_LINE_END.sub(b" ", found[0]))
    for number in range(1, found.re.groups + 1):
        start, end = found.span(number)
        if start >= 0:
            blank[start - found.start() : end - found.start()] = found[number]
    return bytes(blank)


def _utf8(source: bytes) -> bytes:
    """Safe text in the only encoding the parser takes."""
    if b"\r" not in source and b"\0" not in source and _is_plain(source):
        return source
    return clean(decode(source)[0]).encode()


def _is_plain(source: bytes) -> bool:
    """UTF-8 without a mark at its beginning."""
    try:
        return source.isascii() or (not source.startswith(BOM_UTF8) and source.decode() != "")
    except UnicodeDecodeError:
        return False


def _unit(place: str, data: bytes, language: Language, found: Candidate, name: str) -> Unit:
    end = found.end
    while end > found.start and data[end - 1] in b" \t\n":
        end -= 1
    text, is_cut = _shortened(data[found.start : end])
    return Unit(
        id=f"code:{place}::{name}",
        symbol=found.symbol,
        kind=found.kind,
        text=text,
        first_line=found.line,
        last_line=found.line + data.count(b"\n", found.start, end),
        language=language.name,
        tags=(*found.tags, "cut") if is_cut else found.tags,
    )


def _shortened(source: bytes) -> tuple[str, bool]:
    if len(source) <= LONGEST:
        return source.decode(), False
    text = source[: 4 * LONGEST].decode("utf-8", "ignore")
    if len(text) <= LONGEST:
        return text, False
    line_end = text.rfind("\n", 0, LONGEST + 1)
    return text[: line_end if line_end > 0 else LONGEST], True


class _Open(Struct):
    """A unit around the one that is looked at."""

    end: int
    kind: str
    prefix: str
    """Of the symbols inside."""
    is_test: bool


class _Walk:
    """One pass over what the query found, in the order of the file."""

    def __init__(self, path: str, language: Language, leads: Leads, data: bytes) -> None:
        self.rest = Rest()
        self._data, self._language, self._aside = data, language, frozenset(language.aside)
        self._is_test_file = _TEST_PATH.search(path) is not None
        self._may_test = language.test_mark is not None and language.test_mark[0] in data
        self._around: list[_Open] = []
        self._leads = leads
        self._wrapped: dict[int, tuple[int, int]] = {}
        """Node → where what is wrapped around it begins and ends."""
        self._namespaces: set[str] = set()
        self._line, self._line_at = 1, 0

    @property
    def file_tags(self) -> tuple[str, ...]:
        return ("test",) if self._is_test_file else ()

    def run(self, found: list[Event]) -> list[Candidate]:
        units, last, candidates = self._language.units, -1, list[Candidate]()
        for start, negative_end, role, _, node in found:
            if role != UNIT:
                self._wrap(start, -negative_end, node)
            elif (this := node.id) != last:
                last = this
                what = units[node.type](node)
                if what is not None:
                    candidates += self._candidates(what, node, start, -negative_end)
        return candidates

    def _line_of(self, position: int) -> int:
        """Counted on from the position asked for before, which is never far away."""
        if position >= self._line_at:
            self._line += self._data.count(b"\n", self._line_at, position)
        else:
            self._line -= self._data.count(b"\n", position, self._line_at)
        self._line_at = position
        return self._line

    def _wrap(self, start: int, end: int, node: Node) -> None:
        """What is inside a wrapper has all of it as its text, but for the parts of a group on several lines."""
        parts = self._parts(node)
        if node.type in self._language.single_wrappers:
            if len(parts) == 1 and parts[0].type.endswith("_list"):
                parts = self._parts(parts[0])
            if len(parts) > 1 and b"\n" in self._data[start:end]:
                return
        span = self._wrapped.get(node.id) or (self._leads.begin(start), end)
        for part in parts:
            self._wrapped[part.id] = span

    def _parts(self, group: Node) -> list[Node]:
        aside = self._aside
        return [child for child in group.named_children if child.type not in aside]

    def _candidates(self, what: Description, node: Node, start: int, end: int) -> list[Candidate]:
        """The unit, once for each of its names."""
        whole = node
        if what.whole is not None:
            whole, start, end = what.whole, what.whole.start_byte, what.whole.end_byte
        around = self._around_at(start)
        if around is not None and what.kind in _VALUES and around.kind in _BODIES and node.type == "declaration":
            return []
        wrapped = self._wrapped.get(whole.id) if self._wrapped else None
        first, last = wrapped or (self._leads.begin(start), end)
        first -= self._leads.indent(first) or 0
        if around is None:
            self.rest.drop(first, last)
        is_test = self._is_test(first, node, around)
        prefix = around.prefix if around is not None else ""
        line, is_broken = self._line_of(first), node.has_error
        names = []
        for each in (what, *what.also) if what.also else (what,):
            is_declaration = each.is_declaration
            symbol = prefix + each.name if each.name else None
            found = Candidate(
                symbol=symbol,
                kind=self._kind(each.kind, symbol, around),
                start=first,
                end=last,
                line=line,
                tags=_tags(is_test, is_declaration, is_broken) if is_test or is_declaration or is_broken else (),
                is_declaration=is_declaration,
                node=each.declarator or node,
            )
            names.append(found)
        scope = prefix + what.scope if what.scope else names[0].symbol
        self._around.append(_Open(end, names[0].kind, f"{scope}::" if scope else prefix, is_test))
        return names

    def _around_at(self, start: int) -> _Open | None:
        around = self._around
        while around and around[-1].end <= start:
            around.pop()
        return around[-1] if around else None

    def _kind(self, kind: str, symbol: str | None, around: _Open | None) -> str:
        """A function of a type is a method, unless what it is qualified with is a namespace."""
        if kind == "function":
            return "method" if around is not None and around.kind in HOLDERS else kind
        if kind == "method" and symbol and symbol.rpartition("::")[0] in self._namespaces:
            return "function"
        if kind == "module" and symbol:
            parts = symbol.split("::")
            self._namespaces.update("::".join(parts[:end]) for end in range(1, len(parts) + 1))
        return kind

    def _is_test(self, first: int, node: Node, around: _Open | None) -> bool:
        if self._is_test_file or (around is not None and around.is_test):
            return True
        if not self._may_test:
            return False
        sign, mark = self._language.test_mark or (b"", "")
        body = node.child_by_field_name("body")
        head = self._data[first : body.start_byte if body is not None else node.end_byte]
        return sign in head and _compiled(mark).search(head) is not None


@cache
def _tags(is_test: bool, is_declaration: bool, is_broken: bool) -> tuple[str, ...]:
    flags = (("test", is_test), ("declaration", is_declaration), ("broken", is_broken))
    return tuple([tag for tag, holds in flags if holds])


@cache
def _compiled(mark: str) -> re.Pattern[bytes]:
    return re.compile(mark.encode(), re.MULTILINE)
