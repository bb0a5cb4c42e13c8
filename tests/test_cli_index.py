"""`assay index` as a user runs it: output, options, exit codes, and what interrupts leave behind."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from documents import sentences
from fake_server import Call, FakeServer, Reply, embeddings
from small_project import interruptible

from assay.cli.main import main
from assay.corpus.index import Index


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tides.md").write_text("The tide turns at noon.\fThe quay is dry at two.")
    (tmp_path / "docs" / "broken.pdf").write_bytes(b"%PDF-")
    (tmp_path / "docs" / "photo.jpg").write_bytes(b"")
    return tmp_path


def test_the_summary_accounts_for_every_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "docs", "--out", "c.db"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "c.db: 1 document, 2 pages, 1 chunk (en 1)"
    assert lines[1].startswith("files: 1 added, 0 changed, 0 unchanged, 0 removed in ")
    assert lines[2:] == [
        "embeddings: wordllama-l2-supercat-256, 256 dimensions",
        "failed: broken.pdf: not a readable PDF",
        "skipped, no reader for them: .jpg 1",
    ]
    assert re.fullmatch(r"\[2/2\] documents( · [\d.]+/s)?\n", err)
    assert main(["index", "docs", "--out", "c.db", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == "files: 1 unchanged; the index is up to date, nothing was written"
    assert err == ""


def test_a_fault_that_has_its_place_names_the_file_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "docs/chunks.json").write_text('{"a": ')
    assert main(["index", "docs", "--out", "c.db", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "failed: docs/chunks.json:1: not JSON: Expecting value (column 7)" in lines


def test_source_code_among_the_documents_is_told_how_to_go_in(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "docs/a.py").write_text("def f(): pass\n")
    assert main(["index", "docs", "--out", "c.db", "--quiet"]) == 0
    skipped, hint = capsys.readouterr().out.splitlines()[-2:]
    assert skipped == "skipped, no reader for them: .jpg 1, .py 1"
    assert hint == "(source code is given with --code FOLDER, and once more for each further folder)"


def test_what_is_in_each_lane_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "src").mkdir()
    (here / "src/a.py").write_text("def f(): pass\ndef g(): pass\n")
    (here / "src/b.go").write_text("package b\nfunc H() {}\n")
    (here / "notes.jsonl").write_text('{"id": "n", "text": "No deploys on a Friday."}\n')
    words = ["index", "docs", "--code", "src", "--memories", "notes.jsonl", "--no-embeddings", "--quiet"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("corpus.db: 5 chunks")
    assert lines[1:4] == [
        "  code: 3 from 2 files (go 1, python 1)",
        "  document: 1 from 1 file (en 1)",
        "  memory: 1 from 1 file",
    ]
    assert main([*words, "--json"]) == 0
    lanes = json.loads(capsys.readouterr().out)["lanes"]
    assert lanes["code"] == {"files": 2, "chunks": 3, "languages": {"go": 1, "python": 1}}


def test_a_folder_that_cannot_be_read_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "docs/closed").mkdir(mode=0)
    if os.access(here / "docs/closed", os.R_OK):
        pytest.skip("who runs this may read every folder")
    assert main(["index", "docs", "--quiet"]) == 0
    assert "failed: closed/: cannot be read: Permission denied" in capsys.readouterr().out


def test_the_summary_as_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "docs", "--json", "--quiet"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["documents"], summary["chunks"], summary["added"]) == (1, 1, 1)
    assert summary["failed"] == [{"file": "broken.pdf", "reason": "not a readable PDF"}]
    assert summary["skipped"] == {".jpg": 1}
    assert (here / "corpus.db").is_file()  # the default of paths.index


def indexed(*options: str) -> Index:
    assert main(["index", "docs", "--out", "c.db", "--quiet", *options]) == 0
    return Index.open(Path("c.db"))


@pytest.mark.parametrize("option", ["parent-tokens", "parent-overlap", "child-tokens", "child-overlap"])
def test_chunk_sizes_on_the_command_line(here: Path, option: str) -> None:
    size = "200" if option == "child-overlap" else "460"
    (here / "docs" / "long.txt").write_text(sentences(400))
    with indexed("--no-embeddings") as plain, indexed("--no-embeddings", f"--{option}", size) as other:
        assert plain.ids != other.ids
        assert json.loads(other.metadata["chunking"])[option.replace("-", "_")] == int(size)


def test_the_smallest_rest_on_the_command_line(here: Path) -> None:
    (here / "docs" / "long.txt").write_text("word " * 470)
    with indexed("--no-embeddings") as plain, indexed("--no-embeddings", "--minimum-tokens", "5") as other:
        assert (len(plain), len(other)) == (2, 3)  # 470 words are one chunk, or 450 and 68 + 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--child-overlap", "450"], "child_overlap must be less than child_tokens"),
        (["--parent-tokens", "0"], "chunk sizes: Expected `int` >= 1"),
        (["--embedder", "wordlama"], "unknown embedder 'wordlama'. Did you mean wordllama?"),
        (["--embedder", "openai"], "needs a model"),
    ],
)
def test_wrong_settings_are_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["index", "docs", "--out", "c.db", *options]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_language_and_embeddings_on_the_command_line(here: Path) -> None:
    with indexed("--language", "fr", "--no-embeddings") as index:
        assert index.metadata["language"] == "fr"
        assert not index.has_embeddings
        assert index.chunks(index.ids)[index.ids[0]].metadata["language"] == "fr"
    with indexed("--embedder", "wordllama") as index:
        assert index.has_embeddings


def test_settings_come_from_the_file(here: Path) -> None:
    (here / "assay.yaml").write_text("index:\n  language: de\n  chunking:\n    child_tokens: 100\n")
    with indexed() as index:
        assert index.metadata["language"] == "de"
        assert json.loads(index.metadata["chunking"])["child_tokens"] == 100


def test_rebuild(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--rebuild"]):
        main(["index", "docs", "--out", "c.db", "--quiet", *options])
    assert "0 added, 1 changed, 0 unchanged" in capsys.readouterr().out


def test_an_empty_corpus_is_an_error(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "nothing").mkdir()
    assert main(["index", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("assay: nothing: no documents; expected pdf")
    assert not (here / "corpus.db").exists()


@pytest.mark.parametrize("out", ["docs/tides.md/c.db", "/proc/nowhere/c.db"])
def test_an_output_that_cannot_be_written_is_one_line(here: Path, capsys: pytest.CaptureFixture[str], out: str) -> None:
    assert main(["index", "docs", "--out", out, "--quiet"]) == 2
    err = capsys.readouterr().err
    assert "cannot be written" in err
    assert err.count("\n") == 1


def test_a_link_that_leads_nowhere_but_to_itself_is_replaced(here: Path) -> None:
    (here / "c.db").symlink_to("c.db")
    with indexed() as index:
        assert len(index) == 1


def slow_settings(url: str) -> str:
    return f"embedder:\n  name: openai\n  model: m\n  endpoint: {url}\n  batch_size: 1\n"


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "assay", *words]


def wait_for_calls(server: FakeServer, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(server.calls) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def never_answered(call: Call) -> Reply:
    time.sleep(0.5 if "poison" in call.body["input"][0] else 0)
    return embeddings()(call)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupt_in_the_middle_leaves_the_old_index(here: Path, end: signal.Signals) -> None:
    with FakeServer(never_answered) as server:
        (here / "assay.yaml").write_text(slow_settings(server.url))
        assert main(["index", "docs", "--out", "c.db", "--quiet"]) == 0
        before = (here / "c.db").read_bytes()
        for n in range(40):
            (here / "docs" / f"more-{n}.md").write_text(f"poison {n}")
        called = len(server.calls)
        process = subprocess.Popen(interruptible(["index", "docs", "--out", "c.db"]), stderr=subprocess.PIPE, text=True)
        wait_for_calls(server, called + 1)
        process.send_signal(end)
        _, err = process.communicate(timeout=20)
        assert process.returncode == (-9 if end == signal.SIGKILL else 130)
        assert (here / "c.db").read_bytes() == before
        if end == signal.SIGINT:
            assert "interrupted" in err
            assert "Traceback" not in err
            assert not list(here.glob(".c.db*"))
        (here / "docs" / "more-1.md").write_text("fine")
        for n in range(40):
            (here / "docs" / f"more-{n}.md").unlink()
        (here / "docs" / "new.md").write_text("new")
        assert main(["index", "docs", "--out", "c.db", "--quiet"]) == 0
        assert not list(here.glob(".c.db*"))  # what was left lying about is gone
    with Index.open(here / "c.db") as index:
        assert index.sources == ("new.md", "tides.md")


def test_two_at_once_on_one_index(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "docs" / "tides.md").write_text("poison")
    with FakeServer(never_answered) as server:
        (here / "assay.yaml").write_text(slow_settings(server.url))
        first = subprocess.Popen(command("index", "docs", "--out", "c.db"), stdout=subprocess.DEVNULL)
        wait_for_calls(server, 1)
        assert main(["index", "docs", "--out", "c.db"]) == 2
        assert "another `assay index` is writing this index" in capsys.readouterr().err
        assert first.wait(20) == 0
        assert main(["index", "docs", "--out", "c.db"]) == 0
        assert "up to date" in capsys.readouterr().out


def limited(size: int) -> Any:
    """As if the disk were full: no file may grow beyond this."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_leaves_the_old_index(here: Path) -> None:
    assert main(["index", "docs", "--out", "c.db", "--quiet"]) == 0
    before = (here / "c.db").read_bytes()
    (here / "docs" / "long.md").write_text(sentences(30_000))
    words = command("index", "docs", "--out", "c.db", "--no-embeddings", "--quiet")
    done = subprocess.run(words, preexec_fn=limited(1_000_000), capture_output=True, text=True)
    assert done.returncode == 2
    assert "c.db: cannot be written: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert (here / "c.db").read_bytes() == before
    assert sorted(path.name for path in here.iterdir()) == ["c.db", "docs"]
