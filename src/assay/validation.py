"""Data against a record: what is wrong is said in the user's words, with its place and the nearest known key."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from assay.errors import AssayError, offer

T = TypeVar("T")
Keys = tuple[str | int, ...]
Place = Callable[[Keys], str]
"""From the path of a value to `file:line`."""

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a block of keys",
}
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>\d+)\]|(?P<any>\[\.\.\.\])")


def convert(data: Any, kind: type[T], place: Place, hidden: frozenset[str] = frozenset()) -> T:
    """The record; the first fault found is an error. `hidden` fields are not the user's to give."""
    try:
        record = msgspec.convert(data, kind)
    except msgspec.ValidationError as fault:
        what, _, path = str(fault).partition(" - at `")
        keys = _keys(path, data, kind)
        if "unknown field" in what:
            raise _unknown_key((*keys, what.split("`")[1]), kind, place, hidden) from None
        said, expected = _said(what, _follow(data, keys), _type_at(kind, keys))
        name = name_of(keys) or "it"
        raise AssayError(f"{name}{said}", where=place(keys), expected=expected) from None
    except UnicodeEncodeError:
        raise AssayError("a key or a named choice holds half a surrogate pair", where=place(())) from None
    for key in sorted(hidden.intersection(data)):
        raise _unknown_key((key,), kind, place, hidden)
    return record


def name_of(keys: Keys) -> str:
    """`retrieval.gates[0].measure`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")


def shown(value: Any) -> str:
    """The value, short and on one line, whatever it is."""
    viewer = reprlib.Repr()
    viewer.maxstring = viewer.maxother = viewer.maxlong = 60
    viewer.maxlevel = 2
    return viewer.repr(value)


def _said(what: str, value: Any, info: inspect.Type) -> tuple[str, str | None]:
    """What is wrong with the value, and what was expected."""
    if isinstance(value, dict) and any(not isinstance(key, str) for key in value):
        return " has a key that is not text", None
    if "missing required field" in what:
        return f" has no '{what.split('`')[1]}'", None
    if what.startswith("Invalid enum value"):
        return f" is {shown(value)}", " or ".join(map(str, getattr(info, "values", ())))
    if what.startswith("Expected "):
        return f" is {shown(value)}", _plain(what)
    return f": {what}", None


def _unknown_key(keys: Keys, kind: type, place: Place, hidden: frozenset[str]) -> AssayError:
    """The error for a key that no record has, offering those of its block."""
    block = _type_at(kind, keys[:-1])
    known = {field.encode_name for field in block.fields} if isinstance(block, inspect.StructType) else set()
    return AssayError(f"unknown key '{keys[-1]}'", where=place(keys), hint=offer(str(keys[-1]), known - hidden))


def _plain(what: str) -> str:
    """``Expected `int` >= 1, got `str` `` as `a whole number >= 1`."""
    wanted = what.removeprefix("Expected ").partition(", got ")[0]
    return re.sub(r"`([^`]+)`", lambda match: " or ".join(_WORDS.get(w, w) for w in match[1].split(" | ")), wanted)


def _type_at(kind: type, keys: Keys) -> inspect.Type:
    info = _bare(inspect.type_info(kind))
    for key in keys:
        if isinstance(info, inspect.StructType):
            info = next(field.type for field in info.fields if field.encode_name == key)
        else:
            info = info.value_type if isinstance(info, inspect.DictType) else info.item_type  # type: ignore[attr-defined]
        info = _bare(info)
    return info


def _bare(info: inspect.Type) -> inspect.Type:
    """Without its description, and without `| None`."""
    while isinstance(info, inspect.Metadata):
        info = info.type
    if isinstance(info, inspect.UnionType):
        return next(_bare(each) for each in info.types if not isinstance(each, inspect.NoneType))
    return info


def _keys(path: str, data: Any, kind: type) -> Keys:
    """`$.retrieval.gates[0].measure` as ('retrieval', 'gates', 0, 'measure').

    Of a mapping msgspec says only `[...]`: the key is the one with which alone the fault is still there.
    """
    keys: Keys = ()
    for step in _STEP.finditer(path):
        if step["any"]:
            keys = (*keys, next(key for key in _follow(data, keys) if not _holds(_only(data, keys, key), kind)))
        else:
            keys = (*keys, int(step["index"]) if step["index"] else step["name"])
    return keys


def _holds(data: Any, kind: type) -> bool:
    try:
        msgspec.convert(data, kind)
    except msgspec.ValidationError:
        return False
    return True


def _only(data: Any, keys: Keys, wanted: str) -> Any:
    """The data, with nothing but the wanted key in the mapping at that path."""
    if not keys:
        return {wanted: data[wanted]}
    inner = _only(data[keys[0]], keys[1:], wanted)
    if isinstance(data, list):
        return [inner if at == keys[0] else item for at, item in enumerate(data)]
    return {**data, keys[0]: inner}


def _follow(data: Any, keys: Keys) -> Any:
    for key in keys:
        data = data[key]
    return data
