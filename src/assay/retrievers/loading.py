"""Finds `module:function`, also in the folder one stands in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.errors import AssayError, offer

ASKED = ("invoke", "query", "retrieve")
"""Methods by which pipelines are known."""


def load_function(name: str, kind: str) -> Callable[..., Any]:
    """The callable of that name; what is wrong with the name or the module is told in one line."""
    target = load_object(name, kind)
    if not callable(target):
        raise AssayError(f"'{name}' is not callable", expected="a function")
    function: Callable[..., Any] = target
    return function


def load_object(name: str, kind: str) -> Any:
    """Whatever the module calls by that name."""
    module_name, _, object_name = name.partition(":")
    if not module_name or not object_name:
        raise AssayError(f"'{kind}:{name}' names no function", expected=f"{kind}:module:function")
    module = _import(module_name)
    target: Any = module
    for part in object_name.split("."):
        if not hasattr(target, part):
            raise AssayError(f"the module '{module_name}' has no '{object_name}'", hint=offer(part, _usable(target)))
        target = getattr(target, part)
    return target


def _import(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name and name.split(".")[0] == fault.name.split(".")[0]:
            raise AssayError(f"no module '{name}', neither installed nor in {here}") from None
        raise AssayError(f"the module '{name}' does not load: {fault}") from fault
    except (Exception, SystemExit) as fault:  # the user's code; its fault is told, not passed on
        raise AssayError(f"the module '{name}' does not load: {fault!r}") from fault


def _usable(target: object) -> list[str]:
    """What could have been meant: functions, classes, and objects that are asked by a method of theirs."""
    found = {name: getattr(target, name, None) for name in dir(target) if not name.startswith("_")}
    return [
        name
        for name, value in found.items()
        if callable(value) or any(hasattr(type(value), method) for method in ASKED)
    ]
