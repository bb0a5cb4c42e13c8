"""Imports go downward only. The order is data; a module that is not in it fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import assay

ROOT = Path(assay.__file__).parent

LAYERS = (
    ("", "errors", "records"),
    ("registry", "files", "locks", "long_json", "on_disk", "validation", "sampling", "urls"),
    ("yaml_source",),
    ("config", "http"),
    ("metrics", "stats", "llm", "embedders"),
    ("trec",),
    ("corpus", "retrievers", "judges"),
    ("gold", "systems"),
    ("evaluate", "runs", "compare", "retrieval", "rag", "extraction", "lanes"),
    ("report",),
    ("scaffold", "selftest"),
    ("cli", "viewer", "testing"),
    ("__main__",),
)
"""Lowest first; the name is the one behind `assay.`, and the empty one is the package itself."""

ABOVE = {name: height for height, layer in enumerate(LAYERS) for name in layer}

AT_START = {"__future__", "argparse", "collections", "os", "pathlib", "sys", "types", "typing", "importlib"}
"""What a command's file may import before it is asked to run, beside `assay` and `assay.errors`."""


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(("assay", *(part for part in parts if part != "__init__")))] = path
    return found


def imports(module: str) -> Iterator[str]:
    """Every module of the package that this one names, in functions and for type checkers too."""
    for node in ast.walk(ast.parse(modules()[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "assay")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports by dots; say the whole name"
            if node.module and node.module.split(".")[0] == "assay":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if inner in modules() else node.module


def layer(module: str) -> str:
    return module.removeprefix("assay").lstrip(".").split(".")[0]


@pytest.mark.parametrize("module", modules())
def test_imports_go_downward(module: str) -> None:
    assert layer(module) in ABOVE, f"{module} is in no layer; give it one"
    height = ABOVE[layer(module)]
    assert {name for name in imports(module) if ABOVE.get(layer(name), len(LAYERS)) > height} == set()


def graph(of_layers: bool) -> dict[str, set[str]]:
    edges: dict[str, set[str]] = {}
    for module in modules():
        source = layer(module) if of_layers else module
        targets = {layer(name) if of_layers else name for name in imports(module)}
        edges.setdefault(source, set()).update(targets - {source})
    return edges


@pytest.mark.parametrize("of_layers", [False, True], ids=["modules", "packages"])
def test_there_are_no_cycles(of_layers: bool) -> None:
    """Leaves are taken off until nothing is left; what cannot be taken off runs in a circle."""
    edges = graph(of_layers)
    while leaves := {name for name, targets in edges.items() if not targets & edges.keys()}:
        edges = {name: targets for name, targets in edges.items() if name not in leaves}
    assert edges == {}


COMMANDS = [name for name in modules() if re.match(r"assay\.cli\.[a-z]", name)]


@pytest.mark.parametrize("module", COMMANDS)
def test_a_command_imports_next_to_nothing_before_it_runs(module: str) -> None:
    body = ast.parse(modules()[module].read_text("utf-8")).body
    top = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module or "" for node in top if isinstance(node, ast.ImportFrom)}
    heavy = {name for name in named if name.split(".")[0] not in AT_START and name not in {"assay", "assay.errors"}}
    assert heavy == set()


def exports(node: ast.stmt) -> bool:
    """At once, or when a name is asked for."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.FunctionDef):
        return node.name == "__getattr__"
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Expr | ast.Assign)


def test_packages_export_and_do_nothing_else() -> None:
    for name, path in modules().items():
        if path.name == "__init__.py":
            body = ast.parse(path.read_text("utf-8")).body
            assert all(map(exports, body)), f"{name} does more than export"
