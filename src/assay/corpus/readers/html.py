"""HTML as one page of readable text: headings and paragraphs apart, table rows on a line, no scripts or styles."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from assay.corpus.readers.protocol import READERS, Page
from assay.corpus.readers.text import decode_document

_DROPPED = {"script", "style", "template", "noscript", "svg", "title"}
_PARAGRAPHS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "pre", "blockquote", "section"}
_LINES = {"div", "li", "tr", "dt", "dd", "hr", "article", "header", "footer", "main", "nav", "aside", "figure"}
_LINES |= {"figcaption", "caption", "form", "fieldset", "address", "option", "summary", "details", "body"}
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)


@READERS.register(".html", ".htm", ".xhtml")
def read(path: Path) -> list[Page]:
    data = path.read_bytes()
    declared = _CHARSET.search(data[:4096])
    text, note = decode_document(data, declared.group(1).decode("ascii") if declared else None)
    return [Page(1, to_text(text), note)]


def to_text(markup: str) -> str:
    """What a person reads of it. A page without a first heading begins with its title."""
    parser = _Parser()
    # Marked sections of office programs (`<![if ...]>`) stop the parser; as plain declarations they are passed over.
    parser.feed(markup.replace("<![", "<! ["))
    parser.close()
    lines = "".join(parser.parts).split("\n")
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()
    title = " ".join("".join(parser.title).split())
    return body if parser.has_heading or not title else f"{title}\n\n{body}".strip()


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self.has_heading = False
        self._dropped: list[str] = []
        self._preformatted = 0
        self._cells = 0
        self._newlines = 0
        """Owed before the next text: two between paragraphs, one between lines."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag == "body":
            # Whatever was left open in the head ends here.
            self._dropped.clear()
        if tag in _DROPPED:
            self._dropped.append(tag)
        if self._dropped:
            return
        self.has_heading |= tag == "h1"
        self._preformatted += tag == "pre"
        if tag in {"td", "th"}:
            self._begin_cell()
        else:
            self._break(tag)
        if tag == "li" and not self._cells:
            self._write("- ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if not self._dropped:
            self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._dropped:
            del self._dropped[self._dropped.index(tag) :]
        elif not self._dropped and tag != "br":
            self._preformatted -= tag == "pre" and self._preformatted > 0
            self._break(tag)

    def handle_data(self, data: str) -> None:
        if self._dropped:
            if self._dropped == ["title"]:
                self.title.append(data)
        elif self._preformatted:
            self._write(data)
        else:
            text = re.sub(r"\s+", " ", data)
            at_edge = self._newlines or not self.parts or self.parts[-1][-1:] in {"\n", " "}
            self._write(text.lstrip() if at_edge else text)

    def _write(self, text: str) -> None:
        if text:
            self.parts.append("\n" * (self._newlines if self.parts else 0) + text)
            self._newlines = 0

    def _begin_cell(self) -> None:
        if self._cells:
            self.parts[-1:] = [part.rstrip(" ") for part in self.parts[-1:]]
            self._write(" | ")
        self._cells += 1

    def _break(self, tag: str) -> None:
        if tag in {"table", "tr"}:
            self._cells = 0
        if self._cells:
            # A paragraph or list inside a cell stays on the row's line.
            if tag in _LINES or tag in _PARAGRAPHS or tag == "br":
                self.handle_data(" ")
        elif tag == "br":
            self._newlines = min(2, self._newlines + 1)
        elif tag in _PARAGRAPHS:
            self._newlines = 2
        elif tag in _LINES:
            self._newlines = max(1, self._newlines)
