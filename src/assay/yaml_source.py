"""YAML text as plain data that still knows on which line each value stands."""

from __future__ import annotations

import math
from typing import Any

import yaml

from assay.errors import AssayError
from assay.validation import Keys, name_of, shown


class Source:
    """A parsed text. Faults of its form (not YAML, a key given twice, not finite) are errors with file and line."""

    def __init__(self, text: str, where: str):
        self.where = where
        try:
            self._node = yaml.compose(text, Loader=yaml.SafeLoader)
            self._refuse_twice_given(self._node, set())
            self.data: Any = yaml.safe_load(text)
        except yaml.MarkedYAMLError as fault:
            line = fault.problem_mark.line + 1 if fault.problem_mark else 1
            raise AssayError(f"not YAML: {fault.problem}", where=f"{where}:{line}") from None
        except yaml.reader.ReaderError as fault:
            line = text.count("\n", 0, fault.position) + 1
            raise AssayError(f"not YAML: {fault.reason}", where=f"{where}:{line}") from None
        except RecursionError:
            raise AssayError("nested too deeply", where=where) from None
        except ValueError as fault:  # a date that is none, a number with thousands of digits
            raise AssayError(f"not YAML: {fault}", where=where) from None
        self._refuse_not_finite(self.data, (), set())

    def place(self, keys: Keys) -> str:
        """`file:line` of the value at that path, or of its deepest ancestor that is there."""
        node, line = self._node, self._node.start_mark.line if self._node else 0
        for key in keys:
            at, node = _child(node, key)
            if node is None:
                break
            line = at.start_mark.line
        return f"{self.where}:{line + 1}"

    def _refuse_twice_given(self, node: Any, seen: set[int]) -> None:
        """YAML keeps the last of two equal keys; which one was meant, only the user knows."""
        if node is None or isinstance(node, yaml.ScalarNode) or id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            for item in node.value:
                self._refuse_twice_given(item, seen)
            return
        first: dict[Any, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and first.setdefault(key.value, line) != line:
                what = f"'{key.value}' is given twice, first in line {first[key.value]}"
                raise AssayError(what, where=f"{self.where}:{line}")
            self._refuse_twice_given(value, seen)

    def _refuse_not_finite(self, value: Any, keys: Keys, seen: set[int]) -> None:
        if isinstance(value, float) and not math.isfinite(value):
            raise AssayError(f"{name_of(keys)} is {shown(value)}", where=self.place(keys), expected="a finite number")
        if not isinstance(value, dict | list) or id(value) in seen:
            return
        seen.add(id(value))
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            self._refuse_not_finite(child, (*keys, key), seen)


def _child(node: Any, key: str | int) -> tuple[Any, Any]:
    """The node that names the child (its key, or itself in a list) and the child."""
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
        return node.value[key], node.value[key]
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(key):
                return name, value
    return None, None
