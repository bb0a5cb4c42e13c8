"""Markdown, kept as it is written: its marks are readable, and quotes can be found. A form feed ends a page."""

from __future__ import annotations

from pathlib import Path

from assay.corpus.readers.protocol import READERS, Page
from assay.corpus.readers.text import decode_document, paged


@READERS.register(".md", ".markdown")
def read(path: Path) -> list[Page]:
    text, note = decode_document(path.read_bytes())
    return paged(text, note)
