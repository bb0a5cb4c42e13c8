"""Render sources/*.md into documents/, the demo corpus of the Orrin Estuary Sailing Trust.

Needs fpdf2, python-docx and the DejaVu fonts (Debian: fonts-dejavu-core); reproducible for given versions of these.

    python make_corpus.py [NAME ...]     render all documents, or those named
    python make_corpus.py --check        fail when documents/ is not up to date
"""

import argparse
import io
import re
import sys
import textwrap
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import docx
from docx.document import Document
from fpdf import FPDF

HERE = Path(__file__).resolve().parent
FONTS = Path("/usr/share/fonts/truetype/dejavu")
DATE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
AUTHOR = "Orrin Estuary Sailing Trust"
FONT_SIZES = (11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0)
PDF = "safety-manual radio-guide fleet-handbook race-rules-2026 staff-handbook membership-fees-2026 reglement-interieur"
FORMATS = dict.fromkeys(PDF.split(), "pdf") | {
    "volunteer-handbook": "docx", "environment-plan": "html", "race-rules-2024": "txt", "board-minutes-2025": "txt",
    "float-plans": "md", "guide-visiteurs.fr": "md", "training-syllabus": "md",
}  # fmt: skip


@dataclass
class Block:
    """A heading (level 1 to 3), a paragraph, a list (items) or a table (rows, the header first)."""

    text: str = ""
    level: int = 0
    items: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


def parse(page: str) -> list[Block]:
    """Split a page into blocks; the marks of inline emphasis are dropped."""
    blocks: list[Block] = []
    page = re.sub(r"(?m)^(#.*)$", r"\1\n", page)
    for chunk in re.split(r"\n\s*\n|\n(?=#|- |\|)", page):
        text = re.sub(r"(\*\*|\*|`)(\S(?:.*?\S)?)\1", r"\2", " ".join(chunk.split()))
        if heading := re.match(r"(#{1,3}) (.*)", text):
            blocks.append(Block(heading[2], len(heading[1])))
        elif text.startswith("- "):
            if not (blocks and blocks[-1].items):
                blocks.append(Block())
            blocks[-1].items.append(text[2:])
        elif text.startswith("|"):
            cells = [cell.strip() for cell in text.strip("|").split("|")]
            if not (blocks and blocks[-1].rows):
                blocks.append(Block())
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                blocks[-1].rows.append(cells)
            if len(cells) != len(blocks[-1].rows[0]):
                raise SystemExit(f"uneven table row: {text}")
        elif text:
            blocks.append(Block(text))
    return blocks


def pages_of(source: str) -> list[list[Block]]:
    return [parse(page) for page in source.split("<<<page>>>")]


def draw_pdf(pages: list[list[Block]], size: float) -> FPDF:
    pdf = FPDF(format="A4")
    pdf.set_creation_date(DATE)
    pdf.set_author(AUTHOR)
    pdf.set_title(pages[0][0].text)
    pdf.set_lang("fr" if "Règlement" in pages[0][0].text else "en-GB")
    pdf.set_margin(20)
    pdf.set_auto_page_break(True, margin=18)
    pdf.add_font("DejaVu", "", FONTS / "DejaVuSans.ttf")
    pdf.add_font("DejaVu", "B", FONTS / "DejaVuSans-Bold.ttf")
    height = size * 0.5
    for page in pages:
        pdf.add_page()
        for block in page:
            pdf.set_font("DejaVu", "B" if block.level else "", size + (5 - 2 * block.level if block.level else 0))
            for line in [block.text] if block.text else [f"• {item}" for item in block.items]:
                pdf.multi_cell(0, height, line, align="L", new_x="LMARGIN", new_y="NEXT")
            if block.rows:
                with pdf.table(line_height=height, text_align="LEFT", padding=0.6) as table:
                    for row in block.rows:
                        table.row(row)
            pdf.ln(height * 0.5)
    return pdf


def to_pdf(source: str) -> bytes:
    pages = pages_of(source)
    for size in FONT_SIZES:  # the largest size at which each source page is one PDF page
        pdf = draw_pdf(pages, size)
        if pdf.pages_count == len(pages):
            return bytes(pdf.output())
    raise SystemExit(f"{pages[0][0].text}: a page does not fit even at {FONT_SIZES[-1]} points")


def add_to_docx(document: Document, block: Block) -> None:
    if block.level:
        document.add_heading(block.text, block.level)
    elif block.text:
        document.add_paragraph(block.text)
    for item in block.items:
        document.add_paragraph(item, style="List Bullet")
    if block.rows:
        table = document.add_table(0, len(block.rows[0]), style="Table Grid")
        for row in block.rows:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text


def to_docx(source: str) -> bytes:
    document = docx.Document()
    document.core_properties.author = AUTHOR
    document.core_properties.created = document.core_properties.modified = DATE
    for number, page in enumerate(pages_of(source)):
        if number:
            document.add_page_break()
        for block in page:
            add_to_docx(document, block)
    raw, fixed = io.BytesIO(), io.BytesIO()
    document.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(fixed, "w") as new:
        for entry in old.namelist():  # again, without the time of day
            new.writestr(zipfile.ZipInfo(entry), old.read(entry), zipfile.ZIP_DEFLATED)
    return fixed.getvalue()


def text_of(block: Block) -> str:
    if block.items:
        return "\n".join(textwrap.fill(f"- {item}", 78, subsequent_indent="  ") for item in block.items)
    if block.rows:
        widths = [max(map(len, column)) for column in zip(*block.rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in block.rows)
    line = "\n" + "=-~"[block.level - 1] * len(block.text) if block.level else ""
    return textwrap.fill(block.text, 78) + line


def to_txt(source: str) -> bytes:
    return ("\n\f\n".join("\n\n".join(map(text_of, page)) for page in pages_of(source)) + "\n").encode()


def to_md(source: str) -> bytes:
    return ("\n\f\n".join(page.strip() for page in source.split("<<<page>>>")) + "\n").encode()


def html_of(block: Block) -> str:
    if block.text:
        tag = f"h{block.level}" if block.level else "p"
        return f"<{tag}>{escape(block.text, quote=False)}</{tag}>"
    if block.items:
        return "\n".join(["<ul>", *(f"<li>{escape(item, quote=False)}</li>" for item in block.items), "</ul>"])
    tags = ["th", *["td"] * (len(block.rows) - 1)]
    rows = ["".join(f"<{t}>{escape(c, quote=False)}</{t}>" for c in r) for t, r in zip(tags, block.rows, strict=True)]
    head, *body = [f"<tr>{row}</tr>" for row in rows]
    return "\n".join(["<table>", f"<thead>{head}</thead>", "<tbody>", *body, "</tbody>", "</table>"])


def to_html(source: str) -> bytes:
    pages = pages_of(source)
    head = f'<html lang="en-GB">\n<meta charset="utf-8">\n<title>{escape(pages[0][0].text)}</title>'
    body = "\n<hr>\n".join("\n".join(map(html_of, page)) for page in pages)
    return f"<!doctype html>\n{head}\n{body}\n</html>\n".encode()


WRITERS = {"pdf": to_pdf, "docx": to_docx, "txt": to_txt, "md": to_md, "html": to_html}


def main() -> str | None:
    parser = argparse.ArgumentParser(description="Render the Orrin demo corpus.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a document (default: all)")
    parser.add_argument("--check", action="store_true", help="only verify that documents/ is up to date")
    options = parser.parse_args()
    stale: list[str] = []
    for name in options.names or FORMATS:
        source = (HERE / "sources" / f"{name}.md").read_text(encoding="utf-8")
        target = HERE / "documents" / f"{name}.{FORMATS[name]}"
        content = WRITERS[FORMATS[name]](source)
        if not options.check:
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        elif not target.exists() or target.read_bytes() != content:
            stale.append(target.name)
    return f"not up to date: {', '.join(stale)}" if stale else None


if __name__ == "__main__":
    sys.exit(main())
