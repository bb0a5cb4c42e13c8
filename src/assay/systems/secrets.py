"""What other people's code says when it fails may hold their keys. What is written to disk must not."""

from __future__ import annotations

import os
import re

_SECRET = re.compile(r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""Characters. Shorter values are words that a message may hold by chance."""


def without_secrets(text: str, *more: str) -> str:
    """The text with the values of environment variables that are called key, token, secret, ... struck out, and with
    the given ones."""
    named = [value.strip() for name, value in os.environ.items() if _SECRET.search(name)]
    for value in sorted({*named, *more}, key=len, reverse=True):
        if len(value) >= _SHORTEST:
            text = text.replace(value, "***")
    return text
