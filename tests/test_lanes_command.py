"""`assay lanes`, `assay code` and `assay lanes mine` as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from git_history import History

from assay.cli.main import _interrupted as interrupted
from assay.cli.main import main
from assay.lanes.scoring import RECORD

CODE = "def compute_delay(attempt):\n    return 2 ** attempt\n\n\ndef push(message):\n    pass\n"
NOTES = '{"id": "n1", "text": "The delay doubles with each attempt.", "date": "2025-01-01"}\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("assay.yaml").write_text("statistics: {resamples: 200}\n")
    Path("src").mkdir()
    Path("src/retry.py").write_text(CODE)
    Path("notes.jsonl").write_text(NOTES)
    Path("docs").mkdir()
    Path("docs/guide.md").write_text(
        "# Guide\n\nThe delay between two tries grows; the attempt is counted from zero.\n"
    )
    command = ["index", "docs", "--code", "src", "--memories", "notes.jsonl", "--out", "corpus.db", "--quiet"]
    assert main(command) == 0
    write_cases(tmp_path / "cases.json", expected="code:src/retry.py::compute_delay")
    return tmp_path


def write_cases(path: Path, expected: str) -> None:
    case = {"lane": "code", "spec_content": "compute the delay of an attempt", "expected_ids": [expected]}
    memory = {"id": "note", "lane": "memory", "spec_content": "delay of an attempt", "expected_ids": ["n1"]}
    path.write_text(json.dumps([{"id": "delay", **case}, memory], indent=1))


def run_json(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json", "--quiet"]) == code
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def by_case(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {result["case_id"]: result for result in data["results"]}


def test_the_built_in_cases_work_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The smoke test: every expected id is in the built-in index, and plain bm25 finds every one of them."""
    monkeypatch.chdir(tmp_path)
    data = run_json(capsys, "lanes", "--strict")
    assert {result["source"] for result in data["results"]} == {"builtin"}
    assert {result["lane"] for result in data["results"]} == {"code", "memory", "document"}
    assert data["missing"] == []
    assert [result["case_id"] for result in data["results"] if result["recall_at_k"] != 1] == []
    assert all(set(RECORD) <= set(result) for result in data["results"])
    kept = list(Path(".assay/cache").glob("lanes-*.db"))
    again = run_json(capsys, "lanes")
    assert list(Path(".assay/cache").glob("lanes-*.db")) == kept
    assert by_case(again) == by_case(data)


def test_without_the_extra_the_message_names_it(tmp_path: Path) -> None:
    """In a process of its own: grammars that are loaded once stay loaded."""
    without = "import sys; sys.modules['tree_sitter'] = None; from assay.cli.main import main; sys.exit(main(['code']))"
    done = subprocess.run([sys.executable, "-c", without], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'assay[code]'" in done.stderr


def test_cases_of_a_file_stand_beside_the_built_in_ones(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = by_case(run_json(capsys, "lanes", "--cases", "cases.json"))
    assert results["delay"]["source"] == "json"
    assert results["delay"]["top_ids"][0] == "code:src/retry.py::compute_delay"
    assert results["retry_delay"]["source"] == "builtin"
    assert all("src/retry.py" not in id_ for id_ in results["retry_delay"]["top_ids"])


def test_the_table(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lanes", "--no-builtin", "--cases", "cases.json", "--quiet"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "case_id lane source k P@k (max) R@k MRR missing" in lines
    assert "delay code json 5 0.20 0.20 1.00 1.00 0" in lines


def test_cases_of_the_settings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("assay.yaml").write_text("lanes: {cases: [cases.json], k: 3}\nstatistics: {resamples: 200}\n")
    results = by_case(run_json(capsys, "lanes", "--no-builtin", "--lane", "memory"))
    assert {id_: result["k"] for id_, result in results.items()} == {"note": 3}


@pytest.mark.parametrize(("words", "k"), [((), 10), (("--k", "4"), 4)])
def test_code_is_the_code_lane_with_ten_results(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], k: int
) -> None:
    results = by_case(run_json(capsys, "code", "--no-builtin", "--cases", "cases.json", *words))
    assert {id_: result["k"] for id_, result in results.items()} == {"delay": k}


@pytest.mark.parametrize(("words", "code"), [((), 0), (("--strict",), 1)])
def test_a_missing_id_is_warned_about_and_fails_a_strict_run(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int
) -> None:
    write_cases(Path("cases.json"), expected="code:src/retry.py::gone")
    assert main(["lanes", "--no-builtin", "--cases", "cases.json", "--quiet", *words]) == code
    told = capsys.readouterr()
    assert "warning: delay: code:src/retry.py::gone is not in the index (corpus.db)" in told.err
    assert told.out.index("Missing from the index") < told.out.index("Cases")


def test_a_duplicate_of_a_built_in_case_names_both_places(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("cases.json").read_text().replace('"delay"', '"retry_delay"')
    Path("cases.json").write_text(text)
    assert main(["lanes", "--cases", "cases.json", "--quiet"]) == 2
    told = capsys.readouterr().err
    assert told == "assay: cases.json:2: id 'retry_delay' occurs twice, first at built-in cases.json:2\n"


@pytest.mark.parametrize("command", [["lanes"], ["code"], ["retrieval", "--variants", "bm25"]])
@pytest.mark.usefixtures("project")
def test_a_baseline_that_is_not_there_is_told_before_the_run(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--baseline", "nosuch.json", "--quiet"]) == 2
    assert "no run 'nosuch.json'" in capsys.readouterr().err
    assert not Path("runs").exists()


def test_a_baseline_is_promoted_and_compared_with(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["lanes", "--no-builtin", "--cases", "cases.json", "--quiet"]
    assert main([*command, "--update-baseline"]) == 0
    assert main(command) == 0
    assert "no regression" in capsys.readouterr().out
    assert main(["compare", "baseline", "last"]) == 0
    assert main(["history", "--kind", "lanes"]) == 0
    assert "recall@k" in capsys.readouterr().out
    assert main(["report", "last", "--format", "md"]) == 0
    assert "Every case" in capsys.readouterr().out


def test_cases_mined_from_a_history_are_searched_in_what_was_before(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history = History(project / "repository")
    base = history.commit("Add the delay of an attempt", src__retry_dot_py=CODE)
    history.commit("Cap the computed delay at a minute", src__retry_dot_py=CODE.replace("2 **", "min(60, 2) **"))
    words = ["lanes", "mine", "--repo", "repository", "--out", "mined.json", "--base", base, "--quiet"]
    assert main(words) == 0
    assert "mined.json: 1 case from 1 commit after " in capsys.readouterr().out
    data = run_json(capsys, "lanes", "--no-builtin", "--cases", "mined.json", "--strict")
    (result,) = data["results"]
    assert result["expected_ids"] == ["code:src/retry.py::compute_delay"]
    assert result["recall_at_k"] == 1.0
    assert [index["name"] for index in data["indexes"]] == ["mined.base.db"]
    assert run_json(capsys, *words[:-1], "--parents")["commits"] == 1
    assert list(Path("mined.parents").glob("*.db"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["lanes", "--k", "0"], "--k is 0; expected a whole number from 1 on"),
        (["lanes", "--repo", "."], "--repo is an option of: assay lanes mine"),
        (["lanes", "mine"], "--out is missing"),
        (["lanes", "mine", "--out", "x.json", "--strict"], "--strict is no option of: assay lanes mine"),
        (["lanes", "mine", "--out", "x.json", "--k", "3"], "--k is no option of: assay lanes mine"),
        (["lanes", "mine", "--out", "x.json", "--commits", "0"], "--commits is 0; expected a whole number from 1 on"),
        (["lanes", "mine", "--out", "x.json", "--repo", "docs"], "git: not a git repository"),
        (["lanes", "--no-builtin"], "there is no case at all"),
        (["lanes", "--cases", "nowhere.json"], "nowhere.json: no such file"),
    ],
)
def test_mistakes_are_one_line(project: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    capsys.readouterr()
    assert main([*words, "--quiet"]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_a_shallow_clone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a pipeline checks out is often one commit deep."""
    monkeypatch.chdir(tmp_path)
    history = History(tmp_path / "repository")
    for number in range(4):
        history.commit(
            f"Wait longer before the next attempt, {number} times", retry_dot_py=CODE.replace("2", f"{number}")
        )
    for depth, name in (("2", "two"), ("1", "one")):
        history.git("clone", "-q", "--depth", depth, history.path.as_uri(), str(tmp_path / name))
    words = ["lanes", "mine", "--out", "mined.json", "--quiet", "--repo"]
    assert main([*words, "repository"]) == 0
    assert "shallow" not in capsys.readouterr().err
    assert main([*words, "two"]) == 0
    assert "warning: two: a shallow clone, whose history is cut off; git fetch --unshallow" in capsys.readouterr().err
    assert main([*words, "one"]) == 2
    assert "expected two commits. The clone is shallow; git fetch --unshallow" in capsys.readouterr().err


def test_that_the_cases_fit_the_index_is_no_praise(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["lanes", "--no-builtin", "--cases", "cases.json", "--quiet"]
    assert main(words) == 0
    assert "Measured: No gate says what is good enough." in capsys.readouterr().out
    assert main([*words, "--strict"]) == 0
    assert "Pass: The gate holds." in capsys.readouterr().out
    write_cases(project / "cases.json", expected="code:src/retry.py::gone")
    assert main(words) == 0
    assert "Measured: With a warning: gate fails: expected ids in the index is 0.5000" in capsys.readouterr().out


def test_a_case_without_a_truth_names_the_variant_all_the_same(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {"id": "a", "lane": "code", "spec_content": "delay", "expected_ids": []}
    Path("empty.json").write_text(json.dumps([case]))
    assert main(["lanes", "--no-builtin", "--cases", "empty.json", "--quiet"]) == 0
    assert "recall@k, bm25  –  n = 0 / 1" in capsys.readouterr().out
    Path("empty.json").write_text("[]")
    assert main(["lanes", "--no-builtin", "--cases", "empty.json", "--quiet"]) == 2
    assert "assay: empty.json: there is no case at all" in capsys.readouterr().err


def test_mining_that_is_interrupted_names_no_run_to_go_on_with() -> None:
    assert interrupted(["lanes", "mine", "--out", "cases.json"]) == "assay: interrupted"
    went_on = "assay: interrupted. What is finished is kept; go on with: assay lanes --quiet --resume last"
    assert interrupted(["lanes", "--quiet"]) == went_on
    assert interrupted(["search", "delay"]) == interrupted(["nothing"]) == interrupted([]) == "assay: interrupted"
