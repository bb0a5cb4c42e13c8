"""TypeScript and JavaScript: the same table, three grammars."""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.corpus.code.language import (
    Description,
    Language,
    Sign,
    add,
    field_text,
    is_control,
    named,
    text_of,
    together,
    words,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_WITH_BODIES = frozenset({*_FUNCTIONS, "function_declaration", "generator_function_declaration", "method_definition"})
_TYPES_WITH_NAMES = frozenset({"type_alias_declaration", "interface_declaration"})
_DECLARATIONS = ("lexical_declaration", "variable_declaration")
_AROUND = ("export_statement", "ambient_declaration")
_SHARED = frozenset({"exports", "module.exports", "window", "globalThis", "self"})


def _value_kind(node: Node, field: str, otherwise: str | None) -> str | None:
    value = node.child_by_field_name(field)
    if value is not None and value.type in _FUNCTIONS:
        return "function"
    return "class" if value is not None and value.type == "class" else otherwise


def _variable(node: Node) -> Description | None:
    """`const a = () => …` is a function; what is only required here is defined elsewhere; `const a = exports.b = …` is
    described with the assignment if that defines something."""
    value = node.child_by_field_name("value")
    if value is not None and _is_required(value):
        return None
    names = {text_of(each): Description("constant", text_of(each)) for each in _names(node.child_by_field_name("name"))}
    while value is not None and value.type == "assignment_expression":
        if _value_kind(value, "right", None):
            return None
        left = value.child_by_field_name("left")
        also = _assigned("constant", text_of(left)) if left is not None and left.type == "member_expression" else None
        if also is not None and also.name is not None:
            names.setdefault(also.name, also)
        value = value.child_by_field_name("right")
    kind = _value_kind(node, "value", "constant")
    return together([each if kind == "constant" else replace(each, kind=kind) for each in names.values()])


def _local(node: Node) -> Description | None:
    """Of the variables of a function or a block only functions and classes."""
    return _variable(node) if _value_kind(node, "value", None) else None


def _is_required(value: Node) -> bool:
    """`require("a")`, and what is taken out of it: `require("a").b`."""
    inner: Node | None = value
    is_call = False
    while inner is not None and inner.type in {"call_expression", "member_expression"}:
        is_call = inner.type == "call_expression"
        inner = inner.child_by_field_name("function" if is_call else "object")
    return is_call and text_of(inner) == "require"


def _names(pattern: Node | None) -> Iterator[Node]:
    """What a declarator names: `a`, or every name that `{a, b: [c], d = 1, ...rest}` takes out of a value."""
    if pattern is None:
        return
    if pattern.type in {"identifier", "shorthand_property_identifier_pattern"}:
        yield pattern
    elif pattern.type in {"pair_pattern", "object_assignment_pattern", "assignment_pattern"}:
        yield from _names(pattern.child_by_field_name("value" if pattern.type == "pair_pattern" else "left"))
    elif pattern.type in {"object_pattern", "array_pattern", "rest_pattern"}:
        for part in pattern.named_children:
            yield from _names(part)


def _field(node: Node) -> Description | None:
    """A field of a class that holds a function, or a constant: `static readonly`."""
    words = {child.type for child in node.children}
    kind = _value_kind(node, "value", "constant" if {"static", "readonly"} <= words else None)
    name = field_text(node, "name") or field_text(node, "property")
    return Description(kind, name) if kind else None


def _pair(node: Node) -> Description | None:
    """A function in an object that is worth finding itself: a variable of the file, an export, a property."""
    value = node.child_by_field_name("value")
    if value is None or value.type not in _FUNCTIONS:
        return None
    whole = node.parent and node.parent.parent
    if whole is None or not (whole.type == "export_statement" or _is_property(whole) or _is_outermost(whole)):
        return None
    return Description("function", (field_text(node, "key") or "").strip("'\"`") or None)


def _is_property(node: Node) -> bool:
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
    return left is not None and left.type == "member_expression"


def _is_outermost(node: Node) -> bool:
    around = node.parent and node.parent.parent if node.type == "variable_declarator" else None
    while around is not None and around.type in _AROUND:
        around = around.parent
    return around is not None and around.type == "program"


def _assignment(node: Node) -> Description | None:
    """`exports.a = function …` defines a, `Point.prototype.move = …` defines Point::move, `a = exports.b = …` both."""
    kind, left = _value_kind(node, "right", None), node.child_by_field_name("left")
    if kind is None or left is None or left.type != "member_expression":
        return None
    whole, lefts = node, [left]
    while whole.parent is not None and whole.parent.type in {"assignment_expression", "variable_declarator"}:
        whole = whole.parent
        outer = whole.child_by_field_name("left") or whole.child_by_field_name("name")
        lefts[:0] = [] if outer is None else [outer]
    named = {each.name: each for left in lefts if (each := _assigned(kind, text_of(left)))}
    if len(named) > 1:
        named.pop("default", None)
    return together([replace(each, whole=whole) for each in named.values()])


def _assigned(kind: str, left: str) -> Description | None:
    if left == "module.exports":
        return _default(kind)
    parts = left.replace(".prototype.", ".").rpartition(".")
    if parts[0] == "this" or "[" in left or "(" in left or "{" in left:
        return None
    owner = "" if parts[0] in _SHARED else parts[0].replace(".", "::")
    kind = "method" if ".prototype." in left and kind == "function" else kind
    return Description(kind, f"{owner}::{parts[2]}" if owner else parts[2])


def _default(kind: str) -> Description:
    return Description(kind, "default")


def _expression(node: Node) -> Description:
    kind = "class" if node.type == "class" else "function"
    name = field_text(node, "name")
    return Description(kind, name) if name else _default(kind)


def _module(node: Node) -> Description | None:
    return Description("module", (field_text(node, "name") or "").strip("'\"").replace(".", "::") or None)


def _function(node: Node) -> Description:
    name = field_text(node, "name")
    return Description("function", name) if name else _default("function")


def _class(node: Node) -> Description:
    name = field_text(node, "name")
    return Description("class", name) if name else _default("class")


_declared = named("function", is_declaration=True)


def _anonymous(node: Node) -> Description | None:
    """A method of a type without a name, if a name leads there: not if it is the type of a variable in a function."""
    return None if _is_in_body(node.parent) else _declared(node)


def _is_in_body(node: Node | None) -> bool:
    """Inside a function, with no type between that has a name."""
    inner = ""
    while node is not None and node.type not in _TYPES_WITH_NAMES:
        if inner == "statement_block" and node.type in _WITH_BODIES:
            return True
        inner, node = node.type, node.parent
    return False


def _is_handed_on(line: bytes) -> bool:
    """Of the function in `run(1, function () { … })`, which nobody can ask for."""
    return line.removesuffix(b"functi").rstrip().endswith(_BEFORE_ARGUMENTS)


def _is_arrow_handed_on(line: bytes) -> bool:
    """Of the arrow in `map(a => …)` and `map((a, b) => …)`."""
    line = line.rstrip()
    before = _before_parameters(line) if line.endswith(b")") else line.rstrip(_LETTERS)
    return before.rstrip().endswith(_BEFORE_ARGUMENTS)


def _is_no_method(line: bytes) -> bool:
    """Of the brace in `if (…) {` and in `function (…) {`."""
    return is_control(line) or _before_parameters(line.rstrip()).rstrip().endswith(b"function")


def _before_parameters(line: bytes) -> bytes:
    """Nothing, if there are parentheses in the parentheses."""
    start = line.rfind(b"(")
    return line[:start] if start >= 0 and b")" not in line[start:-1] else b""


_BEFORE_ARGUMENTS = (b"(", b",")
_LETTERS = (string.ascii_letters + string.digits + "_$").encode()
_UNITS = {
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "class_declaration": _class,
    "method_definition": named("function"),
    "field_definition": _field,
    "variable_declarator": _local,
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
    "function_signature": _declared,
    "method_signature": _declared,
    "abstract_method_signature": _declared,
    "abstract_class_declaration": _class,
    "interface_declaration": named("interface"),
    "type_alias_declaration": named("type"),
    "enum_declaration": named("enum"),
    "internal_module": _module,
    "module": _module,
}
_PLACES = dict.fromkeys((*_FUNCTIONS, "class"), ("export_statement",))
_SIGNS = (
    Sign("function", unless=_is_handed_on),
    Sign("=>", unless=_is_arrow_handed_on),
    Sign("class"),
    Sign(")", r"\)\s*[{/]", _is_no_method),
)
_TYPED_SIGNS = (
    *_SIGNS,
    Sign("type", r"type\s"),
    *words("interface", "enum", "namespace", "module"),
    Sign(")", r"\)\s*:"),
)
_SIGNATURES = ("function_signature", "method_signature", "abstract_method_signature", "property_signature")
_TYPES = (
    "type_alias_declaration",
    "type_annotation",
    "object_type",
    "type_parameters",
    "union_type",
    "intersection_type",
    "function_type",
)
_HOLDERS = ("class_declaration", "class_body")
_TYPED_HOLDERS = (
    *_HOLDERS,
    "abstract_class_declaration",
    "interface_declaration",
    "interface_body",
    "internal_module",
    "module",
)


def _language(name: str, suffixes: tuple[str, ...], package: str, grammar: str) -> None:
    is_typed = "typescript" in package
    add(
        Language(
            name=name,
            suffixes=suffixes,
            package=package,
            grammar=grammar,
            units=_TYPED if is_typed else _UNITS,
            outermost={"variable_declarator": _variable},
            places=_PLACES,
            within={"object_type": {"method_signature": _anonymous}} if is_typed else {},
            signs=_TYPED_SIGNS if is_typed else _SIGNS,
            openers=(b"namespace", b"module", b"{") if is_typed else (),
            holders=_TYPED_HOLDERS if is_typed else _HOLDERS,
            braces=(b"{", b"=>", b"type") if is_typed else (b"{", b"=>"),
            bodies={"interface_declaration": "body", "internal_module": "body", "module": "body"} if is_typed else {},
            braced=("formal_parameters", *(_SIGNATURES + _TYPES if is_typed else ())),
            leaves=("export_clause", "regex", "empty_statement"),
            wrappers=("export_statement", *(["ambient_declaration"] if is_typed else [])),
            single_wrappers=_DECLARATIONS,
            attributes=("decorator", "comment"),
            imports=("import_statement",),
        )
    )


_language("javascript", (".js", ".jsx", ".mjs", ".cjs"), "tree_sitter_javascript", "language")
_language("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript")
_language("typescript", (".tsx",), "tree_sitter_typescript", "language_tsx")
