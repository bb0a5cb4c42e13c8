"""Building and bringing up to date: what is read, what stays, what is told."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_project
from documents import encrypted_pdf_bytes, pdf_bytes, sentences
from msgspec.structs import replace

from assay.cli.main import main
from assay.config import Chunking, EmbedderOptions
from assay.corpus.build import BuildOptions, Summary, build
from assay.corpus.index import Index
from assay.embedders.protocol import Kind
from assay.embedders.wordllama import WordLlama
from assay.errors import AssayError


class Counting:
    """A real embedder that remembers what it was asked."""

    def __init__(self, model_id: str = "counting", dim: int = 3):
        self.model_id, self.dim, self.texts = model_id, dim, list[str]()

    def embed(self, texts: Any, *, kind: Kind) -> Any:
        assert kind == "document"
        self.texts.extend(texts)
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        rows[:, 0] = 1
        return rows


def update(tmp_path: Path, **options: Any) -> Summary:
    return build([tmp_path / "docs"], tmp_path / "corpus.db", BuildOptions(**options))


def write(tmp_path: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = tmp_path / "docs" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def counts(summary: Summary) -> tuple[int, int, int, int]:
    return summary.added, summary.changed, summary.unchanged, summary.removed


def ids(tmp_path: Path) -> tuple[str, ...]:
    with Index.open(tmp_path / "corpus.db") as index:
        return index.ids


def fts(tmp_path: Path, word: str) -> int:
    db = sqlite3.connect(tmp_path / "corpus.db")
    (found,) = db.execute("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?", (word,)).fetchone()
    db.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")  # raises if out of step
    db.close()
    return int(found)


def test_only_what_changed_is_read_and_embedded_again(tmp_path: Path) -> None:
    write(tmp_path, a="alpha tide", b="bravo tide", c="charlie tide")
    first = Counting()
    assert counts(update(tmp_path, embedder=first)) == (3, 0, 0, 0)
    assert first.texts == ["alpha tide", "bravo tide", "charlie tide"]
    write(tmp_path, b="bravo changed", d="delta tide")
    (tmp_path / "docs" / "c.md").unlink()
    second = Counting()
    summary = update(tmp_path, embedder=second)
    assert counts(summary) == (1, 1, 1, 1)
    assert second.texts == ["bravo changed", "delta tide"]
    assert (summary.documents, summary.pages, summary.chunks) == (3, 3, 3)
    with Index.open(tmp_path / "corpus.db") as index:
        assert index.texts() == ["alpha tide", "bravo changed", "delta tide"]
        assert index.embeddings().shape == (3, 3)
    assert (fts(tmp_path, "tide"), fts(tmp_path, "charlie"), fts(tmp_path, "changed")) == (2, 0, 1)


def test_an_update_gives_the_same_content_as_a_new_index(tmp_path: Path) -> None:
    write(tmp_path, a=sentences(200), b=sentences(100, "dinghy"), c=sentences(20, "crew"))
    update(tmp_path, embedder=Counting())
    write(tmp_path, a=sentences(150, "yacht"), d="new")
    (tmp_path / "docs" / "b.md").unlink()
    updated = update(tmp_path, embedder=Counting())
    fresh = build([tmp_path / "docs"], tmp_path / "fresh.db", BuildOptions(embedder=Counting()))
    assert updated.fingerprint == fresh.fingerprint
    assert updated.chunks == fresh.chunks == len(ids(tmp_path))


def test_an_unchanged_corpus_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="bravo")
    done = update(tmp_path, embedder=Counting())
    before = (tmp_path / "corpus.db").stat()
    silent = Counting()
    again = update(tmp_path, embedder=silent)
    after = (tmp_path / "corpus.db").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert not silent.texts
    assert again.is_current
    assert counts(again) == (0, 0, 2, 0)
    assert (again.documents, again.chunks, again.fingerprint) == (done.documents, done.chunks, done.fingerprint)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["corpus.db", "docs"]


def test_a_touched_file_is_not_a_changed_one(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    update(tmp_path)
    os.utime(tmp_path / "docs" / "a.md", ns=(1, 1))
    assert update(tmp_path).is_current


def test_a_change_that_keeps_size_and_time_is_seen_if_the_file_was_fresh(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    status = (tmp_path / "docs" / "a.md").stat()
    update(tmp_path)
    write(tmp_path, a="omega")
    os.utime(tmp_path / "docs" / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert counts(update(tmp_path)) == (0, 1, 0, 0)


def test_rebuild_reads_everything(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="bravo")
    update(tmp_path, embedder=Counting())
    embedder = Counting()
    assert counts(update(tmp_path, embedder=embedder, rebuild=True)) == (0, 2, 0, 0)
    assert len(embedder.texts) == 2


@pytest.mark.parametrize(
    "options", [{"chunking": Chunking(child_tokens=100)}, {"language": "fr"}], ids=["chunking", "language"]
)
def test_settings_that_change_the_chunks_rebuild_them(tmp_path: Path, options: dict[str, Any]) -> None:
    write(tmp_path, a=sentences(60))
    update(tmp_path)
    assert not update(tmp_path, **options).is_current
    assert update(tmp_path, **options).is_current
    assert update(tmp_path).changed == 1


@pytest.mark.parametrize("size", ["parent_tokens", "parent_overlap", "child_tokens", "child_overlap", "minimum_tokens"])
def test_each_size_has_an_effect(tmp_path: Path, size: str) -> None:
    write(tmp_path, a=sentences(300))
    plain = Chunking(parent_tokens=300, parent_overlap=60, child_tokens=100, child_overlap=20, minimum_tokens=0)
    other = replace(plain, **{size: getattr(plain, size) + 65})
    assert update(tmp_path, chunking=plain).fingerprint != update(tmp_path, chunking=other).fingerprint


def test_another_embedder_embeds_the_texts_that_are_there(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="bravo")
    update(tmp_path, embedder=Counting())
    other = Counting("other", dim=5)
    summary = update(tmp_path, embedder=other)
    assert sorted(other.texts) == ["alpha", "bravo"]
    assert (summary.model_id, summary.embedding_dim, summary.unchanged) == ("other", 5, 2)
    with Index.open(tmp_path / "corpus.db") as index:
        assert index.embeddings().shape == (2, 5)
        index.check_embedder(other)
    assert fts(tmp_path, "alpha") == 1


def test_embeddings_can_be_left_out_and_added_later(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    assert update(tmp_path).embedding_dim is None
    with Index.open(tmp_path / "corpus.db") as index:
        assert not index.has_embeddings
        assert "model_id" not in index.metadata
    assert update(tmp_path, embedder=Counting()).embedding_dim == 3
    assert update(tmp_path).embedding_dim is None
    with Index.open(tmp_path / "corpus.db") as index:
        assert not index.has_embeddings


def test_a_document_prefix_means_other_vectors(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    for prefix in ("", "passage: "):
        embedder = WordLlama(EmbedderOptions(document_prefix=prefix))
        assert not update(tmp_path, embedder=embedder, document_prefix=prefix).is_current
        with Index.open(tmp_path / "corpus.db") as index:
            assert index.embeddings() == pytest.approx(embedder.embed(["alpha"], kind="document"), abs=1e-6)


def test_what_was_prepared_from_old_chunks_goes(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    update(tmp_path)
    with Index.open(tmp_path / "corpus.db") as index:
        index.write_blob("bm25", b"x")
    update(tmp_path)
    with Index.open(tmp_path / "corpus.db") as index:
        assert index.read_blob("bm25") == b"x"
    write(tmp_path, a="omega")
    update(tmp_path)
    with Index.open(tmp_path / "corpus.db") as index:
        assert index.read_blob("bm25") is None


def test_files_of_one_name_in_two_folders_do_not_collide(tmp_path: Path) -> None:
    for folder in ("docs", "docs/x", "docs/y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(folder)
    update(tmp_path)
    assert ids(tmp_path) == tuple(f"{name}-p001-parent001-child01" for name in ("a.md", "x/a.md", "y/a.md"))


def test_two_roots_may_not_give_one_name(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(folder)
    with pytest.raises(AssayError, match=r"would be called 'a\.md', as .*x/a\.md is"):
        build([tmp_path / "x", tmp_path / "y"], tmp_path / "c.db", BuildOptions())
    (tmp_path / "y" / "a.md").rename(tmp_path / "y" / "b.md")
    paths = [tmp_path / "x", tmp_path / "y", tmp_path / "y" / "b.md"]
    assert build(paths, tmp_path / "c.db", BuildOptions()).documents == 2


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path, good="fine", empty=" \n ")
    docs = tmp_path / "docs"
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 cut")
    (docs / "secret.pdf").write_bytes(encrypted_pdf_bytes())
    (docs / "scan.pdf").write_bytes(pdf_bytes([[]]))
    (docs / "latin.txt").write_bytes("café".encode("cp1252"))
    (docs / "list.json").write_text('{"name": "no chunks"}')
    (docs / "dangling.md").symlink_to(docs / "nowhere.md")
    (docs / "photo.jpg").write_bytes(b"\xff\xd8")
    (docs / "photo2.JPG").write_bytes(b"\xff\xd8")
    (docs / "README").write_text("no suffix")
    (docs / ".hidden.md").write_text("hidden")
    summary = update(tmp_path)
    assert summary.documents == 2
    assert {problem.file: problem.reason.split(";")[0].split(". ")[0] for problem in summary.failed} == {
        "broken.pdf": "not a readable PDF",
        "dangling.md": "cannot be read: No such file or directory",
        "empty.md": "empty: there is no text in it",
        "list.json": f"{docs / 'list.json'}: holds no chunks",
        "scan.pdf": "no text on its 1 pages",
        "secret.pdf": "encrypted: it needs a password",
    }
    assert [(warning.file, warning.reason) for warning in summary.warnings] == [
        ("latin.txt", "not UTF-8; read as Windows-1252")
    ]
    assert summary.skipped == {".jpg": 2, "no suffix": 1}
    again = update(tmp_path)
    assert again.is_current
    assert (again.failed, again.warnings) == (summary.failed, summary.warnings), "told until it is mended"
    (docs / "broken.pdf").write_bytes(pdf_bytes([["mended"]]))
    mended = update(tmp_path)
    assert counts(mended) == (0, 1, 2, 0)
    assert mended.warnings == summary.warnings
    (docs / "latin.txt").write_text("mended too, and long enough to be a chunk of its own")
    assert update(tmp_path).warnings == ()


def test_a_document_whose_reader_is_missing_is_read_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docx = pytest.importorskip("docx")
    write(tmp_path, a="alpha")
    document = docx.Document()
    document.add_paragraph("bravo")
    document.save(str(tmp_path / "docs" / "b.docx"))
    with monkeypatch.context() as absent:
        absent.setitem(sys.modules, "docx", None)
        absent.setattr("assay.corpus.plan._is_installed", lambda package: False)
        summary = update(tmp_path)
        assert [problem.file for problem in summary.failed] == ["b.docx"]
        assert "pip install 'assay[docx]'" in summary.failed[0].reason
        assert update(tmp_path).is_current
    assert counts(update(tmp_path)) == (0, 1, 1, 0)


def test_a_document_that_breaks_leaves_the_index(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="bravo")
    update(tmp_path)
    write(tmp_path, b="")
    summary = update(tmp_path)
    assert counts(summary) == (0, 0, 1, 1)
    assert ids(tmp_path) == ("a.md-p001-parent001-child01",)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no documents; expected pdf, html"),
        ({"a.jpg": b"x"}, "no documents, only 1 files of other kinds"),
        ({"a.pdf": b"x"}, r"no document could be read: a\.pdf: not a readable PDF"),
        ({f"{n}.md": b"" for n in range(5)}, r"0\.md: empty.*\(and 2 more\)"),
    ],
)
def test_a_corpus_with_nothing_to_read_is_an_error_and_keeps_the_old_index(
    tmp_path: Path, files: dict[str, bytes], message: str
) -> None:
    write(tmp_path, a="alpha")
    update(tmp_path)
    (tmp_path / "docs" / "a.md").unlink()
    for name, data in files.items():
        (tmp_path / "docs" / name).write_bytes(data)
    with pytest.raises(AssayError, match=message):
        update(tmp_path)
    assert ids(tmp_path) == ("a.md-p001-parent001-child01",)


@pytest.mark.parametrize("path", ["absent", "absent.md"])
def test_a_path_that_is_not_there_is_an_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(AssayError, match="no such file or folder"):
        build([tmp_path / path], tmp_path / "c.db", BuildOptions())


def test_a_named_file_without_reader_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("x")
    with pytest.raises(AssayError, match=r"no reader for this kind of file; expected .*\.pdf"):
        build([tmp_path / "a.xyz"], tmp_path / "c.db", BuildOptions())


def test_names_of_any_kind(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    names = ["with space.md", "new\nline.md", "ünïcödé-日本.md", "50%?#&.md", "-dash.md", "UPPER.MD"]
    for name in names:
        (docs / name).write_text("text")
    raw = os.fsencode(docs) + b"/latin-\xe9.md"
    with open(raw, "w") as file:  # noqa: PTH123 (a name that is not UTF-8)
        file.write("text")
    summary = update(tmp_path)
    assert summary.documents == len(names) + 1
    with Index.open(tmp_path / "corpus.db") as index:
        assert set(index.sources) == {*names, "latin-\ufffd.md"}
        assert "new%0Aline.md-p001-parent001-child01" in index.ids
    assert update(tmp_path).is_current


def test_a_corpus_whose_own_name_is_not_utf8(tmp_path: Path) -> None:
    docs = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    docs.mkdir()
    (docs / "a.md").write_text("alpha")
    (docs / "b.json").write_text("{}")
    summary = build([docs, docs / "a.md"], tmp_path / "c.db", BuildOptions())
    assert summary.documents == 1
    assert summary.failed[0].reason.endswith(
        '/caf\ufffd/b.json: holds no chunks; expected a list of chunks or {"chunks": [...]}'
    )


def test_an_index_does_not_go_into_itself(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    update(tmp_path)
    with pytest.raises(AssayError, match="is the index that would be written"):
        build([tmp_path / "corpus.db"], tmp_path / "corpus.db", BuildOptions())


def test_links_that_run_in_circles_end(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    (tmp_path / "docs" / "self").symlink_to(tmp_path / "docs")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.md").write_text("bravo")
    (tmp_path / "other" / "back").symlink_to(tmp_path / "docs")
    (tmp_path / "docs" / "other").symlink_to(tmp_path / "other")
    update(tmp_path)
    assert ids(tmp_path) == ("a.md-p001-parent001-child01", "other/b.md-p001-parent001-child01")


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    os.mkfifo(tmp_path / "docs" / "pipe.md")
    assert [problem.reason for problem in update(tmp_path).failed] == ["not a regular file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, a="alpha", b="bravo")
    (tmp_path / "docs" / "b.md").chmod(0)
    assert [problem.reason for problem in update(tmp_path).failed] == ["cannot be read: Permission denied"]


def test_null_bytes_and_markup_in_text(tmp_path: Path) -> None:
    write(tmp_path, a="null\0byte <script>alert(1)</script> ]]> {{x}}")
    update(tmp_path)
    with Index.open(tmp_path / "corpus.db") as index:
        assert index.texts() == ["nullbyte <script>alert(1)</script> ]]> {{x}}"]


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    write(tmp_path, a="word " * 1_000_000 + "x" * 5_000_000)
    summary = update(tmp_path)
    assert summary.chunks > 2000
    with Index.open(tmp_path / "corpus.db") as index:
        assert max(map(len, index.texts())) <= 480 * 51


def chunk_file(path: Path, *chunks: dict[str, Any], **more: Any) -> Path:
    path.write_text(json.dumps({"chunks": chunks, **more}, indent=1))
    return path


def test_duplicate_ids_name_both_places(tmp_path: Path) -> None:
    first = tmp_path / "a.jsonl"
    first.write_text('{"id": "x", "text": "1"}\n{"id": "y", "text": "2"}')
    second = tmp_path / "b.json"
    second.write_text('[\n {"id": "z", "text": "3"},\n {"id": "y", "text": "4"}\n]')
    with pytest.raises(AssayError, match=r"b\.json:3: the id 'y' is taken by .*a\.jsonl:2"):
        build([first, second], tmp_path / "c.db", BuildOptions())
    first.write_text('{"id": "x", "text": "1"}\n{"id": "x", "text": "2"}')
    with pytest.raises(AssayError, match=r"a\.jsonl:2: the id 'x' is taken by .*a\.jsonl:1"):
        build([first], tmp_path / "c.db", BuildOptions())


def test_a_duplicate_of_a_chunk_from_an_unchanged_file_is_found(tmp_path: Path) -> None:
    first = chunk_file(tmp_path / "a.json", {"id": "x", "text": "1"})
    build([first], tmp_path / "c.db", BuildOptions())
    second = chunk_file(tmp_path / "b.json", {"id": "x", "text": "2"})
    with pytest.raises(AssayError, match=r"b\.json:3: the id 'x' is taken by a\.json"):
        build([first, second], tmp_path / "c.db", BuildOptions())


def test_a_named_file_of_wrong_chunks_is_an_error(tmp_path: Path) -> None:
    path = chunk_file(tmp_path / "a.json", {"id": "x"})
    with pytest.raises(AssayError, match=r"a\.json:3: text is missing"):
        build([path], tmp_path / "c.db", BuildOptions())


@pytest.mark.parametrize("text", ["[]", '{"chunks": []}'])
def test_a_named_file_without_chunks_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(AssayError, match=r"a\.json: holds no chunks"):
        build([tmp_path / "a.json"], tmp_path / "c.db", BuildOptions())
    assert not (tmp_path / "c.db").exists()


def test_a_beir_folder_is_its_corpus(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "qrels").mkdir(parents=True)
    (docs / "corpus.jsonl").write_text('{"_id": "d1", "title": "T", "text": "body"}\n{"_id": "d2", "text": "more"}')
    (docs / "queries.jsonl").write_text('{"_id": "q1", "text": "question?"}\n')
    (docs / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n")
    (docs / "assay.json").write_text('{"version": {}}')
    summary = update(tmp_path, embedder=Counting())
    assert ids(tmp_path) == ("d1", "d2")
    assert (summary.documents, summary.added, summary.skipped, summary.failed) == (2, 1, {}, ())


def test_embeddings_that_come_along_are_kept(tmp_path: Path) -> None:
    path = chunk_file(tmp_path / "a.json", {"id": "x", "text": "1", "embedding": [3, 4]}, model_id="theirs")
    silent = Counting()
    summary = build([path], tmp_path / "c.db", BuildOptions(embedder=silent))
    assert not silent.texts
    assert (summary.model_id, summary.embedding_dim) == ("theirs", 2)
    with Index.open(tmp_path / "c.db") as index:
        assert index.embeddings().tolist() == [pytest.approx([0.6, 0.8])]
    assert build([path], tmp_path / "c.db", BuildOptions()).embedding_dim is None
    assert build([path], tmp_path / "c.db", BuildOptions(embedder=silent)).embedding_dim == 2


def test_two_models_never_share_an_index(tmp_path: Path) -> None:
    path = chunk_file(tmp_path / "a.json", {"id": "x", "text": "1", "embedding": [3, 4]}, model_id="theirs")
    (tmp_path / "b.md").write_text("bravo")
    both = [path, tmp_path / "b.md"]
    with pytest.raises(AssayError, match=r"'theirs' of 2 dimensions \(a\.json\) and 'counting' of 3 dimensions"):
        build(both, tmp_path / "c.db", BuildOptions(embedder=Counting()))
    assert not (tmp_path / "c.db").exists()
    same = Counting("theirs", dim=2)
    assert build(both, tmp_path / "c.db", BuildOptions(embedder=same)).model_id == "theirs"


def test_an_index_can_be_copied_into_another(tmp_path: Path) -> None:
    write(tmp_path, a=sentences(100), b="bravo")
    done = update(tmp_path, embedder=Counting())
    copied = build([tmp_path / "corpus.db"], tmp_path / "copy.db", BuildOptions(embedder=Counting("x", 9)))
    assert (copied.fingerprint, copied.model_id, copied.embedding_dim) == (done.fingerprint, "counting", 3)
    assert copied.chunks == done.chunks
    with Index.open(tmp_path / "copy.db") as index:
        assert set(index.sources) == {"a.md", "b.md"}


def test_lanes_of_ready_made_chunks_are_kept(tmp_path: Path) -> None:
    path = chunk_file(tmp_path / "a.json", {"id": "x", "text": "1", "lane": "memory"}, {"id": "y", "text": "2"})
    build([path], tmp_path / "c.db", BuildOptions())
    with Index.open(tmp_path / "c.db") as index:
        assert index.lanes == ("memory", "document")


def test_languages_are_found_document_by_document_or_set(tmp_path: Path) -> None:
    french = "Le bateau est à quai avec les autres, et il ne part pas dans la nuit. "
    write(tmp_path, a=french * 3, b=sentences(5), c="1 2 3")
    summary = update(tmp_path)
    assert summary.languages == {"en": 1, "fr": 1, "unknown": 1}
    with Index.open(tmp_path / "corpus.db") as index:
        chunks = index.chunks(index.ids).values()
        assert index.metadata["language"] == "auto"
    assert {chunk.source: chunk.metadata.get("language") for chunk in chunks} == {
        "a.md": "fr",
        "b.md": "en",
        "c.md": None,
    }
    assert update(tmp_path, language="de").languages == {"de": 3}


def test_the_index_inside_its_own_corpus_is_not_part_of_it(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    for _ in range(2):
        summary = build([tmp_path / "docs"], tmp_path / "docs" / "corpus.db", BuildOptions())
        assert summary.documents == 1
    assert summary.is_current


def test_what_is_no_index_of_ours_is_not_written_over(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    out = tmp_path / "corpus.db"
    out.write_text("my notes")
    for rebuild in (False, True):
        with pytest.raises(AssayError, match="exists and is not an index made by `assay index`"):
            update(tmp_path, rebuild=rebuild)
    assert out.read_text() == "my notes"


def test_a_link_to_an_index_stays_a_link(tmp_path: Path) -> None:
    write(tmp_path, a="alpha")
    (tmp_path / "store").mkdir()
    (tmp_path / "corpus.db").symlink_to(tmp_path / "store" / "real.db")
    update(tmp_path)
    assert (tmp_path / "corpus.db").is_symlink()
    assert ids(tmp_path) == ("a.md-p001-parent001-child01",)


def test_what_holds_the_questions_of_the_test_is_no_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`assay index .` where the runs are: a report quotes every question, and would be found first."""
    monkeypatch.chdir(tmp_path)
    small_project.make(tmp_path)
    assert main(["retrieval", "--variants", "bm25", "--quiet"]) == 0
    run = small_project.last(tmp_path).path.relative_to(tmp_path)
    for name in ("cases.report.md", "annual.report.md", "notes.md"):
        Path(name).write_text("# Fees\n\nLockers cost 30 pounds.")
    capsys.readouterr()
    assert main(["index", ".", "--out", "all.db", "--no-embeddings", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {each["file"] for each in data["left_out"]} == {f"{run}/", "cases.report.md"}
    with Index.open(Path("all.db")) as index:
        assert {"annual.report.md", "notes.md"} < set(index.sources)
        assert not any(name.startswith(("runs/", "cases")) for name in index.sources)
    assert main(["index", str(run), "cases.report.md", "--out", "named.db", "--no-embeddings", "--quiet"]) == 0
    with Index.open(Path("named.db")) as index:
        assert set(index.sources) == {"report.html", "report.md", "cases.report.md"}
