"""Examples in Markdown that are run: the commands of ```console blocks, and what they print.

All `$ command` lines of one text run in one shell, in a folder of their own that holds a copy of `examples/`. What is
printed must be what stands below the command, but for numbers, run ids and white space; a line `...` stands for any
number of lines. ```sh blocks are not run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
_MARK = "=====8<====="
_SECONDS = 300


@dataclass(frozen=True)
class Step:
    """A command and the lines [start, end) of the text where its output stands."""

    command: str
    start: int
    end: int


def steps_of(text: str) -> list[Step]:
    """The commands of all console blocks, in their order."""
    steps: list[Step] = []
    inside, command, start = False, "", 0
    for number, line in enumerate(text.split("\n")):
        if inside and (line == "```" or line.startswith("$ ")):
            if command:
                steps.append(Step(command, start, number))
            command, start, inside = line[2:], number + 1, line != "```"
        elif line == "```console":
            inside, command = True, ""
    return steps


def run(steps: list[Step]) -> list[str]:
    """What each command prints."""
    script = "\n".join(f"{step.command}\nprintf '\\n%s\\n' '{_MARK}'" for step in steps)
    with tempfile.TemporaryDirectory() as folder:
        made_by_runs = shutil.ignore_patterns("runs", "baselines", "*.db", ".assay", "__pycache__", "gold-demo*")
        shutil.copytree(ROOT / "examples", Path(folder, "examples"), ignore=made_by_runs)
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=_environment(), timeout=_SECONDS, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    outputs = done.stdout.replace(folder, "DIR").split(f"\n{_MARK}\n")[:-1]
    assert len(outputs) == len(steps), f"the shell stopped early:\n{done.stdout}"
    return [output.strip("\n") for output in outputs]


def _environment() -> dict[str, str]:
    """The commands of this interpreter's environment, without colour and as wide as a page."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}


def agree(expected: str, printed: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n" for line in _masked(expected).splitlines()
    )
    return re.fullmatch(pattern, _masked(printed)) is not None


def _masked(text: str) -> str:
    text = re.sub(r"\b(?:run_\d{8}_\d{6}_)?[0-9a-f]{8,64}\b", "ID", text)
    text = re.sub(r"\d+(?:[.,:]\d+)*", "N", text)
    text = re.sub(r"([─━=-])\1{2,}", r"\1", text)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def disagreements(text: str) -> list[str]:
    """What the text says against what is printed, command by command."""
    steps, lines = steps_of(text), text.split("\n")
    found = []
    for step, printed in zip(steps, run(steps) if steps else [], strict=True):
        expected = "\n".join(lines[step.start : step.end])
        if not agree(expected, printed):
            found.append(f"$ {step.command}\n--- the text says\n{expected}\n--- it printed\n{printed}")
    return found


def refreshed(text: str) -> str:
    """The text with today's outputs; where a `...` leaves lines out, the lines shown get today's numbers."""
    steps, lines = steps_of(text), text.split("\n")
    pairs = list(zip(steps, run(steps) if steps else [], strict=True))
    for step, printed in reversed(pairs):
        told = lines[step.start : step.end]
        if "..." in (line.strip() for line in told):
            lines[step.start : step.end] = list(_renumbered(told, printed.split("\n")))
        else:
            lines[step.start : step.end] = [line.rstrip() for line in printed.split("\n")] if printed else []
    return "\n".join(lines)


def _renumbered(told: list[str], printed: list[str]) -> Iterator[str]:
    """Each line as it is printed now, found in order by all that is not a number; as it was if there is none such."""
    at = 0
    for line in told:
        places = range(at, len(printed)) if line.strip() not in ("...", "") else ()
        found = next((place for place in places if _shape(printed[place]) == _shape(line)), None)
        at = at if found is None else found + 1
        yield line if found is None else printed[found].rstrip()


def _shape(line: str) -> tuple[str, list[str]]:
    """All of a line that is not a number, and the names of measures, which hold one."""
    return _masked(line), re.findall(r"\S+@\d+", line)
