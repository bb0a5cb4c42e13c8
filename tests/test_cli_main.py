"""The command line: one line for each fault, an exit code a pipeline can trust, options that all do something."""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from assay import __version__
from assay.cli import main as cli
from assay.errors import AssayError, IncompleteRun

Plant = Callable[[Callable[[argparse.Namespace], int]], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """A command made for the test, found as any command file is."""

    def add(run: Callable[[argparse.Namespace], int]) -> None:
        command = ModuleType("assay.cli.probe")
        command.HELP = "a command made for a test"  # type: ignore[attr-defined]
        command.run = run  # type: ignore[attr-defined]
        command.add_arguments = lambda parser: parser.add_argument("--depth", type=int)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "assay.cli.probe", command)
        monkeypatch.setattr(cli, "commands", lambda: ["probe"])

    return add


def raiser(fault: BaseException) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        raise fault

    return run


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (AssayError("k is 0", where="a.yaml:3"), 2, "assay: a.yaml:3: k is 0\n"),
        (IncompleteRun("stopped at case 3 of 9"), 3, "assay: stopped at case 3 of 9\n"),
        (PermissionError(13, "Permission denied", "runs"), 2, "assay: runs: Permission denied\n"),
        (OSError(28, "No space left on device"), 2, "assay: No space left on device\n"),
        (FileNotFoundError(2, "No such file or directory", b"runs"), 2, "assay: runs: No such file or directory\n"),
        (TimeoutError("too slow"), 2, "assay: too slow\n"),
        (KeyboardInterrupt(), 130, "assay: interrupted\n"),
    ],
)
def test_a_fault_is_one_line_and_an_exit_code(
    plant: Plant, capsys: pytest.CaptureFixture[str], fault: BaseException, code: int, told: str
) -> None:
    plant(raiser(fault))
    assert cli.main(["probe"]) == code
    assert capsys.readouterr() == ("", told)


def test_a_fault_of_assay_itself_is_not_taken_for_a_failed_gate(
    plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(raiser(ZeroDivisionError("division by zero")))
    assert cli.main(["probe"]) == 70
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "ZeroDivisionError: division by zero" in told
    assert told.endswith("assay: this is a fault of Assay, not yours; please report it with the lines above\n")


@pytest.mark.parametrize("code", [0, 1])
def test_the_result_of_the_command_is_the_exit_code(plant: Plant, code: int) -> None:
    plant(lambda arguments: code)
    assert cli.main(["probe"]) == code


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["prob"], "assay: unknown command 'prob'. Did you mean probe?"),
        (["probe", "--deph", "3"], "assay: probe: unknown option '--deph'. Did you mean --depth?"),
        (["probe", "--deph=3"], "assay: probe: unknown option '--deph'. Did you mean --depth?"),
        (["probe", "--dep", "3"], "assay: probe: unknown option '--dep'. Did you mean --depth"),
        (["probe", "--zzzzzz"], "assay: probe: unknown option '--zzzzzz'. Known: --config, --depth, --help, "),
        (["probe", "more"], "assay: probe: unexpected argument 'more'. assay probe --help tells the options"),
        (["probe", "--depth"], "assay: probe: argument --depth: expected one argument. assay probe --help tells"),
        (["probe", "--depth", "x"], "assay: probe: argument --depth: invalid int value: 'x'. assay probe --help"),
    ],
)
def test_a_mistyped_call_is_one_line(
    plant: Plant, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    plant(lambda arguments: 0)
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(told)
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_the_overview_names_every_command_and_every_exit_code(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 0
    printed = capsys.readouterr().out
    for name in cli.commands():
        assert f"  {name:<11} {cli.load(name).HELP}" in printed
    assert "0 fine · 1 a gate failed or a regression · 2 usage or configuration · 3 run incomplete" in printed


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == cli.main(["-V"]) == 0
    assert capsys.readouterr().out == f"assay {__version__}\n" * 2


@pytest.mark.parametrize("name", cli.commands())
def test_every_command_can_explain_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: assay {name} ")


@pytest.mark.parametrize("name", cli.commands())
def test_every_option_is_explained_and_every_file_is_a_command(name: str) -> None:
    command = cli.load(name)
    assert command.HELP
    assert command.__doc__
    parser = cli.parser_of(name, command)
    assert [action.dest for action in parser._actions if not action.help] == []


def test_python_m_assay_is_assay() -> None:
    done = subprocess.run([sys.executable, "-m", "assay", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"assay {__version__}\n")


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    """`assay --help | head`: the code is what a shell gives for SIGPIPE, and nothing is said."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "assay"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_a_terminal_that_lacks_a_character_shows_it_escaped(encoding: str) -> None:
    code = "import assay.cli.main as m; m.DESCRIPTION = 'pair \\ud83d, dash –'; raise SystemExit(m.main([]))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert done.returncode == 0
    assert b"pair \\ud83d, dash " in done.stdout


@pytest.mark.parametrize("name", cli.commands())
def test_no_option_is_shown_and_ignored(name: str) -> None:
    """Each is at least read by its command; that it has its effect, the command's own tests show."""
    command = cli.load(name)
    file = Path(str(command.__file__))
    source = file.read_text("utf-8")
    read: set[str] = set()
    while parts := set(re.findall(r"assay\.cli\.(_\w+)", source)) - read:
        read |= parts
        shared = [file.parent / f"{part}.py" for part in sorted(parts)]
        source += "".join(path.read_text("utf-8") for path in shared if path.exists())
    told = {"help", "quiet"}  # every command takes --quiet, also one that has nothing to be quiet about
    options = [action.dest for action in cli.parser_of(name, command)._actions if action.dest not in told]
    assert [option for option in options if not re.search(rf'\barguments\.{option}\b|"{option}"', source)] == []


@pytest.mark.parametrize(
    "command",
    [
        ["retrieval", "--variants", ","],
        ["retrieval", "--variants", ""],
        ["retrieval", "-m", ","],
        ["lanes", "--variants", " , "],
        ["code", "--variants", ","],
        ["extract", "--fields", ","],
        ["score", "--qrels", "q", "--run", "r", "-m", ","],
    ],
)
def test_a_list_that_names_nothing_is_no_default(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"is '{command[-1]}', which names nothing; expected names between commas, as in a,b" in line
