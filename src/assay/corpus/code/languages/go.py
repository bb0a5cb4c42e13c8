"""Go. A method belongs to the type of its receiver."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.corpus.code.language import Description, Language, Sign, add, field_text, named, text_of, together

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


def _signature(node: Node) -> Description | None:
    """A method of an interface that has a name itself."""
    around = node.parent and node.parent.parent
    is_named = around is not None and around.type == "type_spec"
    return Description("function", field_text(node, "name"), is_declaration=True) if is_named else None


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
            "method_elem": _signature,
        },
        outermost={"const_spec": _value, "var_spec": _value},
        signs=(Sign("type", r"type[\s(]"),),
        braces=(b"type",),
        holders=("type_spec", "interface_type"),
        bodies={"function_declaration": "body", "method_declaration": "body"},
        through=("var_spec_list",),
        attributes=("comment",),
        single_wrappers=("type_declaration", "const_declaration", "var_declaration"),
        imports=("import_declaration", "package_clause"),
    )
)
