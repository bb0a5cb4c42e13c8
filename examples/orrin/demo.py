"""The main jobs, offline, on the documents of an invented sailing charity: index, search, evaluate, run, build."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
COMMANDS = (
    "assay index documents --out corpus.db",
    'assay search "Who signs the float plan?" -k 3',
    "assay retrieval --variants bm25,vector,hybrid --k 1,3,5,10 --tolerance 2",
    "assay run",
    "assay gold build --config gold-build.yaml --fresh",
    "assay gold verify gold-demo.json --config gold-build.yaml",
)


def main() -> int:
    for command in COMMANDS:
        print(f"\n$ {command}", flush=True)
        words = shlex.split(command)
        done = subprocess.run([sys.executable, "-m", *words], cwd=HERE, check=False)
        if done.returncode:
            return done.returncode
    newest = sorted(HERE.glob("runs/*/report.html"), key=lambda path: path.stat().st_mtime)[-2:]
    print("\nOpen the reports in a browser:", *newest, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
