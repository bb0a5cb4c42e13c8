"""Go. A method belongs to the type of its receiver."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.corpus.code.language import Description, Language, add, field_text, named, text_of, together

if TYPE_CHECKING:
    from tree_sitter import Node

_RECEIVER = re.compile(r"\(\s*(?:\w+\s+)?\*?\s*(\w+)")
_KINDS = {"struct_type": "struct", "interface_type": "interface"}


def _method(node: Node) -> Description:
    owner = _RECEIVER.match(text_of(node.child_by_field_name("receiver")))
    name = field_text(node, "name")
    return Description("method", f"{owner[1]}::{name}" if owner else name)


def _type(node: Node) -> Description:
    definition = node.child_by_field_name("type")
    return Description(_KINDS.get(definition.type if definition else "", "type"), field_text(node, "name"))


def _value(node: Node) -> Description | None:
    """`var _ Interface = …` only checks that a type fits."""
    names = [text_of(each) for each in node.children_by_field_name("name") if each.is_named]
    return together([Description("constant", name) for name in names if name != "_"])


add(
    Language(
        name="go",
        suffixes=(".go",),
        package="tree_sitter_go",
        units={
            "function_declaration": named("function"),
            "method_declaration": _method,
            "type_spec": _type,
            "type_alias": named("type"),
            "method_elem": named("function", is_declaration=True),
            "const_spec": _value,
            "var_spec": _value,
        },
        places={
            "method_elem": ("(type_spec type: (interface_type (method_elem) @unit))",),
            "const_spec": ("(source_file (const_declaration (const_spec) @unit))",),
            "var_spec": (
                "(source_file (var_declaration (var_spec) @unit))",
                "(source_file (var_declaration (var_spec_list (var_spec) @unit)))",
            ),
        },
        attributes=("comment",),
        single_wrappers=("type_declaration", "const_declaration", "var_declaration"),
        imports=("import_declaration", "package_clause"),
    )
)
