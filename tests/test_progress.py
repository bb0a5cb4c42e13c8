"""Progress: rate, time left, cost and errors; plain where nothing can be drawn, and no text acts on the terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from judged_project import make_judged, say
from report_samples import HOSTILE

from assay.cli import _progress
from assay.cli._progress import Pace, duration, progress_to, told
from assay.cli.main import main
from assay.records import Step

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7])(?:;[0-9;]*)?m")


def on_a_terminal(words: list[str], environment: dict[str, str] | None = None, columns: int = 80) -> tuple[int, str]:
    """The exit code of a command and all that its terminal got."""
    reading, writing = pty.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    surroundings |= {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "24"} | (environment or {})
    command = [sys.executable, "-m", "assay", *words]
    process = subprocess.Popen(command, stdin=writing, stdout=writing, stderr=writing, env=surroundings)
    os.close(writing)
    seen = b""
    while True:
        try:
            piece = os.read(reading, 65536)
        except OSError:  # the other end is closed: Linux says so by EIO
            break
        if not piece:
            break
        seen += piece
    os.close(reading)
    return process.wait(), seen.decode("utf-8", "replace")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("step", "rate", "expected"),
    [
        (Step("x", 3, 10), None, ""),
        (Step("x", 3, 10), 0.5, "0.5/s · ETA 0:14"),
        (Step("x", 10, 10, 0.01234, 1), 250.0, "250/s · $0.0123 · 1 error"),
        (Step("x", 1, 7201, 0.0, 2), 1.0, "1.0/s · ETA 2:00:00 · 2 errors"),
    ],
)
def test_what_is_told_of_a_step(step: Step, rate: float | None, expected: str) -> None:
    assert told(step, rate) == expected


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (59.6, "1:00"), (750, "12:30"), (11220, "3:07:00")])
def test_a_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_pace_is_that_of_this_session() -> None:
    """900 of 1000 were done before: the first report tells no rate, the second that of what came between."""
    times = iter([0.0, 2.0, 2.0, 5.0])
    pace = Pace(lambda: next(times))
    assert pace.rate(Step("a", 901, 1000)) is None
    assert pace.rate(Step("a", 905, 1000)) == 2.0
    assert pace.rate(Step("b", 1, 10)) is None
    assert pace.rate(Step("b", 1, 10)) is None


def test_plain_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_to(quiet=False) as progress:
        progress(Step("bm25", 1, 3))
        progress(Step("bm25", 3, 3, 0.5, 2))
        monkeypatch.setattr(_progress, "EVERY", 0.0)
        progress(Step("\x1b[2Jvector", 1, 3))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("[3/3] bm25 · ")
    assert lines[0].endswith("/s · $0.5000 · 2 errors")
    assert lines[1] == "[1/3] ␛[2Jvector"


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_to(quiet=True, line=lambda _: "line") as progress:
        progress(Step("x", 1, 1))
    assert capsys.readouterr().err == ""


def test_lines_of_their_own_stand_for_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_to(quiet=False, line=lambda step: f"sample {step.done}") as progress:
        progress(Step("x", 1, 2))
        progress(Step("x", 2, 2))
    assert capsys.readouterr().err == "sample 1\nsample 2\n"


def test_the_engine_counts_errors_and_dollars(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_judged(folder)
    say(folder, q2=None, q4=None)
    capsys.readouterr()
    assert main(["run"]) == 3
    assert re.search(r"\[5/5\] python:bot:answer · .*2 errors\n", capsys.readouterr().err)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_bars_on_a_terminal(folder: Path, columns: int) -> None:
    make_judged(folder)
    say(folder, q2=None)
    code, seen = on_a_terminal(["run"], columns=columns)
    assert code == 3
    assert "5/5" in seen
    assert "1 error" in seen
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    bars = [line for line in re.split(r"[\r\n]+", plain) if "/5 " in line]
    assert bars
    assert max(map(len, bars)) <= columns
    assert COLOUR.search(seen)


@pytest.mark.parametrize(
    ("environment", "colour"),
    [
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_as_it_is_wished(folder: Path, environment: dict[str, str], colour: bool) -> None:
    make_judged(folder)
    say(folder, q2="Nobody knows.")
    code, seen = on_a_terminal(["run"], environment)
    assert code == 0
    assert bool(COLOUR.search(seen)) is colour
    if environment.get("TERM") == "dumb":
        assert "\x1b" not in seen
        assert "[5/5] python:bot:answer" in seen


@pytest.mark.parametrize("command", [["run"], ["report"], ["report", "--format", "md"], ["run", "--ci"]])
def test_hostile_text_does_not_act_on_the_terminal(folder: Path, command: list[str]) -> None:
    """Nothing of the title-setting, screen-clearing, reordering or backspacing that answers hold comes through."""
    make_judged(folder)
    say(folder, q2=" ".join(HOSTILE), q3="\x1b]0;pwned\x07\x1b[2J\x9b2J\u202e\x08")
    if command[0] == "report":
        assert main(["run", "--quiet"]) == 0
    code, seen = on_a_terminal(command, {"NO_COLOR": "1"})
    assert code == 0
    for acting in ("\x1b]", "\x1b[2J", "\x9b", "\x07", "\x08", "\u202e", "\x00"):
        assert acting not in seen
