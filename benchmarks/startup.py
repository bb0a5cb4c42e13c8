"""How long `assay --help` takes beside an interpreter that does nothing, and what `assay extract` needs to get going.

Best of N, taken in turns, with byte code written as an installation has it. The goals: `assay --help` at most 6 times
a bare interpreter, and under 150 ms of CPU, the interpreter included, for `assay extract` of an empty folder: all that
is loaded and read before the first sample. `assay note.txt` goes on to load the rules and the date library and to
extract; it is shown beside it. Exits with 1 beyond the goals.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOAL, EXTRACT_GOAL = 6.0, 0.150
ASSAY = Path(sys.executable).with_name("assay")
EMPTY, NOTE = "empty", "note.txt"
CALLS = {
    "bare interpreter": [sys.executable, "-c", "pass"],
    "import assay": [sys.executable, "-c", "import assay"],
    "assay --help": [str(ASSAY), "--help"],
    "assay index --help": [str(ASSAY), "index", "--help"],
    "assay extract": [str(ASSAY), "extract", EMPTY],
    "assay note.txt": [str(ASSAY), NOTE],
}
NO_SAMPLE = 2
"""How the command ends that finds none."""


def seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """By the clock, and of the processor."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = known | {"PYTHONPYCACHEPREFIX": str(folder / "pycache")}
    start, before = time.perf_counter(), _cpu()
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True)
    spent = time.perf_counter() - start, _cpu() - before
    if done.returncode != (NO_SAMPLE if EMPTY in command else 0):
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()}")
    return spent


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(rounds: int) -> dict[str, tuple[float, float]]:
    """Taken in turns, so that a busy moment of the machine falls on all alike; the first writes the byte code."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in CALLS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / EMPTY).mkdir()
        (folder / NOTE).write_text("Lunch with Ana on Friday 6 March 2026 at 12:30.\n", "utf-8")
        for number in range(rounds + 1):
            for call, command in CALLS.items():
                spent = seconds(command, folder)
                if number:
                    times[call].append(spent)
    return {name: (min(each[0] for each in found), min(each[1] for each in found)) for name, found in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Start-up time of assay beside a bare interpreter.")
    parser.add_argument("--rounds", type=int, default=20, help="how often each is called (default: %(default)s)")
    best = measure(parser.parse_args().rounds)
    bare = best["bare interpreter"][0]
    for name, (clock, cpu) in best.items():
        print(f"{name:<20} {clock * 1000:6.1f} ms  {clock / bare:4.1f} x  {cpu * 1000:6.1f} ms of CPU")
    ratio, extract = best["assay --help"][0] / bare, best["assay extract"][1]
    print(f"assay --help is {ratio:.1f} x a bare interpreter; the goal is at most {GOAL:g} x")
    print(f"assay extract gets going in {extract * 1000:.0f} ms of CPU; the goal is under {EXTRACT_GOAL * 1000:g} ms")
    return 0 if ratio <= GOAL and extract < EXTRACT_GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
