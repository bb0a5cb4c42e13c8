"""How long `assay --help` takes beside an interpreter that does nothing, and what the extraction command loads costs.

Best of N, taken in turns. The goals: `assay --help` at most 6 times a bare interpreter, and under 150 ms of CPU, the
interpreter included, for all that `assay extract` imports before it reads a sample. Exits with 1 beyond them.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

GOAL, EXTRACT_GOAL = 6.0, 0.150
ASSAY = Path(sys.executable).with_name("assay")
EXTRACT = "import assay.cli.main, assay.cli.extract, assay.config, assay.extraction.evaluation, assay.report.records"
CALLS = {
    "bare interpreter": [sys.executable, "-c", "pass"],
    "import assay": [sys.executable, "-c", "import assay"],
    "assay --help": [str(ASSAY), "--help"],
    "assay index --help": [str(ASSAY), "index", "--help"],
    "assay extract loaded": [sys.executable, "-c", EXTRACT],
}


def seconds(command: list[str]) -> tuple[float, float]:
    """By the clock, and of the processor."""
    start, before = time.perf_counter(), _cpu()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(rounds: int) -> dict[str, tuple[float, float]]:
    """Taken in turns, so that a busy moment of the machine falls on all alike."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in CALLS}
    for _ in range(rounds):
        for name, command in CALLS.items():
            times[name].append(seconds(command))
    return {name: (min(each[0] for each in found), min(each[1] for each in found)) for name, found in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Start-up time of assay beside a bare interpreter.")
    parser.add_argument("--rounds", type=int, default=20, help="how often each is called (default: %(default)s)")
    best = measure(parser.parse_args().rounds)
    bare = best["bare interpreter"][0]
    for name, (clock, cpu) in best.items():
        print(f"{name:<20} {clock * 1000:6.1f} ms  {clock / bare:4.1f} x  {cpu * 1000:6.1f} ms of CPU")
    ratio, extract = best["assay --help"][0] / bare, best["assay extract loaded"][1]
    print(f"assay --help is {ratio:.1f} x a bare interpreter; the goal is at most {GOAL:g} x")
    print(f"assay extract loads in {extract * 1000:.0f} ms of CPU; the goal is less than {EXTRACT_GOAL * 1000:g} ms")
    return 0 if ratio <= GOAL and extract < EXTRACT_GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
