"""TypeScript and JavaScript: the same table, three grammars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.corpus.code.language import Description, Language, add, field_text, named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_ANY_FUNCTION = f"[{' '.join(f'({kind})' for kind in _FUNCTIONS)}]"
_SHARED = frozenset({"exports", "module.exports", "window", "globalThis", "self"})


def _value_kind(node: Node, field: str, otherwise: str | None) -> str | None:
    value = node.child_by_field_name(field)
    if value is not None and value.type in _FUNCTIONS:
        return "function"
    return "class" if value is not None and value.type == "class" else otherwise


def _variable(node: Node) -> Description | None:
    """`const a = () => …` is a function; what is taken apart (`const {a, b} = …`) has no name of its own, and what is
    only required here is defined elsewhere."""
    if text_of(node.child_by_field_name("value")).startswith("require("):
        return None
    name = node.child_by_field_name("name")
    kind = _value_kind(node, "value", "constant")
    return Description(kind, text_of(name)) if kind and name is not None and name.type == "identifier" else None


def _field(node: Node) -> Description | None:
    """A field of a class that holds a function, or a constant: `static readonly`."""
    words = {child.type for child in node.children}
    kind = _value_kind(node, "value", "constant" if {"static", "readonly"} <= words else None)
    name = field_text(node, "name") or field_text(node, "property")
    return Description(kind, name) if kind else None


def _pair(node: Node) -> Description:
    return Description("function", (field_text(node, "key") or "").strip("'\"`") or None)


def _assignment(node: Node) -> Description | None:
    """`exports.a = function …` defines a, `Point.prototype.move = …` defines Point::move."""
    kind = _value_kind(node, "right", None)
    left = text_of(node.child_by_field_name("left"))
    if left == "module.exports":
        return _default(kind) if kind else None
    parts = left.replace(".prototype.", ".").rpartition(".")
    if kind is None or parts[0] == "this" or "[" in parts[0] or "(" in parts[0]:
        return None
    owner = "" if parts[0] in _SHARED else parts[0].replace(".", "::")
    return Description(kind, f"{owner}::{parts[2]}" if owner else parts[2])


def _default(kind: str) -> Description:
    return Description(kind, "default")


def _expression(node: Node) -> Description:
    kind = "class" if node.type == "class" else "function"
    name = field_text(node, "name")
    return Description(kind, name) if name else _default(kind)


def _module(node: Node) -> Description:
    return Description("module", (field_text(node, "name") or "").strip("'\"").replace(".", "::") or None)


def _function(node: Node) -> Description:
    name = field_text(node, "name")
    return Description("function", name) if name else _default("function")


def _class(node: Node) -> Description:
    name = field_text(node, "name")
    return Description("class", name) if name else _default("class")


_UNITS = {
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "class_declaration": _class,
    "method_definition": named("function"),
    "field_definition": _field,
    "variable_declarator": _variable,
    "pair": _pair,
    "assignment_expression": _assignment,
    "function_expression": _expression,
    "generator_function": _expression,
    "arrow_function": _expression,
    "class": _expression,
}
_TYPED = {
    **{kind: describe for kind, describe in _UNITS.items() if kind != "field_definition"},
    "public_field_definition": _field,
    "function_signature": named("function", is_declaration=True),
    "method_signature": named("function", is_declaration=True),
    "abstract_method_signature": named("function", is_declaration=True),
    "abstract_class_declaration": _class,
    "interface_declaration": named("interface"),
    "type_alias_declaration": named("type"),
    "enum_declaration": named("enum"),
    "internal_module": _module,
    "module": _module,
}
_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_MEMBERS = f"(object (pair value: {_ANY_FUNCTION}) @unit)"
_VARIABLES = (
    *(f"(program ({kind} (variable_declarator) @unit))" for kind in _DECLARATIONS),
    *(f"(program (export_statement ({kind} (variable_declarator) @unit)))" for kind in _DECLARATIONS),
    f"(variable_declarator value: {_ANY_FUNCTION}) @unit",
    "(variable_declarator value: (class)) @unit",
)
_PLACES = {
    "variable_declarator": _VARIABLES,
    "pair": (
        f"(program (_ (variable_declarator value: {_MEMBERS})))",
        f"(program (export_statement (_ (variable_declarator value: {_MEMBERS}))))",
        f"(program (export_statement {_MEMBERS}))",
        f"(assignment_expression left: (member_expression) right: {_MEMBERS})",
    ),
    "assignment_expression": (
        f"(assignment_expression left: (member_expression) right: {_ANY_FUNCTION}) @unit",
        "(assignment_expression left: (member_expression) right: (class)) @unit",
    ),
    **{kind: (f"(export_statement value: ({kind}) @unit)",) for kind in (*_FUNCTIONS, "class")},
}
_TYPED_PLACES = {
    **_PLACES,
    "variable_declarator": (
        *_VARIABLES,
        *(f"(program (ambient_declaration ({kind} (variable_declarator) @unit)))" for kind in _DECLARATIONS),
    ),
    "module": ("(module name: (_)) @unit",),
}


def _language(name: str, suffixes: tuple[str, ...], package: str, grammar: str) -> None:
    is_typed = "typescript" in package
    add(
        Language(
            name=name,
            suffixes=suffixes,
            package=package,
            grammar=grammar,
            units=_TYPED if is_typed else _UNITS,
            places=_TYPED_PLACES if is_typed else _PLACES,
            wrappers=("export_statement", *(["ambient_declaration"] if is_typed else [])),
            single_wrappers=("lexical_declaration", "variable_declaration"),
            leads=("comment", "decorator"),
            imports=("import_statement",),
        )
    )


_language("javascript", (".js", ".jsx", ".mjs", ".cjs"), "tree_sitter_javascript", "language")
_language("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript")
_language("typescript", (".tsx",), "tree_sitter_typescript", "language_tsx")
