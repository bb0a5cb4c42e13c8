"""The one walker for all languages: a query finds the nodes of a language's table, and one pass over them in the order
of the file gives each unit its doc comment, its decorators, what it is part of, and its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.corpus.code.files import language_of
from assay.corpus.code.language import HOLDERS, Description, Language, load_grammar
from assay.corpus.code.naming import Named, distinguish
from assay.corpus.code.rest import Rest
from assay.corpus.code.unit import Unit
from assay.corpus.content import clean
from assay.corpus.readers.text import decode

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

LONGEST = 8_000
"""Characters of a unit's text; a longer one is cut at the end of a line."""

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing)/|(?:^|/)(?:test_[^/]*|conftest)\.\w+$"
    r"|[^/]_(?:test|tests|spec)\.\w+$|\.(?:test|spec)\.\w+$|(?:^|/)[^/]*(?:Test|Tests|IT)\.java$"
)


class Extraction(Struct, frozen=True):
    """What one file gives."""

    units: list[Unit]
    language: str
    broken_at: int | None = None
    """The first line that does not parse; everything around it was cut all the same."""


def units_of(path: str, source: bytes, language: str | None = None) -> list[Unit]:
    """The units of a file in their order. `path` is what their ids begin with, and tells the language if none is
    given (python, rust, typescript, ...)."""
    return extract(path, source, language).units


def extract(path: str, source: bytes, language: str | None = None) -> Extraction:
    """The units of a file, and whether it could be parsed. Needs the extra `code`."""
    table = language_of(path, source, language)
    data = _utf8(source)
    walk = _Walk(path, data, table)
    found = distinguish(path, walk.run())
    units = [walk.unit(each, id_) for each, id_ in found]
    if rest := walk.rest.text(data):
        id_ = f"code:{path}::module@1"
        units.insert(0, walk.make(id_, Described(Description("module", None), 0, len(data), 1, ()), rest))
    return Extraction(units, table.name, walk.broken_at)


class Described(Struct, frozen=True):
    """A node that is a unit: where it lies with all that belongs to it."""

    what: Description
    start: int
    end: int
    first_line: int
    tags: tuple[str, ...]


class _Open(Struct):
    """A unit around the one that is looked at."""

    end: int
    kind: str
    scope: str
    is_test: bool


class _Walk:
    def __init__(self, path: str, data: bytes, language: Language):
        self.path, self.data, self.language = path, data, language
        self.rest = Rest()
        self.broken_at: int | None = None
        self._is_test_file = _TEST_PATH.search(path) is not None
        self._around: list[_Open] = []
        self._lead = (-1, -1)
        self._wrapper = (-1, -1)
        self._line, self._line_at = 1, 0

    def run(self) -> Iterator[Named]:
        for start, end, role, node in _events(self.data, self.language):
            if role == "unit":
                if (found := self._unit(start, -end, node)) is not None:
                    yield found
            elif role == "wrapper":
                self._wrap(start, -end, node)
            elif role == "lead":
                self._comment(start, -end)
            elif role == "import":
                self.rest.drop(start, -end)
            elif self.broken_at is None:
                self.broken_at = self._line_of(start)

    def _line_of(self, position: int) -> int:
        """Counted from the last position asked for: positions are asked for in nearly ascending order."""
        if position >= self._line_at:
            self._line += self.data.count(b"\n", self._line_at, position)
        else:
            self._line -= self.data.count(b"\n", position, self._line_at)
        self._line_at = position
        return self._line

    def _comment(self, start: int, end: int) -> None:
        text = self.data[start:end]
        end -= len(text) - len(text.rstrip())
        if not self._begins_line(start) or text.startswith(self.language.inner_docs or (b"\0",)):
            self._lead = (-1, -1)
            return
        self._lead = (self._lead[0] if self._follows(self._lead[1], start) else start, end)
        self.rest.comment(start, end, text)

    def _begins_line(self, position: int) -> bool:
        line = self.data.rfind(b"\n", 0, position) + 1
        return not self.data[line:position].strip()

    def _follows(self, end: int, start: int) -> bool:
        """Right behind, on the same line or the next."""
        if end < 0 or end > start:
            return False
        between = self.data[end:start]
        return not between.strip() and between.count(b"\n") <= 1

    def _wrap(self, start: int, end: int, node: Node) -> None:
        if node.type in self.language.single_wrappers and node.named_child_count > 1:
            return
        if start >= self._wrapper[1]:
            self._wrapper = (self._with_lead(start), end)

    def _with_lead(self, start: int) -> int:
        return self._lead[0] if self._follows(self._lead[1], start) else start

    def _unit(self, start: int, end: int, node: Node) -> Named | None:
        what = self.language.units[node.type](node)
        if what is None:
            return None
        while self._around and self._around[-1].end < end:
            self._around.pop()
        whole = self._wrapper if self._wrapper[0] <= start and end <= self._wrapper[1] else None
        first, last = whole or (self._with_lead(start), end)
        self._wrapper = (-1, -1)
        return self._named(what, first, last, node)

    def _named(self, what: Description, first: int, last: int, node: Node) -> Named:
        around = self._around[-1] if self._around else None
        kind = "method" if what.kind == "function" and around and around.kind in HOLDERS else what.kind
        prefix = f"{around.scope}::" if around and around.scope else ""
        symbol = f"{prefix}{what.name}" if what.name else None
        is_test = self._is_test(first, node, around)
        scope = f"{prefix}{what.scope}" if what.scope else symbol or (around.scope if around else "")
        self._around.append(_Open(node.end_byte, kind, scope, is_test))
        if around is None:
            self.rest.drop(first, last)
        flags = {"test": is_test, "declaration": what.is_declaration, "broken": node.has_error}
        return Named(
            symbol=symbol,
            kind=kind,
            start=first,
            end=last,
            line=self._line_of(first),
            tags=tuple(tag for tag, holds in flags.items() if holds),
            node=node,
        )

    def _is_test(self, first: int, node: Node, around: _Open | None) -> bool:
        if self._is_test_file or (around is not None and around.is_test):
            return True
        mark = self.language.test_mark
        if mark is None:
            return False
        body = node.child_by_field_name("body")
        head = self.data[first : body.start_byte if body is not None else node.end_byte]
        return _compiled(mark).search(head) is not None
