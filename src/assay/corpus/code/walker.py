"""The one walker for all languages: one pass over the nodes of a language's table, in the order of the file, gives each
unit its doc comment, its decorators, what it is part of, and its name."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.corpus.chunking import id_part
from assay.corpus.code.files import language_of
from assay.corpus.code.language import HOLDERS, Description, Language
from assay.corpus.code.leads import Leads
from assay.corpus.code.naming import Candidate, names_of
from assay.corpus.code.parsing import broken_at, parse
from assay.corpus.code.rest import Rest
from assay.corpus.code.search import GROUP, LEAD, WRAPPER, Event, grammar_of, search
from assay.corpus.code.unit import Unit
from assay.corpus.content import clean
from assay.corpus.readers.text import decode

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 8_000
"""Characters of a unit's text; a longer one is cut at the end of a line."""
LONGEST_NAME = 1_000
"""Characters; it stands in the names of all that is inside."""
DEEPEST = 64
"""Units around a unit; what is in more of them is nobody's, and their names would fill the memory."""

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing)/|(?:^|/)(?:test_[^/]*|conftest)\.\w+$"
    r"|[^/]_(?:test|tests|spec)\.\w+$|\.(?:test|spec)\.\w+$|[^/](?:Test|Tests|IT)\.java$"
)
_QUALIFIED = frozenset({"method", "module"})
_VALUES = frozenset({"constant", "variable"})
_BODIES = frozenset({"function", "method"})
"""Kinds whose values are their own business; in C a place inside `#if` does not tell."""
_NOWHERE = (-1, -1)
_NO_LINE_END = re.compile(rb"[^\n]")
_SPACES = b" \t\n"


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
    root = tree.root_node
    walk = _Walk(path, table, parsed)
    found = walk.run(search(grammar_of(table), root, parsed))
    walk.rest.drop_licence(data, root, table.comments)
    place = f"code:{id_part(path)}::"
    units = _units(place, data, table.name, found)
    if rest := walk.rest.lines(data):
        text, tags = _shortened(rest, walk.file_tags)
        last = data.rstrip().count(b"\n") + 1
        units.insert(0, Unit(place + "module@1", None, "module", text, 1, last, table.name, tags))
    return Extraction(units, table.name, broken_at(root, data))


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


def _units(place: str, data: bytes, language: str, found: list[Candidate]) -> list[Unit]:
    spans = _spans(data, found)
    plain = data.decode() if data.isascii() else None
    units = []
    for each, name, (end, first, last) in zip(found, names_of(found, spans), spans, strict=True):
        start, tags = each.start, each.tags
        if end - start > LONGEST:
            text, tags = _shortened(data[start:end], tags)
        else:
            text = data[start:end].decode() if plain is None else plain[start:end]
        units.append(Unit(place + name, each.symbol, each.kind, text, first, last, language, tags))
    return units


def _spans(data: bytes, found: list[Candidate]) -> list[tuple[int, int, int]]:
    """Of each where it ends without white space, its first and its last line."""
    spans, count = [], data.count
    start, end, first, last = 0, 0, 1, 1
    for each in found:
        before, start = start, each.start
        if start >= end:
            first = last + count(b"\n", end, start)
        elif start >= before:
            first += count(b"\n", before, start)
        else:
            first -= count(b"\n", start, before)
        end = each.end
        while end > start and data[end - 1] in _SPACES:
            end -= 1
        last = first + count(b"\n", start, end)
        spans.append((end, first, last))
    return spans


def _shortened(source: bytes, tags: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    text = source[: 4 * LONGEST].decode("utf-8", "ignore")
    if len(text) <= LONGEST:
        return text, tags
    line_end = text.rfind("\n", 0, LONGEST + 1)
    return text[: line_end if line_end > 0 else LONGEST], (*tags, "cut")


def _is_test_file(path: str) -> bool:
    # The quick look comes first, because there are many files and few tests.
    return ("est" in path or "spec" in path or path.endswith("IT.java")) and _TEST_PATH.search(path) is not None


_Open = tuple[int, str, str, bool]
"""A unit around the one that is looked at: where it ends, its kind, what the symbols in it begin with, and whether it
is a test."""


class _Walk:
    """One pass over what was found, in the order of the file."""

    def __init__(self, path: str, language: Language, data: bytes) -> None:
        self.rest = Rest()
        self._data, self._language = data, language
        self._is_test_file = _is_test_file(path)
        self._may_test = language.test_mark is not None and language.test_mark[0] in data
        self._around: list[_Open] = []
        self._outside: _Open = (len(data), "", "", self._is_test_file)
        self._leads = Leads(data, language)
        self._wrapped: dict[int, tuple[int, int]] = {}
        """Node → where what is wrapped around it begins and ends."""
        self._namespaces: set[str] = set()

    @property
    def file_tags(self) -> tuple[str, ...]:
        return ("test",) if self._is_test_file else ()

    def run(self, events: Iterable[Event]) -> list[Candidate]:
        candidates: list[Candidate] = []
        lead, drop = self._leads.add, self.rest.drop
        for role, describe, node in events:
            if describe is not None:
                what = describe(node)
                if what is not None:
                    self._add(candidates, what, node)
            elif role == LEAD:
                lead(node.start_byte, node.end_byte)
            elif role == WRAPPER:
                self._wrap(node, node.children)
            elif role == GROUP:
                self._wrap_group(node)
            else:
                drop(node.start_byte, node.end_byte)
        return candidates

    def _wrap(self, node: Node, parts: list[Node]) -> None:
        """What is inside a wrapper has all of it as its text."""
        span = self._wrapped.get(node.id) or (self._leads.begin(node.start_byte), node.end_byte)
        for part in parts:
            self._wrapped[part.id] = span

    def _wrap_group(self, node: Node) -> None:
        """The same, but for the parts of a group on several lines."""
        parts = node.named_children
        if len(parts) == 1 and parts[0].type.endswith("_list"):
            parts = parts[0].named_children
        is_on_one_line = len(parts) < 2 or self._data.find(b"\n", node.start_byte, node.end_byte) < 0
        if is_on_one_line or len(self._parts(parts)) < 2:
            self._wrap(node, parts)

    def _parts(self, group: list[Node]) -> list[Node]:
        aside = self._language.aside
        return [part for part in group if part.type not in aside]

    def _add(self, candidates: list[Candidate], what: Description, node: Node) -> None:
        """The unit, once for each of its names."""
        whole = node if what.whole is None else what.whole
        start, end = whole.start_byte, whole.end_byte
        around = self._around
        while around and around[-1][0] <= start:
            around.pop()
        depth = len(around)
        _, holder, prefix, is_test = around[-1] if depth else self._outside
        if depth >= DEEPEST or (holder in _BODIES and what.kind in _VALUES and node.type == "declaration"):
            return
        first, last = self._wrapped.get(whole.id, _NOWHERE) if self._wrapped else _NOWHERE
        if last < 0:
            first, last = self._leads.begin(start), end
        if not depth:
            self.rest.drop(first, last)
        if self._may_test and not is_test:
            is_test = self._is_test(first, node)
        is_broken = node.has_error
        for each in (what, *what.also) if what.also else (what,):
            name, kind, is_declaration = each.name, each.kind, each.is_declaration
            symbol = prefix + name[:LONGEST_NAME] if name else None
            if kind == "function":
                kind = "method" if holder in HOLDERS else kind
            elif kind in _QUALIFIED and symbol:
                kind = self._kind(kind, symbol)
            tags = _tags(is_test, is_declaration, is_broken) if is_test or is_declaration or is_broken else ()
            candidates.append(Candidate(symbol, kind, first, last, tags, is_declaration, each.declarator or node))
            if each is what:
                scope = prefix + what.scope if what.scope else symbol
                around.append((end, kind, scope + "::" if scope else prefix, is_test))

    def _kind(self, kind: str, symbol: str) -> str:
        """Of what is qualified with a namespace only, or names one."""
        if kind == "method":
            return "function" if symbol.rpartition("::")[0] in self._namespaces else kind
        parts = symbol.split("::", DEEPEST)
        self._namespaces.update("::".join(parts[:end]) for end in range(1, len(parts) + 1))
        return kind

    def _is_test(self, first: int, node: Node) -> bool:
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
