"""C++: C's table and more. A method defined outside its class is named as it is written, `Point::move`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.corpus.code.language import Description, Language, add, field_text, named, text_of
from assay.corpus.code.languages import c

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPORTED = (
    r"(\n[ \t]*(?:template\s*<[^{};]*>\s*)?(?:class|struct|union)[ \t]+)"
    r"[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=\s+[A-Za-z_][\w:]*\s*(?:final\b\s*)?[:{])"
)
"""The macro in `class API_EXPORT Client {`, which would make a function of it."""
_MOC = r"(\n[ \t]*)Q_(?:OBJECT|GADGET|NAMESPACE)\b"
_ARGUMENTS = re.compile(r"<[^<>]*>(?=::)")


def _plain(name: str | None) -> str | None:
    """`Stack<T>::push` as `Stack::push`."""
    return None if name is None else _ARGUMENTS.sub("", name).removeprefix("::")


def _function(node: Node) -> Description | None:
    name, _ = c.declared(node)
    if name is None:
        return None
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "operator_cast":
        name = f"operator {text_of(declarator.child_by_field_name('type'))}"
    is_member = "::" in name or (node.parent is not None and node.parent.type == "field_declaration_list")
    is_macro = name.isupper() and not is_member and node.child_by_field_name("type") is None
    # `TEST(Suite, Name) { … }` looks like a function that is always called TEST.
    name += "".join(text_of(declarator and declarator.child_by_field_name("parameters")).split()) if is_macro else ""
    return Description("function", _plain(name))


def _declaration(node: Node) -> Description | None:
    found = c.declaration(node)
    return found and Description(found.kind, _plain(found.name), is_declaration=found.is_declaration)


def _field(node: Node) -> Description | None:
    """Of the fields of a class only methods, and constants with a value."""
    name, is_function = c.declared(node)
    if is_function:
        return Description("function", _plain(name), is_declaration=True)
    has_value = node.child_by_field_name("default_value") is not None
    words = {text_of(child) for child in node.children if child.type.endswith(("specifier", "qualifier"))}
    return Description("constant", name) if has_value and words & {"const", "constexpr"} else None


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
        places={
            kind: c.outside(kind, "field_declaration_list", "template_declaration")
            for kind in ("declaration", "alias_declaration")
        },
        wrappers=("template_declaration",),
        imports=("preproc_include", "using_declaration"),
        noise=(*c.NOISE, (b"class", _EXPORTED), (b"struct", _EXPORTED), (b"Q_", _MOC)),
        test_mark=r"^\s*(?:TEST|TEST_F|TEST_P|TEST_CASE|BOOST_AUTO_TEST_CASE)\s*\(",
    )
)
