"""YAML text as plain data that still knows on which line each value stands."""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar

import yaml

from assay.errors import AssayError
from assay.validation import Keys, name_of, shown


class Loader(yaml.SafeLoader):
    """Plain words mean what they mean in YAML 1.2: `no` is Norwegian and `off` a word, `010` is ten, `1e-3` a number.

    PyYAML alone follows YAML 1.1, where they are false, false, eight and a word.
    """

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {}  # type: ignore[misc]

    def whole_number(self, node: yaml.ScalarNode) -> int:
        text: str = self.construct_scalar(node)
        return int(text, 16 if text.startswith("0x") else 8) if text[:2] in {"0x", "0o"} else int(text)

    def number(self, node: yaml.ScalarNode) -> float:
        return float(self.construct_scalar(node).replace(".inf", "inf").replace(".nan", "nan").lower())


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan", "-+.0123456789"),
    ("merge", r"<<", "<"),
):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first))
Loader.add_constructor("tag:yaml.org,2002:int", Loader.whole_number)
Loader.add_constructor("tag:yaml.org,2002:float", Loader.number)


class Source:
    """A parsed text. Faults of its form (not YAML, a key given twice, not finite) are errors with file and line."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        try:
            loader = Loader(text)
            self._node = loader.get_single_node()
            self._refuse_twice_given(self._node, set())
            self.data: Any = loader.construct_document(self._node) if self._node else None
        except yaml.MarkedYAMLError as fault:
            line = fault.problem_mark.line + 1 if fault.problem_mark else 1
            raise AssayError(f"not YAML: {fault.problem}", where=f"{where}:{line}") from None
        except yaml.reader.ReaderError as fault:
            line = text.count("\n", 0, fault.position) + 1
            raise AssayError(f"not YAML: {fault.reason}", where=f"{where}:{line}") from None
        except RecursionError:
            raise AssayError("nested too deeply", where=where) from None
        except ValueError as fault:  # a number with thousands of digits
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
