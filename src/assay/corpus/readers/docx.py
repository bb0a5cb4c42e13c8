"""Word documents. Pages end at explicit page breaks, new sections, and where Word last drew a page's end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.corpus.readers.protocol import READERS, Page
from assay.errors import AssayError, MissingExtra

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAK = "\f"
_DRAWN_BREAK = "\v"
_SKIPPED = {f"{_W}del", f"{_W}pPr", f"{_W}rPr", "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}


@READERS.register(".docx")
def read(path: Path) -> list[Page]:
    from zipfile import BadZipFile

    try:
        import docx
        from docx.opc.exceptions import PackageNotFoundError
    except ImportError:
        raise MissingExtra("python-docx", "docx", "reading .docx") from None
    try:
        body = docx.Document(str(path)).element.body
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError, SyntaxError, OSError):
        raise AssayError("not a readable Word document") from None
    text = "\n".join(_blocks(body))
    return [Page(number, part) for number, part in enumerate(_pages(text), 1)]


def _pages(text: str) -> list[str]:
    """A drawn break right behind an explicit one is the same break, seen twice."""
    pages = [""]
    for part in text.split(_BREAK):
        drawn = part.split(_DRAWN_BREAK)
        while len(drawn) > 1 and not drawn[0].strip():
            drawn.pop(0)
        pages[-1] += drawn[0]
        pages += drawn[1:]
        pages.append("")
    return [page.strip("\n") for page in pages[:-1]]


def _blocks(parent: Any) -> Iterator[str]:
    for element in parent.iterchildren():
        if element.tag == f"{_W}p":
            yield _paragraph(element)
        elif element.tag == f"{_W}tbl":
            yield from (_row(row) for row in element.iterchildren(f"{_W}tr"))
            yield ""
        elif element.tag in {f"{_W}sdt", f"{_W}sdtContent"}:
            yield from _blocks(element)


def _paragraph(element: Any) -> str:
    properties = element.find(f"{_W}pPr")
    before = after = ""
    if properties is not None:
        before = _BREAK if _is_on(properties.find(f"{_W}pageBreakBefore")) else ""
        section = properties.find(f"{_W}sectPr")
        after = _BREAK if section is not None and _section_type(section) != "continuous" else ""
    # Word's paragraphs are apart by style; here an empty line does it.
    return f"{before}{''.join(_text(element))}\n{after}"


def _row(row: Any) -> str:
    cells = ["\n".join(_blocks(cell)) for cell in row.iterchildren(f"{_W}tc")]
    begins_page = any(_DRAWN_BREAK in cell for cell in cells)
    return (_DRAWN_BREAK if begins_page else "") + " | ".join(" ".join(cell.split()) for cell in cells)


def _text(element: Any) -> Iterator[str]:
    for child in element.iterchildren():
        if child.tag in _SKIPPED:
            continue
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in {f"{_W}tab", f"{_W}cr"}:
            yield "\t" if child.tag == f"{_W}tab" else "\n"
        elif child.tag == f"{_W}br":
            yield _BREAK if child.get(f"{_W}type") == "page" else "\n"
        elif child.tag == f"{_W}lastRenderedPageBreak":
            yield _DRAWN_BREAK
        else:
            yield from _text(child)


def _is_on(element: Any) -> bool:
    return element is not None and element.get(f"{_W}val") not in {"0", "false", "off"}


def _section_type(section: Any) -> str:
    kind = section.find(f"{_W}type")
    return "nextPage" if kind is None else str(kind.get(f"{_W}val"))
