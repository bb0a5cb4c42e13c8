"""The one walker for all languages: a query finds the nodes of a language's table, and one pass over them in the order
of the file gives each unit its doc comment, its decorators, what it is part of, and its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from assay.corpus.chunking import id_part
from assay.corpus.code.files import language_of
from assay.corpus.code.language import HOLDERS, Description, Language
from assay.corpus.code.naming import Candidate, names_of
from assay.corpus.code.parsing import LEAD, UNIT, WRAPPER, Event, broken_at, events, parse
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
_NO_LINE_END = re.compile(rb"[^\n]")
_NOWHERE = (-1, -1)


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
    walk = _Walk(path, parsed, table)
    found = list(walk.run(events(table, tree.root_node)))
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
        blank[start - found.start() : end - found.start()] = found[number]
    return bytes(blank)


def _utf8(source: bytes) -> bytes:
    """Safe text in the only encoding the parser takes."""
    if source.isascii() and b"\r" not in source and b"\0" not in source:
        return source
    return clean(decode(source)[0]).encode()


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
    scope: str
    is_test: bool


class _Walk:
    """One pass over what the query found, in the order of the file."""

    def __init__(self, path: str, data: bytes, language: Language):
        self.rest = Rest()
        self._data, self._language = data, language
        self._is_test_file = _TEST_PATH.search(path) is not None
        self._around: list[_Open] = []
        self._lead = _NOWHERE
        """The comments and attributes met last, as long as nothing else stands between them."""
        self._wrapper = _NOWHERE
        self._line, self._line_at = 1, 0

    @property
    def file_tags(self) -> tuple[str, ...]:
        return ("test",) if self._is_test_file else ()

    def run(self, found: list[Event]) -> Iterator[Candidate]:
        units, last = self._language.units, -1
        for start, negative_end, role, _, node in found:
            end = -negative_end
            if role == UNIT:
                is_new, last = node.id != last, node.id
                what = units[node.type](node) if is_new else None
                if what is not None:
                    yield self._candidate(what, start, end, node)
            elif role == LEAD:
                self._add_lead(start, end)
            elif role == WRAPPER:
                self._wrap(start, end, node)
            else:
                self.rest.drop(start, end)

    def _line_of(self, position: int) -> int:
        """Counted on from the position asked for before, which is never far away."""
        if position >= self._line_at:
            self._line += self._data.count(b"\n", self._line_at, position)
        else:
            self._line -= self._data.count(b"\n", position, self._line_at)
        self._line_at = position
        return self._line

    def _add_lead(self, start: int, end: int) -> None:
        text = self._data[start:end].rstrip()
        end = start + len(text)
        line = self._data.rfind(b"\n", 0, start) + 1
        is_continued = self._follows(start)
        if text.startswith(self._language.inner_docs) or not (is_continued or not self._data[line:start].strip()):
            self._lead = _NOWHERE
            return
        self._lead = (self._lead[0] if is_continued else start, end)
        self.rest.comment(start, end, text)

    def _follows(self, start: int) -> bool:
        """Right behind the lead, on the same line or the next."""
        end = self._lead[1]
        if not 0 <= end <= start:
            return False
        between = self._data[end:start]
        return not between.strip() and between.count(b"\n") <= 1

    def _line_start(self, start: int) -> int:
        """With the white space before it, if there is nothing else on its line."""
        line = self._data.rfind(b"\n", 0, start) + 1
        return start if self._data[line:start].strip() else line

    def _with_lead(self, start: int) -> int:
        return self._lead[0] if self._follows(start) else start

    def _wrap(self, start: int, end: int, node: Node) -> None:
        if node.type in self._language.single_wrappers and _parts(node) > 1:
            return
        if start >= self._wrapper[1]:
            self._wrapper = (self._with_lead(start), end)

    def _is_what_is_wrapped(self, node: Node) -> bool:
        """Rather than a part of it: in `export default { data() {} }` the method is not what is exported."""
        around = node.parent
        while around is not None and around.type.endswith("spec_list"):
            around = around.parent
        return around is not None and around.type in (*self._language.wrappers, *self._language.single_wrappers)

    def _candidate(self, what: Description, start: int, end: int, node: Node) -> Candidate:
        while self._around and self._around[-1].end <= start:
            self._around.pop()
        around = self._around[-1] if self._around else None
        is_wrapped = self._wrapper[0] <= start and end <= self._wrapper[1] and self._is_what_is_wrapped(node)
        first, last = self._wrapper if is_wrapped else (self._with_lead(start), end)
        self._wrapper = _NOWHERE
        first = self._line_start(first)
        kind = "method" if what.kind == "function" and around and around.kind in HOLDERS else what.kind
        prefix = f"{around.scope}::" if around and around.scope else ""
        symbol = f"{prefix}{what.name}" if what.name else None
        is_test = self._is_test(first, node, around)
        scope = f"{prefix}{what.scope}" if what.scope else symbol or prefix.removesuffix("::")
        self._around.append(_Open(end, kind, scope, is_test))
        if around is None:
            self.rest.drop(first, last)
        flags = (("test", is_test), ("declaration", what.is_declaration), ("broken", node.has_error))
        return Candidate(
            symbol=symbol,
            kind=kind,
            start=first,
            end=last,
            line=self._line_of(first),
            tags=tuple([tag for tag, holds in flags if holds]),
            is_declaration=what.is_declaration,
            node=node,
        )

    def _is_test(self, first: int, node: Node, around: _Open | None) -> bool:
        if self._is_test_file or (around is not None and around.is_test):
            return True
        mark = self._language.test_mark
        if mark is None:
            return False
        body = node.child_by_field_name("body")
        head = self._data[first : body.start_byte if body is not None else node.end_byte]
        return _compiled(mark).search(head) is not None


def _parts(group: Node) -> int:
    """How many a group holds, directly or, as the `var ( … )` of Go, in a list of its own."""
    only = group.named_children[0] if group.named_child_count == 1 else None
    return only.named_child_count if only is not None and only.type.endswith("_list") else group.named_child_count


@cache
def _compiled(mark: str) -> re.Pattern[bytes]:
    return re.compile(mark.encode(), re.MULTILINE)
