"""Python. A module's constants are its names in capitals or with a type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.corpus.code.language import Description, Language, Sign, add, field_text, named, text_of, together

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT = re.compile(r"_*[A-Z]\w*")
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
_SECONDARY = re.compile(r"@\s*(?:\w+\.)*(?:setter|deleter|overload)\s*$", re.MULTILINE)


def _function(node: Node) -> Description:
    """Setters, deleters and overload signatures share the name of the real one."""
    wrapper = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else None
    is_secondary = False
    if wrapper is not None:
        decorators = "\n".join(text_of(child) for child in wrapper.children if child.type == "decorator")
        is_secondary = _SECONDARY.search(decorators) is not None
    return Description("function", field_text(node, "name"), is_declaration=is_secondary)


def _alias(node: Node) -> Description | None:
    """`type Pair[K] = …` is Pair; `type(a).b = …` is no alias, though the grammar takes it for one."""
    if not (node.text or b"")[4:5].isspace():
        return None
    return Description("type", (field_text(node, "left") or "").partition("[")[0].strip() or None)


def _assignment(node: Node) -> Description | None:
    """Every name on the left: `A = B = 1`, `A, (B, *C) = …`."""
    inner: Node | None = node.named_children[0]
    names: dict[str, None] = {}
    while inner is not None and inner.type == "assignment":
        is_typed = inner.child_by_field_name("type") is not None
        for name in map(text_of, _targets(inner.child_by_field_name("left"))):
            if is_typed or _CONSTANT.fullmatch(name):
                names[name] = None
        inner = inner.child_by_field_name("right")
    return together([Description("constant", name) for name in names])


def _targets(left: Node | None) -> Iterator[Node]:
    if left is None or left.type == "identifier":
        yield from [left] if left is not None else []
    elif left.type in _PATTERNS:
        for part in left.named_children:
            yield from _targets(part)


add(
    Language(
        name="python",
        suffixes=(".py", ".pyi", ".pyw"),
        package="tree_sitter_python",
        units={
            "function_definition": _function,
            "class_definition": named("class"),
            "type_alias_statement": _alias,
        },
        outermost={"expression_statement": _assignment},
        signs=(
            Sign("def", r"def[\s\\]"),
            Sign("class", r"class[\s\\]"),
            Sign("type", r"type\s+\w+\s*[=\[]"),
            Sign("import"),
        ),
        braces=(b"",),
        bodies={"function_definition": "body", "class_definition": "body"},
        wrappers=("decorated_definition",),
        line_comment=b"#",
        imports=("import_statement", "import_from_statement", "future_import_statement"),
        test_mark=(b"TestCase", r"^class\s+\w+\s*\([^)]*TestCase\b"),
    )
)
