"""`assay init`: a project that works as it is written, and nothing overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.config import Config, load
from assay.gold.cases import load_cases

WRITTEN = ["assay.yaml", "docs/loans.md", "docs/opening-hours.md", "docs/repairs.md", "gold.json", ".gitignore"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert sorted(contents(tmp_path)) == sorted(WRITTEN)
    printed = capsys.readouterr().out
    assert [f"wrote {name}" in printed for name in WRITTEN] == [True] * len(WRITTEN)
    assert load() == Config()


def test_json_tells_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "new/project", "--json"]) == 0
    assert sorted(json.loads(capsys.readouterr().out)["written"]) == sorted(f"new/project/{name}" for name in WRITTEN)
    assert load(Path("new/project/assay.yaml")).path("gold") == Path("new/project/gold.json")


def test_settings_alone(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text("mine")
    assert main(["init", "--settings-only"]) == 0
    assert sorted(contents(tmp_path)) == ["assay.yaml", "gold.json"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("assay.yaml", "Nothing was written. Name another folder"),
        ("docs/repairs.md", "Nothing was written. Name another folder, or use --settings-only"),
        ("gold.json", "Nothing was written. Name another folder, or use --settings-only"),
    ],
)
def test_nothing_is_overwritten(name: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    assert main(["init"]) == 2
    assert capsys.readouterr().err == f"assay: {name}: exists already. {hint}\n"
    assert contents(tmp_path) == {name: b"mine"}


def test_a_gitignore_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine")
    assert main(["init"]) == 0
    assert (tmp_path / ".gitignore").read_text() == "mine"
    assert (tmp_path / "assay.yaml").exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["init", "file"]) == 2
    assert capsys.readouterr().err.startswith("assay: file/assay.yaml: cannot be written: ")


def test_the_example_works_as_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from assay.corpus.index import Index

    assert main(["init"]) == 0
    assert main(["index", "docs/", "--out", "corpus.db", "--quiet"]) == 0
    cases = load_cases(tmp_path / "gold.json").cases
    assert len(cases) == 5
    with Index.open(tmp_path / "corpus.db") as index:
        expected = {id_ for case in cases for id_ in case.expected_ids}
        assert expected <= set(index.ids)
        assert {ref.document for case in cases for ref in case.pages} == set(index.sources)
    capsys.readouterr()
    assert main(["search", "when is the library open?"]) == 0
    assert "opening-hours.md" in capsys.readouterr().out
    assert main(["retrieval", "--quiet"]) == 0
