"""Looking into values of unknown kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.retrievers.answers import BadAnswer

_PLAIN = (str, bytes, int, float, list, tuple, set, frozenset)


def lookup(value: Any, names: Sequence[str]) -> Any:
    """What stands under the first of the names that holds something: a key of a mapping, an attribute of an object.
    A method is not a value."""
    if value is None or isinstance(value, _PLAIN):
        return None
    for name in names:
        found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if found is not None and (isinstance(found, str) or not callable(found)):
            return found
    return None


def well_formed(text: str) -> str:
    """The text with halves of surrogate pairs, which UTF-8 cannot hold, joined where they fit and else replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_number(value: Any, name: str) -> int:
    """Not negative."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadAnswer(f"{name} is {value!r:.80}; expected a whole number")
    return value


def described(value: Any) -> str:
    """What a value is, for a message."""
    if value is None:
        return "None"
    if isinstance(value, Mapping):
        keys = ", ".join(map(repr, list(value)[:10]))
        return f"an object with the keys {keys:.200}" if keys else "an empty object"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return f"{value!r:.80} ({type(value).__name__})" if isinstance(value, bool | int | float) else type(value).__name__
