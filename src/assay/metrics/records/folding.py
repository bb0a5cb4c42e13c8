"""Text brought into one form before it is compared."""

from __future__ import annotations

from unicodedata import normalize


def folded(text: str) -> str:
    """Without outer space, case and the difference between composed and decomposed accents."""
    if text.isascii():
        return text.strip().lower()
    return normalize("NFC", normalize("NFC", text).casefold()).strip()
