"""What a programming language is to the walker: its grammar and the table of the nodes that are units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import MissingExtra
from assay.registry import Registry

if TYPE_CHECKING:
    import tree_sitter
    from tree_sitter import Node

HOLDERS = frozenset({"class", "struct", "enum", "trait", "interface", "impl", "union"})
"""Kinds whose functions are methods."""


class Description(Struct, frozen=True):
    """What a node defines."""

    kind: str
    name: str | None
    scope: str | None = None
    """What its own parts are qualified with, where that is not its symbol: methods of `impl Point` are `Point::…`."""
    is_declaration: bool = False
    """Without a body, or one of several that share a name with the real one: an overload, a setter."""
    also: tuple[Description, ...] = ()
    """The other names of the same lines, as the second of `int a, b;`."""
    declarator: Any = None
    """The node its parameters are in, where that is not the one described."""
    whole: Any = None
    """The node that is the unit, where that is more than the one described."""


Describe = Callable[["Node"], Description | None]
"""None: this node is no unit after all."""


class Sign(Struct, frozen=True):
    """What may begin a unit, two bytes at least."""

    word: str
    """Quick to find."""
    pattern: str = ""
    """A regular expression that begins with the word, where that alone is too little."""
    unless: Callable[[bytes], bool] | None = None
    """Given what is before it on its line: whether it begins nothing."""

    def compiled(self) -> re.Pattern[bytes]:
        return re.compile((self.pattern or re.escape(self.word)).encode())


_CONTROL = re.compile(rb"\n[\s}]*(?:else\s+)?(?:if|for|while|switch|catch|synchronized)\b[^{]*$")
_CONTROL_STARTS = (b"if", b"for", b"wh", b"sw", b"ca", b"el", b"sy")
"""Quicker to look for."""


def is_control(line: bytes) -> bool:
    """Of the brace in `if (…) {`."""
    return line.lstrip(b"\n \t}").startswith(_CONTROL_STARTS) and _CONTROL.match(line) is not None


OPENING = Sign(")", r"\)\s*[{/]", is_control)
"""Of the body of a function."""


def words(*words: str) -> tuple[Sign, ...]:
    return tuple(Sign(word) for word in words)


class Language(Struct, frozen=True, kw_only=True):
    """A grammar and its tables of node types. One instance for each kind of file."""

    name: str
    suffixes: tuple[str, ...]
    package: str
    """Where the grammar is: an importable name."""
    grammar: str = "language"
    """The function in it."""
    units: Mapping[str, Describe]
    """Node type → what it defines."""
    outermost: Mapping[str, Describe] = {}
    """The same of those that are units at the top of a file only, or are others there."""
    within: Mapping[str, Mapping[str, Describe]] = {}
    """Node type → the same of those that are others right in it."""
    places: Mapping[str, tuple[str, ...]] = {}
    """Of node types that are units in some places only: the types of these places."""
    signs: tuple[Sign, ...] = ()
    """A node that is no holder is looked into for units if one of these is in its text."""
    braces: tuple[bytes, ...] = (b"{",)
    """One of these is in every node that has a unit in it, not counting the first byte of the node."""
    openers: tuple[bytes, ...] = ()
    """What begins so is looked into without asking for signs in all of it: it holds units as a rule."""
    holders: tuple[str, ...] = ()
    """Node types that are always looked into."""
    bodies: Mapping[str, str] = {}
    """Node type → the only field of it in which units can be."""
    braced: tuple[str, ...] = ()
    """Node types in which units can be wherever there is a brace in them."""
    leaves: tuple[str, ...] = ()
    """Node types in which units cannot be."""
    through: tuple[str, ...] = ()
    """Node types that are as good as not there: what is in them stands where they stand."""
    wrappers: tuple[str, ...] = ()
    """Node types that belong to the unit inside them: decorators, `export`, `template<…>`."""
    single_wrappers: tuple[str, ...] = ()
    """Those that do so only when they hold one or stand on one line: `const ( … )` of Go, `const a = 1, b = 2`."""
    attributes: tuple[str, ...] = ()
    """Node types that belong to the unit they stand right before, as comments do."""
    comments: tuple[str, ...] = ("comment",)
    """Node types of comments."""
    line_comment: bytes | None = None
    """How comments begin that are whole lines, where there are so many that they are quicker found without the tree."""
    inner_docs: tuple[bytes, ...] = ()
    """How a comment begins that belongs to what is around it."""
    imports: tuple[str, ...] = ()
    """Node types that say nothing of their own about the file they stand in."""
    noise: tuple[tuple[bytes, str], ...] = ()
    """What the grammar stumbles over: a sign of it, and a regular expression that begins with the end of the line
    before, because that is quick to find. It is parsed as white space, but for its groups."""
    test_mark: tuple[bytes, str] | None = None
    """A sign of tests, and a regular expression over the head of a unit, from its doc comment to its body."""

    @property
    def around(self) -> tuple[str, ...]:
        return self.wrappers + self.single_wrappers

    def kinds(self, further: Iterable[str]) -> set[str]:
        """All node types that the tables speak of, and further ones."""
        tables = (self.units, self.outermost, self.bodies, self.holders, self.braced, self.leaves, self.through)
        return {*further, *self.around, *self.aside, *self.imports, *(kind for table in tables for kind in table)}

    @property
    def aside(self) -> tuple[str, ...]:
        """Node types that are no part of a group they stand in."""
        return self.comments + self.attributes


LANGUAGES: Registry[Language] = Registry("code language", "assay.corpus.code.languages")
"""By file suffix."""


def add(language: Language) -> Language:
    return LANGUAGES.register(*language.suffixes)(language)


def load_grammar(language: Language) -> tree_sitter.Language:
    from importlib import import_module

    package = language.package.replace("_", "-")
    try:
        import tree_sitter

        module: Any = import_module(language.package)
    except ImportError as fault:
        missing = "tree-sitter" if fault.name == "tree_sitter" else package
        raise MissingExtra(missing, "code", f"cutting {language.name}") from None
    return tree_sitter.Language(getattr(module, language.grammar)())


def together(names: Sequence[Description]) -> Description | None:
    """Of what is declared on the same lines: the first, with the others."""
    return replace(names[0], also=tuple(names[1:])) if len(names) > 1 else names[0] if names else None


def text_of(node: Node | None) -> str:
    """The node's source on one line."""
    source = None if node is None else node.text
    if source is None:
        return ""
    text = source.decode("utf-8", "replace")
    return text if text.isidentifier() else " ".join(text.split())


def field_text(node: Node, field: str) -> str | None:
    return text_of(node.child_by_field_name(field)) or None


def named(kind: str, field: str = "name", *, is_declaration: bool = False) -> Describe:
    """Of a node that has its name in a field."""

    def describe(node: Node) -> Description:
        return Description(kind, text_of(node.child_by_field_name(field)) or None, is_declaration=is_declaration)

    return describe


def has_child(node: Node, kind: str) -> bool:
    return any(child.type == kind for child in node.children)
