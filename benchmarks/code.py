"""Code: extraction against bare parsing of the same files, the memory of a large index, and what one change costs.

    python benchmarks/code.py [--lines 500000] [--repeat 3] [--more FOLDER ...]

Extraction is measured for each language of which there is enough: the standard library and the installed packages
(Python), the C and C++ headers and the JavaScript of this machine, and what is below the folders of `--more` (in which
`.d.ts` files, which are hardly anything but comments, are a row of their own). Both sides run over the same files, one
after the other, in processor time: `parse` alone of the bytes as they are, with the language known; and `extract`,
which finds the language and the encoding, parses, and makes the units. The figure is the quotient of the sums over all
files, of each the quickest of `--repeat` rounds. The index is made of the Python files.
Aims: extraction at most 2 x the parsing alone, in every row; at most 1,500 MB for 500,000 lines; one changed file, one
file read. Exits with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from assay.corpus.code import extract, language_of
from assay.corpus.code.files import is_source
from assay.corpus.code.parsing import parse

PLACES = (Path("/usr/include"), Path("/usr/lib/node_modules"), Path("/usr/local/lib/node_modules"))
LARGEST, ENOUGH, LEAST = 400_000, 3_000_000, 300_000
"""Bytes: of a file, and of a language."""

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


def samples(more: list[Path]) -> dict[str, list[tuple[str, bytes]]]:
    """Language → files, up to so many bytes of each."""
    found: dict[str, list[tuple[str, bytes]]] = {}
    sizes: dict[str, int] = {}
    roots = [path for path in (*PLACES, *more) if path.is_dir()]
    paths = [*sources(), *(path for root in roots for path in sorted(root.rglob("*")) if path.is_file())]
    random.Random(0).shuffle(paths)
    for path in paths:
        name = f"{path}.hpp" if path.suffix in {"", ".tcc"} and "c++" in path.parts else str(path)
        if not is_source(Path(name)) or not 0 < path.stat().st_size <= LARGEST:
            continue
        data = path.read_bytes()
        language = "declarations (.d.ts)" if name.endswith(".d.ts") else language_of(name, data).name
        if sizes.get(language, 0) < ENOUGH:
            found.setdefault(language, []).append((name, data))
            sizes[language] = sizes.get(language, 0) + len(data)
    return {language: files for language, files in sorted(found.items()) if sizes[language] >= LEAST}


def extraction(files: list[tuple[str, bytes]], repeat: int) -> tuple[float, float, int]:
    """Processor seconds of parsing and of extraction, and how many units there are. Of each file the quickest of all
    rounds, because whatever else the machine does only adds to it."""
    tables = [language_of(path, source) for path, source in files]
    bare, whole = [math.inf] * len(files), [math.inf] * len(files)
    for _ in range(repeat):
        for number, (_, source) in enumerate(files):
            start = time.process_time()
            parse(tables[number], source)
            bare[number] = min(bare[number], time.process_time() - start)
        for number, (path, source) in enumerate(files):
            start = time.process_time()
            extract(path, source)
            whole[number] = min(whole[number], time.process_time() - start)
    return sum(bare), sum(whole), sum(len(extract(path, source).units) for path, source in files)


def compare(language: str, files: list[tuple[str, bytes]], repeat: int) -> bool:
    bare, whole, units = extraction(files, repeat)
    size = sum(len(source) for _, source in files) / 1e6
    is_met = whole / bare <= 2
    aim = f"aim: at most 2.00{'' if is_met else ', MISSED'}"
    print(
        f"{language:21} {len(files):5,} files {size:5.1f} MB {units:7,} units   parsing {bare:5.2f} s   "
        f"extraction {whole:5.2f} s   {whole / bare:.2f} x   ({aim})"
    )
    return is_met


def index(folder: Path, out: Path) -> tuple[dict[str, int], int, float]:
    """The command's summary, its peak memory in MB, its seconds."""
    command = [sys.executable, "-c", INDEX, "index", "--code", str(folder), "--out", str(out), "--quiet", "--json"]
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    return json.loads(done.stdout), int(done.stderr.split()[-1]), seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=500_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--more", metavar="FOLDER", nargs="*", type=Path, default=[])
    arguments = parser.parse_args()
    met = [compare(language, files, arguments.repeat) for language, files in samples(arguments.more).items()]
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name, "src"), Path(name, "corpus.db")
        files, lines = copy(folder, arguments.lines)
        summary, memory, seconds = index(folder, out)
        print(f"{files:,} files, {lines:,} lines, {summary['chunks']:,} chunks")
        met.append(memory <= 1500)
        print(f"index          {seconds:7.2f} s   {memory:,} MB   (aim: at most 1,500{'' if met[-1] else ', MISSED'})")
        changed = min(folder.rglob("*.py"))
        changed.write_bytes(changed.read_bytes() + b"\n\ndef added_just_now():\n    return 1\n")
        summary, memory, seconds = index(folder, out)
        touched = summary["added"] + summary["changed"] + summary["removed"]
        met.append(touched == 1)
        aim = f"aim: 1{'' if met[-1] else ', MISSED'}"
        print(f"index again    {seconds:7.2f} s   {memory:,} MB   {touched} of {files:,} files read ({aim})")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
