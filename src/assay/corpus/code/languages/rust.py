"""Rust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.corpus.code.language import Description, Language, add, field_text, named, text_of, words

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENTS = re.compile(r"<.*>$")


def _impl(node: Node) -> Description:
    """`impl Point` and `impl Display for Point`; only the methods of the first are `Point::…`."""
    target = text_of(node.child_by_field_name("type"))
    trait = field_text(node, "trait")
    if trait:
        return Description("impl", f"impl {trait} for {target}")
    return Description("impl", f"impl {target}", _ARGUMENTS.sub("", target))


def _module(node: Node) -> Description | None:
    """`mod name;` is another file's content."""
    return Description("module", field_text(node, "name")) if node.child_by_field_name("body") is not None else None


def _constant(node: Node) -> Description | None:
    """`const _: () = …` only checks something."""
    name = field_text(node, "name")
    return None if name == "_" else Description("constant", name)


def _macro(node: Node) -> Description:
    return Description("macro", f"{field_text(node, 'name')}!")


add(
    Language(
        name="rust",
        suffixes=(".rs",),
        package="tree_sitter_rust",
        units={
            "function_item": named("function"),
            "function_signature_item": named("function", is_declaration=True),
            "struct_item": named("struct"),
            "union_item": named("union"),
            "enum_item": named("enum"),
            "trait_item": named("trait"),
            "impl_item": _impl,
            "mod_item": _module,
            "macro_definition": _macro,
            "const_item": _constant,
            "static_item": named("constant"),
            "type_item": named("type"),
        },
        places=dict.fromkeys(("const_item", "static_item", "type_item"), ("source_file", "declaration_list")),
        signs=words("fn", "struct", "union", "enum", "trait", "impl", "mod", "macro_rules"),
        braces=(b"{", b"struct", b"macro_rules"),
        holders=("declaration_list",),
        bodies=dict.fromkeys(("function_item", "impl_item", "mod_item", "trait_item", "foreign_mod_item"), "body"),
        leaves=("struct_item", "union_item", "enum_item", "macro_definition", "function_signature_item"),
        attributes=("attribute_item", "block_comment"),
        comments=("line_comment", "block_comment"),
        line_comment=b"//",
        inner_docs=(b"//!", b"/*!"),
        imports=("use_declaration", "extern_crate_declaration", "inner_attribute_item"),
        test_mark=(
            b"test",
            r"^\s*#\[(?:(?:\w+::)*(?:test|rstest|test_case)\b|cfg\((?:all\((?:[^()]*,)?\s*)?test\s*[,)])",
        ),
    )
)
