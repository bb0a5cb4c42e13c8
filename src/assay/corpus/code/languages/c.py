"""C. Prototypes are units too: in a header they carry the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.corpus.code.language import (
    OPENING,
    Describe,
    Description,
    Language,
    Sign,
    add,
    field_text,
    has_child,
    named,
    text_of,
    together,
    words,
)
from assay.corpus.code.naming import tight

if TYPE_CHECKING:
    from tree_sitter import Node

BODIES = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_GUARD = (
    r"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)__cplusplus\b[^\n]*\n"
    r"\s*(?:extern\s+\"C\"\s*\{|\})[^\n]*\n[ \t]*#[ \t]*endif[^\n]*"
)
_MACRO_CALL = r"[A-Z][A-Z0-9_]{3,}\([^()\n]*\)[ \t]*$(?!\s*(?:\{|[a-z_]\w*\s*\())"
_TYPE_IN_MACRO = r"(extern[ \t]+)?[A-Z]\w+\(([^(),\n]+)\)(?=[ \t]+\**[A-Za-z_])"
NOISE = ((b"__cplusplus", _GUARD), (b")", rf"\n(?=[A-Ze])(?:{_TYPE_IN_MACRO}|{_MACRO_CALL})"))
"""The guards around `extern "C" {` and its brace, macros around a type, as `API(int) f(void);`, and calls of macros
that stand where a declaration would."""
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier"})
_AROUND_NAMES = frozenset({"parenthesized_declarator", "reference_declarator"})
OUTSIDE = ("translation_unit", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "declaration_list")
"""Where a declaration is no local variable."""
SIGNS = (*words("struct", "union", "enum", "typedef"), Sign("#", r"#\s*\w"), OPENING)
DECLARED = (*OUTSIDE, "linkage_specification")
BRACES = (b"{", b"#", b"typedef")
HOLDERS = (*OUTSIDE, *BODIES, "linkage_specification", "field_declaration_list", "enumerator_list")
BRACED = ("declaration", "type_definition", "field_declaration")
LEAVES = ("preproc_def", "preproc_function_def", "enumerator")


class Declared(Struct, frozen=True):
    """One name of a declaration."""

    name: str
    is_function: bool
    declarator: Any


def declared(node: Node) -> list[Declared]:
    """All names of a declaration: of `int a, *b();` both."""
    first, found = node.child_by_field_name("declarator"), []
    is_only = first is None or node.end_byte - first.end_byte == 1
    for declarator in (first,) if is_only else node.children_by_field_name("declarator"):
        name, is_function = name_in(declarator)
        if name and declarator is not None:
            found.append(Declared(name, is_function, declarator))
    return found


def name_in(declarator: Node | None) -> tuple[str | None, bool]:
    """The name in a declarator, through pointers and arrays, and whether it is a function's."""
    is_function = False
    inner = declarator
    while inner is not None:
        kind = inner.type
        if kind in _NAMES:
            return (inner.text or b"").decode("utf-8", "replace") or None, is_function
        # What is called in `int (*handler)(int)` is a pointer, in `int *find(int)` a function.
        is_function = kind != "pointer_declarator" and (is_function or kind == "function_declarator")
        further = inner.child_by_field_name("declarator")
        if further is None and kind in _AROUND_NAMES:
            further = inner.named_children[-1] if inner.named_children else None
        if further is None:
            return tight(text_of(inner)) or None, is_function
        inner = further
    return None, False


def function(node: Node) -> Description | None:
    name, _ = name_in(node.child_by_field_name("declarator"))
    return Description("function", name) if name else None


def declaration(node: Node) -> Description | None:
    """Prototypes; constants, whose value is given or cannot be changed; other variables."""
    names = declared(node)[: 1 if node.has_error else None]
    if len(names) == 1 and names[0].is_function:
        return prototype(names[0])
    kind = ""
    if not all(each.is_function for each in names):
        has_value = any(each.declarator.type == "init_declarator" for each in names)
        kind = "constant" if has_value or has_child(node, "type_qualifier") else "variable"
        # What only macros make a declaration looks like a variable that is called like its type.
        names = [] if kind == "variable" and node.has_error else names
    is_bare = kind == "variable"
    values = [Description(kind, each.name, is_declaration=is_bare) for each in names if not each.is_function]
    return together([*values, *map(prototype, (each for each in names if each.is_function))])


def prototype(declared: Declared) -> Description:
    return Description("function", declared.name, is_declaration=True, declarator=declared.declarator)


def body(kind: str) -> Describe:
    """`struct point { … }`, but not the mere mention `struct point`, nor one that a typedef or a field names."""

    def describe(node: Node) -> Description | None:
        if node.child_by_field_name("body") is None:
            return None
        name, around = field_text(node, "name"), node.parent.type if node.parent else ""
        is_named_elsewhere = around == "type_definition" or (name is None and around == "field_declaration")
        return None if is_named_elsewhere else Description(kind, name)

    return describe


def typedef(node: Node) -> Description | None:
    """`typedef struct { … } point, *point_ref;` names a struct and a type."""
    target = node.child_by_field_name("type")
    is_body = target is not None and target.child_by_field_name("body") is not None
    kind = BODIES.get(target.type, "type") if target is not None and is_body else "type"
    return together(
        [
            Description(kind if each.declarator.type == "type_identifier" else "type", each.name)
            for each in declared(node)
        ]
    )


def define(node: Node) -> Description | None:
    """One with a value: without, it only guards a header or switches something."""
    # There are so many that reading the words instead of the tree is worth it.
    words = (node.text or b"").lstrip(b"# \t").split(None, 2)
    if len(words) < 3 or (words[2].startswith(b"/") and node.child_by_field_name("value") is None):
        return None
    return Description("constant", words[1].decode("utf-8", "replace"))


UNITS: dict[str, Describe] = {
    "function_definition": function,
    "declaration": declaration,
    "type_definition": typedef,
    "preproc_def": define,
    "preproc_function_def": named("macro"),
    **{node: body(kind) for node, kind in BODIES.items() if node != "class_specifier"},
}

add(
    Language(
        name="c",
        suffixes=(".c",),
        package="tree_sitter_c",
        units=UNITS,
        places={"declaration": DECLARED},
        signs=SIGNS,
        braces=BRACES,
        holders=HOLDERS,
        braced=BRACED,
        leaves=LEAVES,
        attributes=("comment",),
        imports=("preproc_include",),
        noise=NOISE,
    )
)
