"""C. Prototypes are units too: in a header they carry the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.corpus.code.language import Describe, Description, Language, add, field_text, has_child, named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

BODIES = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_GUARD = (
    r"(\n)[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)__cplusplus\b[^\n]*\n"
    r"\s*(?:extern\s+\"C\"\s*\{|\})[^\n]*\n[ \t]*#[ \t]*endif[^\n]*"
)
_MACRO_CALL = r"(\n)[A-Z][A-Z0-9_]{3,}\([^()\n]*\)[ \t]*$(?!\s*(?:\{|[a-z_]\w*\s*\())"
_TYPE_IN_MACRO = r"(\n(?:extern[ \t]+)?)[A-Z]\w+\(([^(),\n]+)\)(?=[ \t]+\**[A-Za-z_])"
NOISE = ((b") ", _TYPE_IN_MACRO), (b"__cplusplus", _GUARD), (b")\n", _MACRO_CALL))
"""Macros around a type, as `API(int) f(void);`, the guards around `extern "C" {` and its brace, and calls of macros
that stand where a declaration would."""
OUTSIDE = ("translation_unit", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "declaration_list")
"""Where a declaration is no local variable."""


def outside(kind: str, *further: str) -> tuple[str, ...]:
    """The patterns of a node type there, and in further places."""
    return tuple(f"({place} ({kind}) @unit)" for place in (*OUTSIDE, *further))


def declared(node: Node) -> tuple[str | None, bool]:
    """The name in a declarator, through pointers and arrays, and whether it is a function's."""
    is_function = False
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        is_function |= inner.type == "function_declarator"
        further = inner.child_by_field_name("declarator")
        if further is None and inner.type in {"parenthesized_declarator", "reference_declarator"}:
            further = inner.named_children[-1] if inner.named_children else None
        if further is None:
            return "".join(text_of(inner).split()) or None, is_function
        inner = further
    return None, False


def function(node: Node) -> Description | None:
    name, _ = declared(node)
    return Description("function", name) if name else None


def declaration(node: Node) -> Description | None:
    """A prototype, or a constant: a value that is given or cannot be changed. Other variables are state."""
    name, is_function = declared(node)
    if name is None:
        return None
    if is_function:
        return Description("function", name, is_declaration=True)
    declarator = node.child_by_field_name("declarator")
    has_value = declarator is not None and declarator.type == "init_declarator"
    return Description("constant", name) if has_value or has_child(node, "type_qualifier") else None


def body(kind: str) -> Describe:
    """`struct point { … }`, but not the mere mention `struct point`, nor one that a typedef or a field names."""

    def describe(node: Node) -> Description | None:
        name, around = field_text(node, "name"), node.parent.type if node.parent else ""
        is_named_elsewhere = around == "type_definition" or (name is None and around == "field_declaration")
        if node.child_by_field_name("body") is None or is_named_elsewhere:
            return None
        return Description(kind, name)

    return describe


def typedef(node: Node) -> Description | None:
    name, _ = declared(node)
    target = node.child_by_field_name("type")
    is_body = target is not None and target.child_by_field_name("body") is not None
    kind = BODIES.get(target.type, "type") if target is not None and is_body else "type"
    return Description(kind, name) if name else None


def define(node: Node) -> Description | None:
    """A define without a value only guards a header or switches something."""
    return Description("constant", field_text(node, "name")) if node.child_by_field_name("value") is not None else None


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
        places={"declaration": outside("declaration")},
        imports=("preproc_include",),
        noise=NOISE,
    )
)
