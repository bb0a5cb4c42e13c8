"""What a programming language is to the walker: its grammar and the table of the nodes that are units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import MissingExtra
from assay.registry import Registry

if TYPE_CHECKING:
    import tree_sitter
    from tree_sitter import Node

WRAPPER, UNIT = range(2)
"""What a node is found as."""
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
    places: Mapping[str, tuple[str, ...]] = {}
    """Of node types that are units or wrappers in some places only: patterns of these places, in which they are `@unit`
    or `@wrapper`; none where only `outermost` finds them."""
    outermost: Callable[[Node], Iterator[tuple[int, Node]]] | None = None
    """From the root of a file to further wrappers and units at its top, which a query is slow to find."""
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
        return Description(kind, field_text(node, field), is_declaration=is_declaration)

    return describe


def has_child(node: Node, kind: str) -> bool:
    return any(child.type == kind for child in node.children)
