"""What a system's spelling means: `embedded`, `python:module:name`, `https://host`, `recorded:FILE`, or a plugin's."""

from __future__ import annotations

from msgspec.structs import replace

from assay.errors import AssayError
from assay.systems.protocol import SYSTEMS, Context, RagSystem


def build(spelling: str, context: Context) -> RagSystem:
    """The system of that spelling; an unknown name is an error that offers the nearest ones."""
    text = spelling.strip()
    name, _, argument = text.partition(":")
    if not name:
        raise AssayError(f"'{spelling}' names no system", expected=f"one of {', '.join(SYSTEMS.names())}")
    if text.startswith(("http://", "https://")):
        argument = text
    return SYSTEMS.get(name)(replace(context, argument=argument))
