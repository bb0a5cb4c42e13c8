"""Plain text; a form feed ends a page."""

from __future__ import annotations

import codecs
from pathlib import Path

from assay.corpus.readers.protocol import READERS, Page
from assay.errors import AssayError

_UNREAD = "\N{REPLACEMENT CHARACTER}"
_TOO_MANY = 0.1
"""Share of unreadable characters above which the chunks of a file would be noise in every search."""


@READERS.register(".txt", ".text", ".rst")
def read(path: Path) -> list[Page]:
    text, note = decode_document(path.read_bytes())
    return paged(text, note)


def paged(text: str, note: str | None) -> list[Page]:
    """Pages between form feeds; one behind the last page opens no further page."""
    parts = text.removesuffix("\f").split("\f")
    return [Page(number, part, note if number == 1 else None) for number, part in enumerate(parts, 1)]


def decode_document(data: bytes, declared: str | None = None) -> tuple[str, str | None]:
    """As `decode`, but binary data, and encodings that nobody knows, are refused."""
    text, note = decode(data, declared)
    unread = text.count(_UNREAD)
    if unread > len(text) * _TOO_MANY:
        what = f"not text: {unread} of {len(text)} characters cannot be read"
        raise AssayError(what, hint="If it is text, save it as UTF-8")
    return text, note


def decode(data: bytes, declared: str | None = None) -> tuple[str, str | None]:
    """The text and what to say about its encoding: UTF-8, what the file declares, Windows-1252, or replacements."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), None
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        pass
    for name in (declared, "cp1252"):
        try:
            if name:
                return data.decode(name), None if name == declared else "not UTF-8; read as Windows-1252"
        except (UnicodeDecodeError, LookupError):
            continue
    text = data.decode("utf-8", "replace")
    return text, f"not UTF-8; {text.count(_UNREAD)} characters replaced"
