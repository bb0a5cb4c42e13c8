"""Keys: read from the environment for each call, kept nowhere, shown nowhere."""

from __future__ import annotations

import os
from typing import AnyStr

from assay.llm.faults import FatalLlmError


def read_key(name: str | None, where: str) -> str:
    """The key in that environment variable; empty when none is wanted."""
    if name is None:
        return ""
    key = os.environ.get(name, "").strip()
    if not key:
        raise FatalLlmError(f"the environment variable {name} is not set", where=where, hint="Put the key there")
    return key


def hidden(text: AnyStr, key: str) -> AnyStr:
    """The text without the key, should a service have echoed it."""
    if not key:
        return text
    if isinstance(text, bytes):
        return text.replace(key.encode(), b"***")
    return text.replace(key, "***")


def key_hint(name: str | None) -> str:
    return f"Check the key in the environment variable {name}" if name else "No key was sent: name one in api_key_env"
