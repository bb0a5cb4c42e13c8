"""How long `assay --help` takes beside an interpreter that does nothing. Best of N, taken in turns.

The goal is a ratio of at most 6. Exits with 1 beyond it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

GOAL = 6.0
ASSAY = Path(sys.executable).with_name("assay")
CALLS = {
    "bare interpreter": [sys.executable, "-c", "pass"],
    "import assay": [sys.executable, "-c", "import assay"],
    "assay --help": [str(ASSAY), "--help"],
    "assay index --help": [str(ASSAY), "index", "--help"],
}


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(rounds: int) -> dict[str, float]:
    """Taken in turns, so that a busy moment of the machine falls on all alike."""
    times: dict[str, list[float]] = {name: [] for name in CALLS}
    for _ in range(rounds):
        for name, command in CALLS.items():
            times[name].append(seconds(command))
    return {name: min(values) for name, values in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Start-up time of assay beside a bare interpreter.")
    parser.add_argument("--rounds", type=int, default=20, help="how often each is called (default: %(default)s)")
    best = measure(parser.parse_args().rounds)
    bare = best["bare interpreter"]
    for name, value in best.items():
        print(f"{name:<20} {value * 1000:6.1f} ms  {value / bare:4.1f} x")
    ratio = best["assay --help"] / bare
    print(f"assay --help is {ratio:.1f} x a bare interpreter; the goal is at most {GOAL:g} x")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
