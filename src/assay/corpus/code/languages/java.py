"""Java. Constants are the static final fields of a class and the fields of an interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.corpus.code.language import OPENING, Description, Language, add, field_text, named, text_of, together, words

if TYPE_CHECKING:
    from tree_sitter import Node


def _method(node: Node) -> Description:
    return Description("method", field_text(node, "name"), is_declaration=node.child_by_field_name("body") is None)


def _field(node: Node) -> Description | None:
    if node.type == "field_declaration" and not {"static", "final"} <= {*text_of(node.named_children[0]).split()}:
        return None
    declarators = node.children_by_field_name("declarator")
    return together([Description("constant", field_text(each, "name")) for each in declarators])


def _enum_constant(node: Node) -> Description | None:
    """One with a body of its own is a class, whose methods are not those of its neighbours."""
    return Description("class", field_text(node, "name")) if node.child_by_field_name("body") is not None else None


_TYPES = (
    "class_declaration",
    "record_declaration",
    "interface_declaration",
    "annotation_type_declaration",
    "enum_declaration",
)

add(
    Language(
        name="java",
        suffixes=(".java",),
        package="tree_sitter_java",
        units={
            "class_declaration": named("class"),
            "record_declaration": named("class"),
            "interface_declaration": named("interface"),
            "annotation_type_declaration": named("interface"),
            "enum_declaration": named("enum"),
            "enum_constant": _enum_constant,
            "method_declaration": _method,
            "annotation_type_element_declaration": _method,
            "constructor_declaration": named("method"),
            "compact_constructor_declaration": named("method"),
            "field_declaration": _field,
            "constant_declaration": _field,
            "module_declaration": named("module"),
        },
        signs=(*words("class", "interface", "enum", "record"), OPENING),
        holders=("class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body"),
        bodies={
            **dict.fromkeys(_TYPES, "body"),
            **dict.fromkeys(("method_declaration", "constructor_declaration", "enum_constant"), "body"),
        },
        attributes=("block_comment",),
        comments=("line_comment", "block_comment"),
        line_comment=b"//",
        imports=("import_declaration", "package_declaration"),
        test_mark=(b"Test", r"^\s*@(?:\w+\.)*(?:\w*Test)\b"),
    )
)
