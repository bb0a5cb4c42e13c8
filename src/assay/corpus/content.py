"""What a corpus says, apart from how it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def fingerprint_of(pairs: Iterable[tuple[str, str]]) -> str:
    """sha256 over (id, text) in ascending order of id; each part is preceded by its length, so parts never blur."""
    digest = hashlib.sha256()
    for id_, text in pairs:
        for part in (id_.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()
