"""Code: extraction against bare parsing of the same files, the memory of a large index, and what one change costs.

    python benchmarks/code.py [--lines 500000] [--repeat 3]

The files are those of the standard library and of the installed packages, as many as are needed.
Aims: extraction at most 2 x the parsing alone; at most 1,500 MB for 500,000 lines; one changed file, one file read.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from assay.corpus.code import extract, language_of
from assay.corpus.code.parsing import parse

INDEX = """
import resource, sys
from assay.cli.main import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)
"""


def sources() -> Iterator[Path]:
    for name in ("stdlib", "purelib", "platlib"):
        for path in sorted(Path(sysconfig.get_paths()[name]).rglob("*.py")):
            if path.is_file():
                yield path


def copy(folder: Path, wanted: int) -> tuple[int, int]:
    """Files until there are so many lines, each with its suffix; how many files and lines there are."""
    files, lines, seen = 0, 0, set[str]()
    for path in sources():
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        data = path.read_bytes()
        files, lines = files + 1, lines + data.count(b"\n")
        target = folder / f"part{files // 200:03d}" / f"{files:05d}_{path.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if lines >= wanted:
            break
    return files, lines


def extraction(folder: Path, repeat: int) -> tuple[float, float, int]:
    """Processor seconds of parsing and of extraction, and how many units there are."""
    data = [(path.as_posix(), path.read_bytes()) for path in sorted(folder.rglob("*.py"))]
    table = language_of("a.py")
    bare, whole, units = [], [], 0
    for _ in range(repeat):
        start = time.process_time()
        for _, source in data:
            parse(table, source)
        bare.append(time.process_time() - start)
        start = time.process_time()
        units = sum(len(extract(path, source).units) for path, source in data)
        whole.append(time.process_time() - start)
    return statistics.median(bare), statistics.median(whole), units


def index(folder: Path, out: Path) -> tuple[dict[str, int], int, float]:
    """The command's summary, its peak memory in MB, its seconds."""
    command = [sys.executable, "-c", INDEX, "index", "--code", str(folder), "--out", str(out), "--quiet", "--json"]
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return json.loads(done.stdout), int(done.stderr.split()[-1]), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name, "src"), Path(name, "corpus.db")
        files, lines = copy(folder, arguments.lines)
        bare, whole, units = extraction(folder, arguments.repeat)
        print(f"{files:,} files, {lines:,} lines, {units:,} units")
        print(f"parsing alone  {bare:7.2f} s")
        print(f"extraction     {whole:7.2f} s   {whole / bare:.2f} x parsing   (aim: at most 2.00)")
        summary, memory, seconds = index(folder, out)
        print(f"index          {seconds:7.2f} s   {memory:,} MB   (aim: at most 1,500)   {summary['chunks']:,} chunks")
        changed = min(folder.rglob("*.py"))
        changed.write_bytes(changed.read_bytes() + b"\n\ndef added_just_now():\n    return 1\n")
        summary, memory, seconds = index(folder, out)
        touched = summary["added"] + summary["changed"] + summary["removed"]
        print(f"index again    {seconds:7.2f} s   {memory:,} MB   {touched} of {files:,} files read (aim: 1)")


if __name__ == "__main__":
    main()
