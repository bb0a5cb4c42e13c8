"""Gold sets through pipes, and gold sets that change while they are read."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_project import QUESTIONS, last, make

from assay.cli.main import main
from assay.errors import AssayError
from assay.gold import cases
from assay.gold.cases import load_cases
from assay.gold.intake import resting

CASES = [{"id": id_, "question": question, "expected_ids": [chunk]} for id_, question, chunk, *_ in QUESTIONS]
V2 = {
    "questions": [
        {"id": id_, "content": {"question": question}, "provenance": {"chunk_id": chunk}}
        for id_, question, chunk, *_ in QUESTIONS
    ]
}
FORMS = {
    "list": json.dumps(CASES),
    "list on lines": json.dumps(CASES, indent=1),
    "lines": "".join(json.dumps(case) + "\n" for case in CASES),
    "schema": json.dumps(V2),
    "table": "id,question,chunk_id\n" + "".join(f'{id_},"{q}",{chunk}\n' for id_, q, chunk, *_ in QUESTIONS),
    "with a mark": "\ufeff" + json.dumps(CASES),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    return tmp_path


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A named pipe that somebody writes the text into, once."""
    writers = []

    def opened(text: str) -> Path:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_text, args=(text,), kwargs={"encoding": "utf-8"}, daemon=True)
        writer.start()
        writers.append(writer)
        return path

    yield opened
    for writer in writers:
        writer.join(timeout=10)


@pytest.mark.parametrize("form", FORMS)
def test_a_pipe_is_a_gold_set_in_any_form(
    form: str, project: Path, pipe: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = pipe(FORMS[form])
    assert main(["retrieval", "--gold", str(path), "--variants", "bm25", "--quiet"]) == 0
    summary = last(project).summary
    assert (summary["corpus"]["tested"], summary["corpus"]["name"].partition(".")[0]) == (5, "pipe")


def test_pages_alone_come_through_a_pipe(project: Path, pipe: Callable[[str], Path]) -> None:
    """Such a set is read twice."""
    lines = [{"id": "a", "question": "What do lockers cost?", "pages": [{"document": "fees.md", "page": 2}]}]
    assert main(["retrieval", "--gold", str(pipe(json.dumps(lines))), "--variants", "bm25", "--quiet"]) == 0


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("piped", [True, False])
def test_standard_input_is_a_gold_set(name: str, piped: bool, project: Path) -> None:
    """From a pipe, and from a file that the shell opened."""
    Path("q.jsonl").write_text(FORMS["lines"], encoding="utf-8")
    words = [sys.executable, "-m", "assay", "retrieval", "--gold", name, "--variants", "bm25", "--json"]
    with Path("q.jsonl").open("rb") as file:
        given: dict[str, Any] = {"input": FORMS["lines"].encode()} if piped else {"stdin": file}
        done = subprocess.run(words, capture_output=True, check=False, **given)
    assert done.returncode == 0, done.stderr
    corpus = json.loads(done.stdout)["corpus"]
    assert (corpus["tested"], corpus["name"]) == (5, "stdin.jsonl")


def test_a_file_named_like_standard_input_is_a_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("-").write_text(FORMS["schema"], encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"never read")))
    assert len(load_cases(Path("-")).cases) == 5


def test_faults_in_a_pipe_are_told_with_their_line(
    project: Path, pipe: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = pipe('{"id": "a", "question": "Who?"}\n{"id": "b"}\n')
    assert main(["retrieval", "--gold", str(path), "--quiet"]) == 2
    assert "pipe.jsonl:2: it has no 'question'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{", "[1, 2", '{"a": 1}\n{', '{\n"a": 1\n', "question\n"])
def test_rubbish_through_a_pipe_is_one_line(
    text: str, project: Path, pipe: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["retrieval", "--gold", str(pipe(text)), "--quiet"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_pipe_is_converted_and_verified(
    project: Path, pipe: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(pipe(FORMS["table"]))
    assert main(["gold", "convert", path, "--to", "schema-v2"]) == 2
    assert "nothing stands beside a pipe. Name a file with --out FILE" in capsys.readouterr().err
    assert main(["gold", "convert", path, "--to", "schema-v2", "--out", "gold.json"]) == 0
    assert len(load_cases(Path("gold.json")).cases) == 5
    assert main(["gold", "stats", path]) == 2
    assert "pipe.csv: not a schema-v2 file. Make it one with: assay gold convert" in capsys.readouterr().err


def test_a_pipe_that_cannot_be_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Gone()))
    monkeypatch.setattr("assay.gold.intake._KEPT", {})
    with pytest.raises(AssayError, match="-: cannot be read: Input/output error"):
        resting(Path("-"))


def test_a_conversion_does_not_stand_in_place_of_its_source(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text(FORMS["table"], encoding="utf-8")
    assert main(["gold", "convert", "a.csv", "--to", "csv"]) == 2
    assert "a.csv: as csv it would stand in place of itself. Name another with --out" in capsys.readouterr().err
    assert Path("a.csv").read_text(encoding="utf-8") == FORMS["table"]
    assert main(["gold", "convert", "none.csv", "--to", "jsonl"]) == 2
    assert "none.csv: no such file" in capsys.readouterr().err


def replaced(path: Path, text: str) -> None:
    other = path.with_name("other")
    other.write_text(text, encoding="utf-8")
    other.replace(path)


def rewritten(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("change", [replaced, rewritten])
@pytest.mark.parametrize("name", ["gold.json", "beir"])
def test_a_set_that_changes_while_it_is_read_is_refused(
    change: Callable[[Path, str], None], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even by a text of the same length."""
    path = tmp_path / name
    file = path / "queries.jsonl" if name == "beir" else path
    text = '{"_id": "a", "text": "Who?"}\n' if name == "beir" else FORMS["schema"]
    if name == "beir":
        (path / "qrels").mkdir(parents=True)
        (path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\tc1\t1\n")
    file.write_text(text, encoding="utf-8")
    load = cases._load

    def slow(path: Path, purpose: cases.Purpose) -> cases.CaseSet:
        found = load(path, purpose)
        change(file, text.replace("Who", "How"))
        return found

    assert load_cases(path).cases
    monkeypatch.setattr(cases, "_load", slow)
    with pytest.raises(AssayError, match=rf"{name}: changed while it was read\. Start again"):
        load_cases(path)
