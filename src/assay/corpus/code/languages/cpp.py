"""C++: C's table and more. A method defined outside its class is named as it is written, `Point::move`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.corpus.code.language import Description, Language, add, field_text, named, text_of, together, words
from assay.corpus.code.languages import c

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPORTED = r"[ \t]+)[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=\s+[A-Za-z_][\w:]*\s*(?:final\b\s*)?[:{])"
"""The macro in `class API_EXPORT Client {`, which would make a function of it."""
_MOC = r"Q_(?:OBJECT|GADGET|NAMESPACE)\b"
_ARGUMENTS = re.compile(r"<[^<>]*>(?=::)")


def _plain(name: str | None) -> str | None:
    """`Stack<T>::push` as `Stack::push`."""
    return name if name is None or "::" not in name else _ARGUMENTS.sub("", name).removeprefix("::")


def _function(node: Node) -> Description | None:
    declarator = node.child_by_field_name("declarator")
    name, _ = c.name_in(declarator)
    if name is None:
        return None
    if declarator is not None and declarator.type == "operator_cast":
        name = f"operator {text_of(declarator.child_by_field_name('type'))}"
    if name.isupper() and "::" not in name and _is_macro(node):
        name += "".join(text_of(declarator and declarator.child_by_field_name("parameters")).split())
    # `void ns::f() {}` is told from `void Type::f() {}` by the namespaces of the file, which the walker knows.
    return Description("method" if "::" in name else "function", _plain(name))


def _is_macro(node: Node) -> bool:
    """`TEST(Suite, Name) { … }` looks like a function that is always called TEST."""
    is_member = node.parent is not None and node.parent.type == "field_declaration_list"
    return not is_member and node.child_by_field_name("type") is None


def _declaration(node: Node) -> Description | None:
    """But `class API_EXPORT Client;` is announced, no variable."""
    found = c.declaration(node)
    if found is None:
        return None
    if found.kind == "variable":
        target = node.child_by_field_name("type")
        if target is not None and target.type == "class_specifier":
            return None
    if not found.also:
        return _described(found)
    return together([_described(each) for each in (found, *found.also)])


def _described(found: Description) -> Description:
    name = _plain(found.name)
    return replace(found, name=name, also=()) if found.also or name != found.name else found


def _field(node: Node) -> Description | None:
    """Of the fields of a class only methods, and constants with a value."""
    names = c.declared(node)
    methods = [_described(c.prototype(each)) for each in names if each.is_function]
    if methods:
        return together(methods)
    if node.child_by_field_name("default_value") is None:
        return None
    words = {text_of(child) for child in node.children if child.type.endswith(("specifier", "qualifier"))}
    is_constant = words & {"const", "constexpr"}
    return together([Description("constant", each.name) for each in names]) if is_constant else None


def _namespace(node: Node) -> Description | None:
    """One without a name hides its content and names nothing."""
    name = field_text(node, "name")
    return Description("module", "".join(name.split())) if name else None


def _concept(node: Node) -> Description:
    return Description("type", field_text(node, "name"))


add(
    Language(
        name="cpp",
        suffixes=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".h", ".inl", ".ipp", ".cu", ".cuh"),
        package="tree_sitter_cpp",
        units={
            **c.UNITS,
            "function_definition": _function,
            "declaration": _declaration,
            "field_declaration": _field,
            "class_specifier": c.body("class"),
            "namespace_definition": _namespace,
            "alias_declaration": named("type"),
            "concept_definition": _concept,
        },
        places=dict.fromkeys(
            ("declaration", "alias_declaration"), (*c.DECLARED, "field_declaration_list", "template_declaration")
        ),
        signs=(*c.SIGNS, *words("class", "namespace")),
        braces=c.BRACES,
        braced=c.BRACED,
        holders=(*c.HOLDERS, "friend_declaration"),
        bodies={"namespace_definition": "body"},
        leaves=c.LEAVES,
        wrappers=("template_declaration",),
        attributes=("comment",),
        imports=("preproc_include", "using_declaration"),
        noise=(
            *c.NOISE,
            *((word.encode(), f"({word}{_EXPORTED}") for word in ("class", "struct", "union")),
            (b"Q_", _MOC),
        ),
        test_mark=(b"TEST", r"^\s*(?:TEST|TEST_F|TEST_P|TEST_CASE|BOOST_AUTO_TEST_CASE)\s*\("),
    )
)
