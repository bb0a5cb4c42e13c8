"""The words inside the names of code: `handle_spec_auto`, `SpecAutoState` and `XMLHttpRequest2` are several each."""

from __future__ import annotations

import re

_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\x00-\x7f]+")


def split_identifier(name: str) -> list[str]:
    """In their order, as written: snake_case and camelCase are taken apart, numbers stand alone."""
    return _PARTS.findall(name)
