"""The part of JSON Schema that providers enforce for replies, checked here without trusting them.

A keyword outside that part is an error of the schema, so that no rule is ever silently ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.errors import AssayError

Schema = Mapping[str, Any]

_NOTES = {"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "format", "deprecated"}
_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": lambda value: _is_number(value),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
_LIMITS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minimum": (lambda value, limit: not _is_number(value) or value >= limit, "less than"),
    "maximum": (lambda value, limit: not _is_number(value) or value <= limit, "more than"),
    "exclusiveMinimum": (lambda value, limit: not _is_number(value) or value > limit, "not more than"),
    "exclusiveMaximum": (lambda value, limit: not _is_number(value) or value < limit, "not less than"),
    "minLength": (lambda value, limit: not isinstance(value, str) or len(value) >= limit, "shorter than"),
    "maxLength": (lambda value, limit: not isinstance(value, str) or len(value) <= limit, "longer than"),
    "minItems": (lambda value, limit: not isinstance(value, list) or len(value) >= limit, "shorter than"),
    "maxItems": (lambda value, limit: not isinstance(value, list) or len(value) <= limit, "longer than"),
    "pattern": (lambda value, limit: not isinstance(value, str) or bool(re.search(limit, value)), "not like"),
}
_PARTS = {"type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf", "$ref"}
KEYWORDS = _NOTES | _PARTS | set(_LIMITS)


def first_fault(value: Any, schema: Schema) -> str | None:
    """What is wrong with the value, with its place, or None."""
    return _fault(value, schema, schema, "it")


def check_schema(schema: Schema) -> None:
    """An unknown keyword or type is an error: its rule could not be kept."""
    for part in _all_parts(schema):
        for key in part:
            if key not in KEYWORDS:
                raise AssayError(f"the JSON schema has '{key}'", expected=f"one of {', '.join(sorted(KEYWORDS))}")
        for kind in _kinds(part):
            if kind not in _TYPES:
                raise AssayError(f"the JSON schema has type '{kind}'", expected=f"one of {', '.join(_TYPES)}")
        if "$ref" in part:
            _follow(part, schema)


def _fault(value: Any, schema: Schema, root: Schema, place: str) -> str | None:
    """The first, in the order type, value, forms, inner values."""
    if "$ref" in schema and (wrong := _fault(value, _follow(schema, root), root, place)):
        return wrong
    kinds = _kinds(schema)
    if kinds and not any(_TYPES[kind](value) for kind in kinds):
        return f"{place} is {_shown(value)}; expected {' or '.join(kinds)}"
    if wrong := _fault_of_value(value, schema, place):
        return wrong
    if "anyOf" in schema and all(_fault(value, each, root, place) for each in schema["anyOf"]):
        return f"{place} is {_shown(value)}: none of the allowed forms"
    if isinstance(value, dict):
        return _fault_of_object(value, schema, root, place)
    if isinstance(value, list) and "items" in schema:
        items = (_fault(item, schema["items"], root, f"{place}[{number}]") for number, item in enumerate(value))
        return next(filter(None, items), None)
    return None


def _fault_of_value(value: Any, schema: Schema, place: str) -> str | None:
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices is not None and not any(_same(value, each) for each in choices):
        return f"{place} is {_shown(value)}; expected {' or '.join(map(_shown, choices))}"
    for keyword, limit in schema.items():
        if keyword in _LIMITS and not _LIMITS[keyword][0](value, limit):
            return f"{place} is {_shown(value)}: {_LIMITS[keyword][1]} {_limit(limit)}"
    return None


def _limit(limit: Any) -> str:
    return f"{limit:g}" if isinstance(limit, float) else str(limit)


def _fault_of_object(value: dict[str, Any], schema: Schema, root: Schema, place: str) -> str | None:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place} has no '{name}'"
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in properties:
            rule = properties[name]
        elif others is False:
            return f"{place} has an unknown '{name}'"
        else:
            rule = others if isinstance(others, Mapping) else {}
        if wrong := _fault(item, rule, root, name if place == "it" else f"{place}.{name}"):
            return wrong
    return None


def _all_parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), Mapping)]
    for part in inner:
        yield from _all_parts(part)


def _follow(schema: Schema, root: Schema) -> Schema:
    reference = schema["$ref"]
    name = reference.removeprefix("#/$defs/")
    if name == reference or name not in root.get("$defs", {}):
        raise AssayError(f"the JSON schema refers to '{reference}'", expected="#/$defs/ and a name that is there")
    found: Schema = root["$defs"][name]
    return found


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(a: Any, b: Any) -> bool:
    """JSON's equality: 1 is 1.0 and is not true."""
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def _shown(value: Any) -> str:
    from assay.validation import shown

    return shown(value)
