"""What other people's code says when it fails may hold their keys. What is written to disk must not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

_NAME = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""Characters. Shorter values, and plain words, stand in a message by chance."""


def without_secrets(text: str, *more: str) -> str:
    """A message with the given values struck out, and those of environment variables that are called key, token, ..."""
    found = [value.strip() for name, value in os.environ.items() if _NAME.search(name)]
    return struck_out(text, [*(value for value in found if not value.isalpha()), *more])


def struck_out(text: str, values: Iterable[str]) -> str:
    """The longest first, because one may hold another."""
    for value in sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True):
        text = text.replace(value, "***")
    return text
