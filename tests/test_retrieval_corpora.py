"""Several corpora in one call: each has its own name, baseline, history and place in the JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_project import make

from assay.cli.main import main
from assay.runs.folder import all_runs

BOTH = "corpora:\n  north: {index: corpus.db, gold: cases.json}\n  south: {index: corpus.db, gold: cases.json}\n"
COMMAND = ["retrieval", "--variants", "bm25", "--quiet"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make(tmp_path)
    with (tmp_path / "assay.yaml").open("a") as file:
        file.write(BOTH)
    return tmp_path


def test_a_run_has_the_name_of_its_corpus_everywhere(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both gold sets are called cases.json: only the name of the corpus tells them apart."""
    assert main([*COMMAND, "--corpora", "all"]) == 0
    shown = capsys.readouterr().out
    assert "Retrieval: north" in shown
    assert "Retrieval: south" in shown
    runs = all_runs(project / "runs")
    assert [run.summary["corpus"]["name"] for run in runs] == ["north", "south"]
    assert ["__north+bm25__" in runs[0].name, "__south+bm25__" in runs[1].name] == [True, True]
    history = (project / "runs" / "history.jsonl").read_text().splitlines()
    assert [json.loads(line)["corpus"] for line in history] == ["north", "south"]


def test_the_latest_baseline_is_that_of_the_same_corpus(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--corpora", "north", "--update-baseline"]) == 0
    capsys.readouterr()
    assert main([*COMMAND, "--corpora", "south"]) == 0
    assert "Against the baseline" not in capsys.readouterr().out
    assert main([*COMMAND, "--corpora", "north"]) == 0
    assert "Against the baseline" in capsys.readouterr().out


def test_several_corpora_are_one_json_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--corpora", "north,south", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["corpus"]["name"], each["exit_code"]) for each in found] == [("north", 0), ("south", 0)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--corpora", "nroth"], "unknown corpus 'nroth'. Did you mean north"),
        (["--corpora", ""], "--corpora is '', which names nothing; expected names between commas"),
        (["--corpora", "all", "--gold", "cases.json"], "--gold and --corpora exclude each other"),
        (["--corpora", "all", "--index", "corpus.db"], "--index and --corpora exclude each other"),
        (["--corpora", "all", "--resume", "last"], "--resume goes on with one run; expected the one corpus"),
    ],
)
def test_what_does_not_go_with_corpora(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main([*COMMAND, *words]) == 2
    fault = capsys.readouterr().err
    assert told in fault
    assert fault.count("\n") == 1
    assert not (project / "runs").exists()


def test_all_of_no_corpora_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "assay.yaml").write_text("paths: {gold: cases.json}\n")
    assert main([*COMMAND, "--corpora", "all"]) == 2
    assert capsys.readouterr().err.startswith("assay: the settings have no corpora; expected corpora:")


def test_one_corpus_can_be_resumed_and_the_other_is_not_taken_for_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMAND, "--corpora", "south"]) == 0
    assert main([*COMMAND, "--corpora", "south", "--resume", "last"]) == 0
    assert main([*COMMAND, "--corpora", "north", "--resume", "last"]) == 2
    assert "cannot resume: selection changed since" in capsys.readouterr().err
