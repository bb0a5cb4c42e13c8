"""Readers keep pages and give text that is safe to store."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from documents import encrypted_pdf_bytes, pdf_bytes

from assay.corpus.content import clean
from assay.corpus.readers import CHUNK_READERS, READERS
from assay.corpus.readers.html import to_text
from assay.errors import AssayError, MissingExtra


def read(path: Path, data: bytes | str) -> list[tuple[int, str]]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return [(page.number, page.text) for page in READERS.get(path.suffix)(path)]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.markdown", "a.rst"])
def test_text_pages_end_at_form_feeds(tmp_path: Path, name: str) -> None:
    assert read(tmp_path / name, "# One\n\fTwo\n\f\fFour\f") == [(1, "# One\n"), (2, "Two\n"), (3, ""), (4, "Four")]


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        ("café".encode(), "café", None),
        ("\ufeffcafé".encode(), "café", None),
        ("café".encode("utf-16"), "café", None),
        ("café – naïve".encode("cp1252"), "café – naïve", "not UTF-8; read as Windows-1252"),
        (b"caf\xe9 \x81" + b"s" * 14, "caf\ufffd \ufffd" + "s" * 14, "not UTF-8; 2 characters replaced"),
    ],
    ids=["utf-8", "byte order mark", "utf-16", "windows-1252", "neither"],
)
def test_encodings_are_tried_and_told(tmp_path: Path, data: bytes, text: str, note: str | None) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    (page,) = READERS.get(".txt")(path)
    assert (page.text, page.note) == (text, note)


def test_unsafe_characters_go() -> None:
    assert clean("a\0b\ud800c\r\nd\re\U0001f389") == "abc\nd\ne\U0001f389"


def test_markup_in_plain_text_stays(tmp_path: Path) -> None:
    assert read(tmp_path / "a.txt", "<script>alert(1)</script>") == [(1, "<script>alert(1)</script>")]


def test_pdf_pages(tmp_path: Path) -> None:
    pages = read(tmp_path / "a.pdf", pdf_bytes([["First page.", "Second line."], [], ["Third: \xa3150"]]))
    assert [(number, text.split()) for number, text in pages] == [
        (1, ["First", "page.", "Second", "line."]),
        (2, []),
        (3, ["Third:", "£150"]),
    ]


def test_a_word_cut_at_the_end_of_a_line_is_whole_again(tmp_path: Path) -> None:
    ((_, text),) = read(tmp_path / "a.pdf", pdf_bytes([["the regula-", "tion of 2026 and the", "well-known rule"]]))
    assert text.split() == ["the", "regulation", "of", "2026", "and", "the", "well-known", "rule"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"%PDF-1.4 broken", "not a readable PDF"),
        (b"", "not a readable PDF"),
        (b"plain text", "not a readable PDF"),
        (encrypted_pdf_bytes(), "encrypted: it needs a password"),
        (pdf_bytes([[], []]), "no text on its 2 pages"),
    ],
    ids=["broken", "empty", "no pdf", "encrypted", "scanned"],
)
def test_a_pdf_that_cannot_be_read_says_why(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        read(tmp_path / "a.pdf", data)


HTML = """<!doctype html><html><head><title>The title</title><style>p { color: red }</style>
<script>if (a < b) { document.write("<p>no</p>") }</script></head><body>
<h1>Plan</h1><p>One <b>bold</b>   word.<br>Next &amp; last</p>
<table><caption>Fees</caption><tr><th>Class<th>Fee</tr><tr><td><p>Adult</p></td><td>£ 120<br>a year</td></tr></table>
<ul><li>first</li><li>second</ul><pre>a
  b</pre><div>end</div></body></html>"""


def test_html_is_one_readable_page(tmp_path: Path) -> None:
    ((number, text),) = read(tmp_path / "a.html", HTML)
    assert number == 1
    assert text == (
        "Plan\n\nOne bold word.\nNext & last\n\nFees\nClass | Fee\nAdult | £ 120 a year\n\n"
        "- first\n- second\n\na\n  b\n\nend"
    )


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("<title>Only a title</title>", "Only a title"),
        ("<title>T</title><p>body", "T\n\nbody"),
        ("<title>T</title><h1>H</h1>", "H"),
        ("<script>never closed <p>x", ""),
        ("<head><noscript>lost<body>kept", "kept"),
        ("<p>a<![if gte mso 9]>b<![endif]>c", "abc"),
        ("<p>1 < 2 &lt;b&gt; &#x27;q&#39;", "1 < 2 <b> 'q'"),
        ("<td>a<td>b", "a | b"),
        ("<b>a</b> <i>b</i>", "a b"),
        ("<" * 50, "<" * 50),
    ],
)
def test_html_of_any_kind(markup: str, text: str) -> None:
    assert to_text(markup) == text


def test_html_in_the_encoding_it_declares(tmp_path: Path) -> None:
    data = '<meta charset="iso-8859-2"><p>žluťoučký'.encode("iso-8859-2")
    assert read(tmp_path / "a.html", data) == [(1, "žluťoučký")]


def docx_file(path: Path) -> Any:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("Handbook", 1)
    document.add_paragraph("Page one.")
    document.add_page_break()
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Role", "Needs", "Crew", "Level 1"), strict=True):
        cell.text = text
    document.add_paragraph("Page two.")
    return document


def test_docx_pages_end_at_explicit_breaks(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    docx_file(path).save(str(path))
    pages = READERS.get(".docx")(path)
    assert [(page.number, page.text) for page in pages] == [
        (1, "Handbook\n\nPage one."),
        (2, "Role | Needs\nCrew | Level 1\n\nPage two."),
    ]


def test_docx_pages_end_where_word_drew_them_but_once(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    from docx.oxml import OxmlElement

    document = docx.Document()
    document.add_paragraph("one")
    document.add_page_break()
    run = document.add_paragraph().add_run()
    run._r.append(OxmlElement("w:lastRenderedPageBreak"))  # the explicit break, as Word notes it
    run.add_text("two, which runs over to ")
    run._r.append(OxmlElement("w:lastRenderedPageBreak"))
    run.add_text("three")
    document.add_paragraph("four").paragraph_format.page_break_before = True
    document.add_section()
    document.add_paragraph("five")
    path = tmp_path / "a.docx"
    document.save(str(path))
    pages = [page.text for page in READERS.get(".docx")(path)]
    assert pages == ["one", "two, which runs over to ", "three", "four", "five"]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 cut off", b"no zip"])
def test_a_broken_docx_says_so(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(AssayError, match="not a readable Word document"):
        read(tmp_path / "a.docx", data)


def test_docx_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[docx\]'"):
        read(tmp_path / "a.docx", b"")


CHUNK = {"id": "c1", "text": "The tide turns.", "source": "a.pdf", "page": 3, "metadata": {"x": 1}, "title": "T"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps([CHUNK])),
        ("a.json", json.dumps({"chunks": [CHUNK]}, indent=1)),
        ("a.jsonl", "\n" + json.dumps(CHUNK) + "\r\n"),
    ],
)
def test_ready_made_chunks(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    (chunk,) = CHUNK_READERS.get(path.suffix)(path).chunks
    assert (chunk.id, chunk.text, chunk.source, chunk.page) == ("c1", "The tide turns.", "a.pdf", 3)
    assert chunk.tokens == 4  # The, tide, turns and the full stop
    assert chunk.metadata == {"x": 1, "title": "T"}


def test_beir_documents_are_their_own_source(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "d1", "title": "Tides", "text": "They turn."}\n{"_id": 7, "text": "No title."}')
    first, second = CHUNK_READERS.get(".jsonl")(path).chunks
    assert (first.id, first.text, first.source) == ("d1", "Tides\nThey turn.", "d1")
    assert (second.id, second.text, second.source) == ("7", "No title.", "7")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("[1]", "a chunk is list; expected an object"),
        ('{"text": "x"}', "id is missing"),
        ('{"id": "", "text": "x"}', "id is ''"),
        ('{"id": true, "text": "x"}', "id is True"),
        ('{"id": "b"}', "text is missing"),
        ('{"id": "b", "text": 3}', "text is '3'"),
        ('{"id": "b", "text": "x", "page": "3"}', "page is '3'; expected a page number"),
        ('{"id": "b", "text": "x", "page": -1}', "page is -1"),
        ('{"id": "b", "text": "x", "tokens": 1.5}', "tokens is '1.5'"),
        ('{"id": "b", "text": "x", "metadata": []}', "metadata is"),
        ('{"id": "b", "text": "x", "lane": "road"}', "lane is 'road'; expected document or memory or code"),
        ('{"id": "b", "text": NaN}', "NaN is not JSON"),
        ('{"id": "b"', "not JSON"),
    ],
)
def test_a_wrong_chunk_is_named_with_file_and_line(tmp_path: Path, record: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "fine"}\n\n' + record)
    with pytest.raises(AssayError, match=message) as caught:
        CHUNK_READERS.get(".jsonl")(path)
    assert str(caught.value).startswith(f"{path}:3: ")


def test_a_wrong_chunk_in_a_list_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"chunks": [\n  {"id": "a", "text": "fine"},\n  {"id": "b"}\n]}')
    with pytest.raises(AssayError, match=r"a\.json:3: text is missing"):
        CHUNK_READERS.get(".json")(path)


@pytest.mark.parametrize("text", ["{}", '"x"', '{"chunks": 3}', "null"])
def test_json_without_chunks_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(AssayError, match="holds no chunks"):
        CHUNK_READERS.get(".json")(path)


def test_squad_is_told_how_it_becomes_chunks(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_text('{"data": []}')
    with pytest.raises(AssayError, match=r"looks like SQuAD\. .* assay gold convert dev\.json --to beir"):
        CHUNK_READERS.get(".json")(path)


def test_embeddings_come_along_as_unit_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    chunks = [{"id": "a", "text": "x", "embedding": [3, 4]}, {"id": "b", "text": "y", "embedding": [0, 2.5]}]
    path.write_text(json.dumps({"model_id": "m", "chunks": chunks}))
    ready = CHUNK_READERS.get(".json")(path)
    assert ready.vectors
    assert np.frombuffer(b"".join(ready.vectors), "<f4").tolist() == pytest.approx([0.6, 0.8, 0, 1])
    assert (ready.dim, ready.model_id) == (2, "m")


@pytest.mark.parametrize("second", [None, [1.0], [1, "a"], "ab", [], 3])
def test_embeddings_that_do_not_fit_are_named(tmp_path: Path, second: Any) -> None:
    path = tmp_path / "a.jsonl"
    lines = [{"id": "a", "text": "x", "embedding": [3, 4]}, {"id": "b", "text": "y", "embedding": second}]
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(AssayError, match=r"a\.jsonl:2: embedding is"):
        CHUNK_READERS.get(".jsonl")(path)


def test_an_index_made_elsewhere_is_read_as_chunks(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE metadata (key, value)")
        db.execute("CREATE TABLE chunks (id, text, source, page, tokens, metadata, embedding)")
        db.execute("INSERT INTO metadata VALUES ('model_id', 'their-model')")
        vector = np.array([0, 2], "<f4").tobytes()
        db.execute("INSERT INTO chunks VALUES ('a', 'x', 's.pdf', 2, 1, '{\"lane\": \"code\"}', ?)", (vector,))
    db.close()
    ready = CHUNK_READERS.get(".db")(path)
    assert [(chunk.id, chunk.source, chunk.page, chunk.lane) for chunk in ready.chunks] == [("a", "s.pdf", 2, "code")]
    assert ready.vectors == [np.array([0, 1], "<f4").tobytes()]
    assert (ready.model_id, ready.dim) == ("their-model", 2)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_what_is_no_text_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"\x89PNG\x81\x8d\x9d")
    with pytest.raises(
        AssayError, match=r"^not text: 4 of 7 characters cannot be read\. If it is text, save it as UTF-8$"
    ):
        READERS.get(suffix)(path)
