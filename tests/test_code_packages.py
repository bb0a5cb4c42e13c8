"""Whole installed packages against Python's own parser: every function, method and class, none missed, none twice."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.corpus.code import unit_files, units_of

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def defined(node: ast.AST, scope: str = "") -> Iterator[tuple[str, int, int]]:
    """Qualified name, line of the first decorator or the keyword, last line."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, DEFINITIONS):
            name = f"{scope}::{child.name}" if scope else child.name
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield name, first, child.end_lineno or first
            yield from defined(child, name)
        else:
            yield from defined(child, scope)


@pytest.mark.parametrize("package", ["assay", "msgspec", "rich", "yaml", "pypdfium2", "pytest", "_pytest"])
def test_a_whole_package(package: str) -> None:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    files = [path for path in unit_files(root) if path.suffix == ".py"]
    assert files
    for path in files:
        source = path.read_bytes()
        truth = sorted(defined(ast.parse(source)))
        units = units_of(path.name, source)
        found = sorted(
            (str(unit.symbol), unit.first_line, unit.last_line)
            for unit in units
            if unit.kind in {"function", "method", "class"}
        )
        assert [name for name, _, _ in found] == [name for name, _, _ in truth], path
        # Comments before and behind a definition may belong to it: its lines lie inside.
        assert all(a <= b and c >= d for (_, a, c), (_, b, d) in zip(found, truth, strict=True)), path
        assert max(Counter(unit.id for unit in units).values(), default=1) == 1, path
