"""`assay lanes`: documents, memories and code, each in its own lane; `assay lanes mine`: cases from a history."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from assay.errors import AssayError

HELP = "evaluate the lanes (document, memory, code), or mine cases for them from a git history"
LANES = ("memory", "code", "document", "all")
EVALUATION: dict[str, object] = {
    "lane": "all",
    "k": None,
    "cases": None,
    "no_builtin": False,
    "index": None,
    "variants": None,
    "strict": False,
    "seed": None,
    "baseline": "latest",
    "update_baseline": False,
    "force": False,
    "resume": None,
    "ci": False,
    "junit": None,
}
"""Options that mean nothing to `mine`, and what they are when nobody gave them."""
SHALLOW = "a shallow clone, whose history is cut off; git fetch --unshallow brings the rest"
WITHOUT_RUN = "mine"
"""The action that makes no run, so that there is none to go on with."""
MINING = ("repo", "out", "base", "head", "commits", "max_units")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from assay.cli._lanes import add_evaluation_arguments

    parser.add_argument("action", nargs="?", choices=("mine",), help="mine: write cases instead of evaluating them")
    parser.add_argument("--lane", choices=LANES, default="all", help="which cases (default: all)")
    add_evaluation_arguments(parser, "lanes.k")
    mining = parser.add_argument_group("mine")
    mining.add_argument("--repo", metavar="FOLDER", type=Path, help="the git repository (default: .)")
    mining.add_argument(
        "--out", metavar="FILE", type=Path, help="the cases; their index stands beside them, as .base.db"
    )
    mining.add_argument("--base", metavar="COMMIT", help="what is indexed (default: half of the history back)")
    mining.add_argument("--parents", action="store_true", help="index the parent of each commit instead of one base")
    mining.add_argument("--head", metavar="COMMIT", help="where the history ends (default: HEAD)")
    mining.add_argument("--commits", metavar="N", type=int, help="go back at most so far for a base (default: 200)")
    mining.add_argument("--max-units", metavar="N", type=int, help="changed units of a commit, at most (default: 8)")


def run(arguments: argparse.Namespace) -> int:
    from assay.cli._lanes import evaluate
    from assay.cli._output import finish
    from assay.config import load

    if arguments.action == "mine":
        return _mine(arguments)
    for name in (*MINING, "parents"):
        if getattr(arguments, name):
            raise AssayError(f"--{name.replace('_', '-')} is an option of: assay lanes mine", where="lanes")
    config = load(arguments.config)
    published = evaluate(arguments, config, lane=None if arguments.lane == "all" else arguments.lane)
    finish(published, config, arguments)
    return published.exit_code


def _mine(arguments: argparse.Namespace) -> int:
    from assay.cli._output import print_json
    from assay.cli._progress import progress_to
    from assay.config import load
    from assay.lanes.corpora import code_index
    from assay.lanes.mining.miner import MineOptions, mine
    from assay.report.text import counted

    _check_mining(arguments)
    given = {name: getattr(arguments, name) for name in MINING[2:] if getattr(arguments, name) is not None}
    options = MineOptions(repository=arguments.repo or Path(), out=arguments.out, parents=arguments.parents, **given)
    config = load(arguments.config)
    with progress_to(quiet=arguments.quiet) as progress:
        mined = mine(options, lambda folder, out: code_index(folder, out, config), progress)
    if mined.is_shallow:
        print(f"warning: {AssayError(SHALLOW, where=str(options.repository))}", file=sys.stderr)
    if arguments.json:
        print_json(mined.told)
        return 0
    found, seen = counted(len(mined.cases), "case"), counted(mined.commits, "commit")
    print(f"{arguments.out}: {found} from {seen} after {mined.base[:12]}")
    for reason, count in mined.left_out.items():
        print(f"  left out: {count} {reason}")
    if mined.cases:
        print(f"next: assay lanes --no-builtin --cases {arguments.out}")
    return 0


def _check_mining(arguments: argparse.Namespace) -> None:
    """What argparse cannot say."""
    where = "lanes mine"
    for name, default in EVALUATION.items():
        if getattr(arguments, name) != default:
            raise AssayError(f"--{name.replace('_', '-')} is no option of: assay lanes mine", where=where)
    for name in ("commits", "max_units"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            what = f"--{name.replace('_', '-')} is {value}"
            raise AssayError(what, where=where, expected="a whole number from 1 on")
    if arguments.out is None:
        raise AssayError("--out is missing", where=where, expected="where the cases go, as in --out cases.json")
