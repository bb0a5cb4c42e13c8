"""The words inside the names of code: `handle_spec_auto`, `SpecAutoState` and `XMLHttpRequest2` are several each."""

from __future__ import annotations

import re
import unicodedata

_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\x00-\x7f]+")
_OTHER = "\u4e00"


def split_identifier(name: str) -> list[str]:
    """In their order, as written: snake_case and camelCase are taken apart, numbers stand alone."""
    if name.isascii():
        return _PARTS.findall(name)
    return [name[found.start() : found.end()] for found in _PARTS.finditer(_shape(name))]


def _shape(name: str) -> str:
    """The name with each letter as one of its kind, so that `größeWert` is taken apart as `grosseWert` is."""
    shape: list[str] = []
    for letter in name:
        if letter.isascii():
            shape.append(letter)
        elif unicodedata.combining(letter):
            shape.append(shape[-1] if shape else _OTHER)
        else:
            shape.append("A" if letter.isupper() else "a" if letter.islower() else _OTHER)
    return "".join(shape)
