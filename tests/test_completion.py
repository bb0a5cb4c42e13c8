"""Completion in real shells: commands, options, choices, run names and files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.cli._words import all_commands
from assay.cli.main import commands, main

BASH = """
source ./script
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_assay
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compdef() { }
_describe() { local each; for each in "${(@P)2}"; do print -r -- "${${each%%:*}//\\\\\\\\/}"; done }
_files() { print -r -- FILES }
compadd() { shift; print -rl -- "$@" }
source ./script
words=("$@"); CURRENT=$#
_assay
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("2026-01-01__a+b__0123abcd", "2026-01-02__$(touch pwned)__0123abce"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "manifest.json").write_text("{}")
    (tmp_path / "runs" / "no run").mkdir()
    return tmp_path


def completed(shell: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the shell offers behind these words; what does not begin as the last one does is left out."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    assert main(["completion", shell]) == 0
    Path("script").write_text(capsys.readouterr().out)
    if shell == "fish":
        line = " ".join(words)
        command = [program, "--no-config", "-c", f"source ./script; complete -C '{line}'"]
    elif shell == "zsh":
        command = [program, "-f", "-c", ZSH, "zsh", *words]
    else:
        command = [program, "--norc", "-c", BASH, "bash", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    found = [line.partition("\t")[0] for line in done.stdout.splitlines() if line]
    return sorted({word for word in found if word.startswith(words[-1]) or word == "FILES"})


SHELLS = pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])


@SHELLS
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["assay", "re"], ["report", "retrieval"]),
        (["assay", "gold", "re"], ["relocate"]),
        (["assay", "report", "--fo"], ["--format"]),
        (["assay", "report", "--format", "j"], ["json", "junit"]),
        (["assay", "gold", "verify", "--ga"], ["--gates"]),
        (["assay", "lanes", "--lane", "m"], ["memory"]),
        (["assay", "completion", ""], ["bash", "fish", "zsh"]),
        (["assay", "judge", "c"], ["check"]),
        (["assay", "report", "l"], ["last"]),
        (["assay", "compare", "last", "2026-01-01"], ["2026-01-01__a+b__0123abcd"]),
        (["assay", "run", "--resume", "2026-01-01"], ["2026-01-01__a+b__0123abcd"]),
        (["assay", "baselines", "--promote", "la"], ["last"]),
    ],
)
def test_what_is_offered(
    shell: str, words: list[str], expected: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(shell, words, capsys) == expected


@SHELLS
def test_every_command_is_offered(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(commands()) <= set(completed(shell, ["assay", ""], capsys))


@SHELLS
def test_a_name_in_the_runs_folder_is_never_run(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    completed(shell, ["assay", "report", ""], capsys)
    assert not (folder / "pwned").exists()


@SHELLS
def test_files_where_a_file_is_meant(shell: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """bash and zsh leave it to their own completion of files, fish does it itself."""
    (folder / "gold.json").write_text("")
    found = completed(shell, ["assay", "run", "--gold", "go"], capsys)
    assert found == {"bash": [], "zsh": ["FILES"], "fish": ["gold.json"]}[shell]


def test_runs_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "runs").rename(folder / "my runs")
    monkeypatch.setenv("ASSAY_RUNS", "my runs")
    found = completed("bash", ["assay", "report", "2026-01-01"], capsys)
    assert found == ["2026-01-01__a+b__0123abcd"]


def test_values_are_of_the_right_kind() -> None:
    found = {command.name: command for command in all_commands()}
    kinds = {flag: option.value.kind for option in found["run"].options for flag in option.flags}
    assert (kinds["--gold"], kinds["--resume"], kinds["--ci"], kinds["--model"]) == ("file", "run", "none", "text")
    assert found["init"].place.kind == "folder"
    assert found["search"].place.kind == "text"
    assert found["gold"].place.choices[0] == "audit"
