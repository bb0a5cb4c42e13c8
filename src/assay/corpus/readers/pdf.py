"""PDF, page by page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from assay.corpus.readers.protocol import READERS, Page
from assay.errors import AssayError

# How PDFium writes the hyphen at the end of a line that cuts a word in two: the word is put together again.
_CUT_WORD = re.compile("[\ufffe\x02]\\s*")


@READERS.register(".pdf")
def read(path: Path) -> list[Page]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as fault:
        secret = "password" in str(fault).lower()
        raise AssayError("encrypted: it needs a password" if secret else "not a readable PDF") from None
    with document:
        pages = [_page(document, number) for number in range(1, len(document) + 1)]
    if not any(page.text.strip() for page in pages):
        raise AssayError(f"no text on its {len(pages)} pages", hint="Scanned pages need text recognition first.")
    return pages


def _page(document: Any, number: int) -> Page:
    import pypdfium2

    try:
        page = document[number - 1]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError:
        return Page(number, "", f"page {number} cannot be read")
    try:
        return Page(number, _CUT_WORD.sub("", text_page.get_text_range()))
    finally:
        text_page.close()
        page.close()
