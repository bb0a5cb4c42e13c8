"""Text that is shown but never obeyed: between lines that carry a mark which the text cannot hold.

The mark is a hash of everything between the lines, so it is the same each time and yet nobody can write a text that
holds its own: not even who knows the question, the context and the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from msgspec import Struct

_LENGTH = 32


class Section(Struct, frozen=True):
    """One text. The name is ours; the note, if any, stands on the opening line, where no text can forge it."""

    name: str
    text: str
    note: str = ""


def mark_of(sections: Sequence[Section], length: int = _LENGTH) -> str:
    """So many (32) hexadecimal digits that stand in none of the texts."""
    parts = [part for section in sections for part in (section.name, section.note, section.text)]
    encoded = [part.encode("utf-8", "backslashreplace") for part in parts]
    whole = b"".join([piece for data in encoded for piece in (len(data).to_bytes(8, "big"), data)])
    mark = sha256(whole).hexdigest()[:length]
    while any(mark in section.text for section in sections):
        mark = sha256(mark.encode()).hexdigest()[:length]
    return mark


def fenced(sections: Sequence[Section], mark: str) -> str:
    """Each text between `<<<name mark>>>` and `<<<end name mark>>>`, each on a line of its own."""
    return "\n\n".join(
        f"<<<{section.name} {mark}>>>{f' ({section.note})' if section.note else ''}\n"
        f"{section.text}\n<<<end {section.name} {mark}>>>"
        for section in sections
    )


def cut(text: str, limit: int) -> tuple[str, str]:
    """The first `limit` characters (0: all), and a note if that is not all of them."""
    if not limit or len(text) <= limit:
        return text, ""
    return f"{text[:limit]}\n[…]", f"cut: the first {limit} of {len(text)} characters"
