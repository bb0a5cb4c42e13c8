"""What a corpus says, apart from how it is stored: safe text, and a fingerprint of all of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_UNSAFE = re.compile("[\0\ud800-\udfff]")


def clean(text: str) -> str:
    """Text that JSON and SQLite can hold: one kind of line end, no null bytes, no lone surrogates."""
    return _UNSAFE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def fingerprint_of(pairs: Iterable[tuple[str, str]]) -> str:
    """sha256 over (id, text) in ascending order of id; each part is preceded by its length, so parts never blur."""
    digest = hashlib.sha256()
    for id_, text in pairs:
        for part in (id_.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()
