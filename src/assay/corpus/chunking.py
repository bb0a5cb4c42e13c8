"""Parents over the whole document, children within each parent; every chunk is a verbatim slice of the text.

Sizes are counted in words and punctuation marks. A window prefers to end where a paragraph or a sentence ends,
if one ends in its last part.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from msgspec import Struct

from assay.config import Chunking
from assay.corpus.readers.protocol import Page
from assay.records import Chunk

VERSION = 1
"""Raised when the same document gives other chunks than before: indexes are then built again."""

# A word of more than 50 letters is data (base64, a line without spaces) and counts by its length.
_TOKEN = re.compile(r"\w{1,50}|[^\w\s]")
_NO_PART_OF_ID = re.compile(r"[\s%\x00-\x1f\x7f-\x9f]")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'»”’)\]]*\s+")
_FLEXIBLE_SHARE = 0.15


class Window(Struct, frozen=True):
    """How long a window is, and how much it shares with the next. All in tokens."""

    size: int
    overlap: int
    minimum: int


class Document(Struct, frozen=True):
    """A document ready to be cut: one text, where its tokens begin, where its pages begin."""

    text: str
    starts: Sequence[int]
    page_offsets: Sequence[int]
    page_numbers: Sequence[int]

    def page_at(self, position: int) -> int:
        return self.page_numbers[bisect_right(self.page_offsets, position) - 1]

    def span(self, first: int, end: int) -> tuple[int, int]:
        """Characters of a run of tokens, without the space behind the last one."""
        start = self.starts[first]
        stop = self.starts[end] if end < len(self.starts) else len(self.text)
        return start, start + len(self.text[start:stop].rstrip())


def count_tokens(text: str) -> int:
    return sum(1 for _ in _TOKEN.finditer(text))


def chunk_document(name: str, pages: Sequence[Page], chunking: Chunking, language: str | None = None) -> list[Chunk]:
    """The children of a document, in order. An empty document has none."""
    document = _document(pages)
    parent = Window(chunking.parent_tokens, chunking.parent_overlap, chunking.minimum_tokens)
    child = Window(chunking.child_tokens, chunking.child_overlap, chunking.minimum_tokens)
    file = id_part(name)
    chunks: list[Chunk] = []
    for parent_number, (first, end) in enumerate(_windows(document, 0, len(document.starts), parent), 1):
        family = f"parent{parent_number:03d}"
        parent_id = f"{file}-p{document.page_at(document.starts[first]):03d}-{family}"
        for child_number, span in enumerate(_windows(document, first, end, child), 1):
            start, stop = document.span(*span)
            page, last_page = document.page_at(start), document.page_at(stop - 1)
            metadata = {"parent": parent_id, "pages": [page, last_page], "start": start, "end": stop}
            chunks.append(
                Chunk(
                    id=f"{file}-p{page:03d}-{family}-child{child_number:02d}",
                    text=document.text[start:stop],
                    source=name,
                    page=page,
                    tokens=span[1] - span[0],
                    metadata={**metadata, "language": language} if language else metadata,
                )
            )
    return chunks


def id_part(name: str) -> str:
    """A file's name as part of an id. White space and control characters are percent-encoded: TREC files, in which
    ids are exchanged, are separated by white space."""
    if name.isprintable() and " " not in name and "%" not in name:
        return name
    return _NO_PART_OF_ID.sub(lambda found: quote(found.group(), safe=""), name)


def _document(pages: Sequence[Page]) -> Document:
    text = "\n".join(page.text for page in pages)
    offsets, position = [], 0
    for page in pages:
        offsets.append(position)
        position += len(page.text) + 1
    starts = [found.start() for found in _TOKEN.finditer(text)]
    return Document(text, starts, offsets, [page.number for page in pages])


def _windows(document: Document, first: int, end: int, window: Window) -> Iterator[tuple[int, int]]:
    """Runs of tokens that cover [first, end) and overlap; a short rest is joined to the run before it."""
    while first < end:
        stop = min(first + window.size, end)
        if stop < end:
            stop = _good_end(document, first, stop, window)
        if end - stop < window.minimum:
            stop = end
        yield first, stop
        if stop == end:
            return
        first = max(stop - window.overlap, first + 1)


def _good_end(document: Document, first: int, stop: int, window: Window) -> int:
    """The last paragraph end in the flexible part of a window, else the last sentence end, else its full length."""
    earliest = max(stop - int(window.size * _FLEXIBLE_SHARE), first + window.overlap + 1)
    if earliest >= stop:
        return stop
    begin, limit = document.starts[earliest - 1], document.starts[stop]
    for pattern in (_PARAGRAPH_END, _SENTENCE_END):
        ends = [found.end() for found in pattern.finditer(document.text, begin, limit)]
        if ends:
            return bisect_left(document.starts, ends[-1])
    return stop
